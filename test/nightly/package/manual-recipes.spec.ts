import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describedOptions, tableRowsOf } from '../../support/package/manual-pages.js';
import { RedisServer } from '../../support/fleet/redis-server.js';
import { parseAllDocuments } from 'yaml';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { startSimulator } from '../../support/application/simulator.js';
import { listenOnLoopback } from '../../support/run/free-port.js';
import { Manual, without } from '../../package/manual-setup.js';

/** What the application takes from the two documents of the page. */
interface CertManagerDocument {
  readonly spec: {
    readonly secretName?: string;
    readonly template?: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
        readonly volumes: readonly object[];
      };
    };
  };
}

const manual = await Manual.forThisFile();

describe('the recipes of the manual, against the packed package', () => {
  it('by-code: options override the variables', async () => {
    const provider = await startSimulator();
    const { reported, output } = await manual.app.runCase('by-code', { provider });
    expect({ reported, output }).toEqual({ reported: { timeout: 10_000 }, output: '' });
    expect(provider.apiRequests[0]?.headers['user-agent']).toBe('checkout/1.4');
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('mixed: one interface stays in the other environment', async () => {
    const provider = await startSimulator();
    const env = Object.fromEntries(
      manual
        .shown('mixed')
        .split('\n')
        .map((line) => line.split('=')),
    );
    const { reported } = await manual.app.runCase('inject', { provider, env });
    expect(reported).toMatchObject({ active: 'easy production', drill: 'originations sandbox' });
  });

  it('secret-file: the file is read again after the secret was rotated', async () => {
    const provider = await startSimulator();
    const [variable = '', file = ''] = manual.shown('secret-file').split('=');
    const secret = provider.credentials('easy', 'sandbox').clientSecret;
    const env = { [variable]: `.${file}`, [variable.replace(/_FILE$/, '')]: undefined };
    const steps = {
      revoke: (cwd: string) => {
        writeFileSync(join(cwd, file), `${provider.rotateSecret('easy', 'sandbox')}\n`);
        provider.token.revokeAll();
      },
    };
    const files = { [file]: `${secret}\n` };
    expect((await manual.app.runCase('fetch', { provider, env, files, steps })).reported).toEqual([200, 200]);
    expect(provider.tokenRequests.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('vault: a secret that is rotated while the application runs is read', async () => {
    const provider = await startSimulator();
    let secret = provider.credentials('easy', 'sandbox').clientSecret;
    const asked: (string | undefined)[] = [];
    const vault = createServer((request, response) => {
      asked.push(`${request.url} ${String(request.headers['x-vault-token'])}`);
      response.end(JSON.stringify({ data: { data: { client_secret: secret } } }));
    });
    onTestFinished(() => void vault.close());
    const port = await listenOnLoopback(vault);
    const { reported } = await manual.app.runCase('vault', {
      provider,
      env: {
        VAULT_ADDR: `http://127.0.0.1:${port}`,
        VAULT_TOKEN: 'of-this-test',
        EASY_TOKEN_URL: provider.tokenUrl('easy', 'sandbox'),
        EASY_BASE_URL: provider.baseUrl('easy', 'sandbox'),
        EASY_CLIENT_ID: provider.credentials('easy', 'sandbox').clientId,
      },
      steps: {
        'rotate the secret and revoke the token': () => {
          secret = provider.rotateSecret('easy', 'sandbox');
          provider.token.revokeAll();
        },
      },
    });
    expect(reported).toEqual([200, 200]);
    expect(asked).toEqual(Array.from({ length: 2 }, () => '/v1/secret/data/provider/easy of-this-test'));
  });

  it.each(['redis', 'node-redis'])(
    'redis, node-redis: the token of %s is stored there, and the process ends by itself (B22)',
    async (name) => {
      const [provider, redis] = await Promise.all([startSimulator(), RedisServer.start()]);
      onTestFinished(() => redis.close());
      const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
      const steps = { revoke: () => provider.token.revokeAll() };
      expect(await manual.app.runCase(name, { provider, env, steps })).toEqual({
        code: 0,
        reported: { statuses: [200], keys: 1 },
        output: '',
      });
    },
  );

  it.each(['redis', 'node-redis'])(
    'redis, node-redis: without Redis, %s starts, a call succeeds, and nothing is printed',
    async (name) => {
      const provider = await startSimulator();
      const env = { REDIS_URL: 'redis://127.0.0.1:1', EXPECT_REDIS: 'no' };
      expect(await manual.app.runCase(name, { provider, env })).toEqual({
        code: 0,
        reported: { status: 200 },
        output: '',
      });
    },
  );

  it('undici: requests use the pools of undici', async () => {
    const provider = await startSimulator();
    const { reported } = await manual.app.runCase('undici', { provider });
    expect(reported).toEqual({ status: 200, byUndici: ['/payments/1'] });
  });

  it('tls, ca-file, tls-files: an authority and a client certificate from files are enough', async () => {
    const provider = await startSimulator();
    const clients = await ClientAuthority.create();
    const { cert, key } = await clients.issue('reader');
    const files = { 'client.pem': cert, 'client-key.pem': key };
    const trust = { NODE_EXTRA_CA_CERTS: undefined };
    const { reported, output } = await manual.app.runCase('tls', { provider, files, env: trust });
    expect({ reported, output }).toEqual({ reported: 200, output: '' });
    const variables = [manual.shown('ca-file'), ...manual.shown('tls-files').split('\n')].map((line) =>
      line.replace('/run/secrets/', '').split('='),
    );
    const env = { ...trust, ...Object.fromEntries(variables) };
    // One file can have the certificates of several authorities.
    const authorities = { ...files, 'authority.pem': `${clients.ca}\n${provider.ca}` };
    const { reported: answer } = await manual.app.runCase('first-call', {
      provider,
      files: authorities,
      env,
    });
    expect(answer).toMatchObject({ path: '/payments/1' });
  });

  it('accounts, account-calls: calls have the token of their account', async () => {
    const provider = await startSimulator();
    provider.addAccount('merchant-42');
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox', 'merchant-42');
    const env = { ACCOUNT_ID: clientId, ACCOUNT_SECRET: clientSecret };
    const first = await manual.app.runCase('accounts', { provider, env });
    expect({ reported: first.reported, output: first.output }).toEqual({
      reported: 'ACCOUNT_UNKNOWN',
      output: '',
    });
    expect(provider.apiRequests.map(({ account }) => account)).toEqual(['merchant-42']);
    const second = await manual.app.runCase('account-calls', { provider, env });
    expect(second.reported).toEqual(['object', 200, true]);
    expect(provider.apiRequests.map(({ account }) => account)).toEqual(
      Array.from({ length: 3 }, () => 'merchant-42'),
    );
  });

  it('account-cache: B33: each account gets its own response from the cache, and a request without an id gets none', async () => {
    const provider = await startSimulator();
    for (const account of ['one', 'two']) provider.addAccount(account);
    provider.api.body({ id: 1 }, { headers: { 'cache-control': 'max-age=60', vary: 'Authorization' } });
    const known = ['one', 'two'].map((name) => [name, provider.credentials('easy', 'sandbox', name)]);
    const env = { ACCOUNTS: JSON.stringify(Object.fromEntries(known)) };
    const { reported, output } = await manual.app.runCase('account-cache', { provider, env });
    expect({ reported, output }).toEqual({ reported: [false, false, true, true], output: '' });
    expect(provider.apiRequests.map(({ account }) => account)).toEqual(['one', 'two', 'one']);
  });

  it('tls-function: a function gives the client certificate', async () => {
    const provider = await startSimulator();
    const { cert, key } = await (await ClientAuthority.create()).issue('reader');
    const files = { 'client.pem': cert, 'client-key.pem': key };
    const { reported, output } = await manual.app.runCase('tls-function', { provider, files });
    expect({ reported, output }).toEqual({ reported: 200, output: '' });
  });

  it('cert-manager: the application reads the files of the secret that cert-manager writes', async () => {
    const [certificate, deployment] = parseAllDocuments(manual.shown('cert-manager')).map(
      (document) => document.toJS() as CertManagerDocument,
    );
    const { containers = [], volumes = [] } = deployment?.spec.template?.spec ?? {};
    const [{ env, volumeMounts: [mount] } = { env: [], volumeMounts: [] }] = containers;
    expect(volumes).toEqual([{ name: mount?.name, secret: { secretName: certificate?.spec.secretName } }]);
    const variables = env.map(
      ({ name, value }) => [name, value.replace(`${mount?.mountPath}/`, '')] as const,
    );
    const provider = await startSimulator();
    const { cert, key } = await (await ClientAuthority.create()).issue('checkout');
    const { reported } = await manual.app.runCase('first-call', {
      provider,
      // The files of each secret of cert-manager.
      files: { 'ca.crt': provider.ca, 'tls.crt': cert, 'tls.key': key },
      env: {
        NODE_EXTRA_CA_CERTS: undefined,
        PROVIDER_ENVIRONMENT: 'production',
        ...Object.fromEntries(variables),
        // The application of this case configures originations, too.
        PROVIDER_ORIGINATIONS_PRODUCTION_CA_FILE: 'ca.crt',
      },
    });
    expect(reported).toMatchObject({ environment: 'production' });
  });

  it('health, health-answer: one interface has a token, the other fails', async () => {
    const provider = await startSimulator();
    provider.token.for('easy').status(503);
    const { reported } = await manual.app.runCase('health', { provider });
    expect(reported).toMatchObject({ before: 200, after: 503 });
    const { details } = reported as { details: unknown };
    expect(withoutDates(details)).toEqual(withoutDates(JSON.parse(manual.shown('health-answer'))));
  });

  it('telemetry: an application exports the metrics of the table', async () => {
    const provider = await startSimulator();
    provider.api.next().unauthorized();
    const { reported } = await manual.app.runCase('telemetry', { provider });
    const rows = (await tableRowsOf()).filter(([name = '']) => /^`provider_auth\.[\w.]+`$/.test(name));
    // The application of this block has neither.
    const table = rows
      .filter((cells) => !/absent without a (store|client certificate)/.test(cells.join(' ')))
      .map(([name = '']) => name.replaceAll('`', ''));
    expect(rows.length - table.length).toBe(2);
    expect(reported).toEqual(table.toSorted());
  });

  it('diagnostics: operators get an alert', async () => {
    const provider = await startSimulator();
    provider.token.refuse('invalid_client');
    expect((await manual.app.runCase('diagnostics', { provider })).reported).toEqual([
      ['failing', 'TOKEN_REJECTED'],
    ]);
  });

  it('token-provider: a 401 renews the token once', async () => {
    const provider = await startSimulator();
    const steps = { revoke: () => void provider.token.revokeAll() };
    expect((await manual.app.runCase('token-provider', { provider, steps })).reported).toEqual([200, 200]);
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('upload: after a revoked token the form is sent again, byte for byte', async () => {
    const provider = await startSimulator();
    const files = { 'invoice.pdf': 'the bytes of the invoice' };
    const steps = { revoke: () => void provider.token.revokeAll() };
    expect((await manual.app.runCase('upload', { provider, files, steps })).reported).toBe(200);
    const [, first, second] = provider.apiRequests;
    expect([first?.status, second?.status]).toEqual([401, 200]);
    expect(second?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(second?.body.toString()).toContain('the bytes of the invoice');
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('retry: repeats a GET, and no POST, and obeys `Retry-After`', async () => {
    const provider = await startSimulator();
    provider.api.next(2).status(503);
    let methods: string[] = [];
    const steps = {
      'lose each connection': () => provider.api.reset(),
      'ask for a pause': () => {
        methods = provider.apiRequests.map(({ method }) => method);
        provider.reset();
        provider.api.retryAfter(7, 429);
      },
    };
    const { reported } = await manual.app.runCase('retry', { provider, steps });
    expect(reported).toEqual([200, 'failed', true]);
    expect(methods).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('fetch-retry: repeats a GET after 429 and 503, and obeys `Retry-After`', async () => {
    const provider = await startSimulator();
    provider.api.next().status(429);
    provider.api.next().status(503);
    const { reported } = await manual.app.runCase('fetch-retry', { provider });
    // A date that is further away than a minute waits for a minute.
    expect(reported).toEqual([200, 7_000, 60_000, 0, true]);
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([429, 503, 200]);
  });

  it('exception-filter: callers get a 503 with `Retry-After`, and no details', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    const { reported } = await manual.app.runCase('exception-filter', { provider, env: { PORT: '0' } });
    expect(reported).toEqual([503, true, { statusCode: 503, message: 'Service Unavailable' }]);
  });

  it('prom-client: counts the events under the names of the alert rules', async () => {
    const provider = await startSimulator();
    const steps = {
      revoke: () => void provider.token.revokeAll(),
      'revoke, and refuse token requests': () => {
        provider.token.revokeAll();
        provider.token.refuse('invalid_client');
      },
    };
    const { reported } = await manual.app.runCase('prom-client', { provider, steps });
    const lines = (reported as string[]).map((line) =>
      line
        .split(/[{},]/)
        .filter((part) => !/^(provider|interface|environment)=/.test(part))
        .join(' '),
    );
    expect(lines.toSorted()).toEqual([
      'provider_auth_http_unauthorized_total outcome="recovered"  1',
      'provider_auth_http_unauthorized_total outcome="refused"  1',
      'provider_auth_provider_failing  1',
      'provider_auth_token_cache_total result="memory"  2',
      'provider_auth_token_cache_total result="miss"  3',
      'provider_auth_token_requests_total outcome="ok"  2',
      'provider_auth_token_requests_total outcome="rejected"  1',
    ]);
    expect(String(reported)).toContain('provider="provider",interface="easy",environment="sandbox"');
  });

  it('grpc: metadata carry the token, and a refused call gets a new one', async () => {
    const provider = await startSimulator();
    const { reported } = await manual.app.runCase('grpc', { provider });
    expect(reported).toEqual({ isBearer: true, isRenewed: true, isCurrent: true });
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('websocket: the handshake carries the token, and a 401 renews it once', async () => {
    const provider = await startSimulator();
    const { reported } = await manual.app.runCase('websocket', { provider });
    expect(reported).toEqual({ handshakes: 2, isRenewed: true, isCurrent: true });
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('aws-secret: the function reads the secret with the protocol of AWS', async () => {
    const provider = await startSimulator();
    const { clientSecret } = provider.credentials('easy', 'sandbox');
    const asked: unknown[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      asked.push([request.headers['x-amz-target'], JSON.parse(await text(request))]);
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1', Connection: 'close' });
      response.end(JSON.stringify({ SecretString: clientSecret }));
    };
    const secrets = createServer((request, response) => void answer(request, response));
    onTestFinished(() => void secrets.close());
    const port = await listenOnLoopback(secrets);
    const env = {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'of-this-test',
      AWS_SECRET_ACCESS_KEY: 'of-this-test',
    };
    expect((await manual.app.runCase('aws-secret', { provider, env })).reported).toBe(200);
    expect(asked).toEqual([['secretsmanager.GetSecretValue', { SecretId: 'provider/easy/sandbox' }]]);
  });

  it('google-secret, azure-secret: the functions return the secret', async () => {
    const provider = await startSimulator();
    // Both compile against the SDK. Their services cannot run here, so one method of the client is replaced.
    for (const name of ['google-secret', 'azure-secret'])
      expect((await manual.app.runCase(name, { provider })).reported).toBe(200);
  });

  it('log-calls, log-fetch: one line for each call, also without a token, and no query', async () => {
    const provider = await startSimulator();
    const steps = {
      'lose the payment': () => provider.api.status(404),
      'revoke the token in an outage'() {
        provider.reset();
        provider.token.status(503);
        provider.token.revokeAll();
      },
    };
    expect((await manual.app.runCase('log-calls', { provider, steps })).reported).toEqual([
      'GET /payments/1: 200',
      'POST /payments/1: Request failed with status code 404',
      expect.stringMatching(/^OUTSIDE_BASE_URL: A request to easy sandbox was not sent: (?!.*secret)/),
      expect.stringMatching(
        /^GET \/payments\/1: Request failed with status code 401\. It was not sent again/,
      ),
      expect.stringMatching(/^TOKEN_UNAVAILABLE: No access token for easy sandbox: /),
    ]);
    provider.reset();
    expect((await manual.app.runCase('log-fetch', { provider, steps })).reported).toEqual([
      'GET /payments/1: 200',
      'POST /payments/1: 404',
      'GET /payments/1: AbortError: This operation was aborted',
      'GET /payments/1: 401',
      'GET /payments/1: TOKEN_UNAVAILABLE',
    ]);
  });

  it('json-logger: B29: writes the members that the query of the page reads', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    const { reported, output } = await manual.app.runCase('json-logger', { provider });
    expect(reported).toBe('TOKEN_UNAVAILABLE');
    const lines = output.split('\n').filter((line) => line.includes('(TOKEN_UNAVAILABLE, '));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        context: 'ProviderAuth',
        timestamp: expect.any(Number),
        message: expect.stringMatching(/\(TOKEN_UNAVAILABLE, [\d.:]+\)$/),
      }),
    ]);
    for (const member of ['context', 'timestamp', 'message'])
      expect(manual.shown('log-query')).toContain(`.${member}`);
  });

  it('migrated: a service without code for tokens', async () => {
    const provider = await startSimulator();
    expect((await manual.app.runCase('migrated', { provider })).reported).toBe('/payments/1/refunds');
  });

  it('same-services: a service that injects HttpService gets the client, with its defaults', async () => {
    const provider = await startSimulator();
    expect((await manual.app.runCase('same-services', { provider })).reported).toBe(
      '/invoices?state=open&state=late',
    );
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('option-examples: an application starts with the example of each option', async () => {
    const provider = await startSimulator();
    const { reported, output } = await manual.app.runCase('option-examples', { provider });
    expect({ reported, output }).toEqual({ reported: (await describedOptions()).length, output: '' });
  });

  it('interceptor: runs before the token is attached, and clear() leaves the token', async () => {
    const provider = await startSimulator();
    expect((await manual.app.runCase('interceptor', { provider })).reported).toEqual([200, 200]);
    const [first, second] = provider.apiRequests.map(({ headers }) => headers['x-request-id']);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).toBeUndefined();
  });

  it.each([
    ['store-checks.spec', /Tests +\d\d passed/],
    ['simulator.spec', /Tests +3 passed/],
    ['sandbox.spec', /Tests +1 passed/],
  ])('store-checks.spec, simulator.spec, sandbox.spec: %s passes with Vitest', async (name, passed) => {
    const { code, output } = await manual.app.vitest(name, { provider: await startSimulator() });
    expect(output).toMatch(passed);
    expect(code).toBe(0);
  });

  it.each([
    ['no-network.spec', /Tests +2 passed/],
    ['own-provider.spec', /Tests +2 passed/],
    ['whole-application.spec', /Tests +1 passed/],
  ])(
    'no-network.spec, own-provider.spec, whole-application.spec: %s passes without configuration',
    async (name, passed) => {
      const provider = await startSimulator();
      const { code, output } = await manual.app.vitest(name, { provider, env: without(provider) });
      expect(output).toMatch(passed);
      expect(code).toBe(0);
      expect(provider.tokenRequests).toEqual([]);
    },
  );

  it('sandbox.spec: is skipped without credentials', async () => {
    const provider = await startSimulator();
    const env = { PROVIDER_EASY_SANDBOX_CLIENT_ID: undefined };
    expect((await manual.app.vitest('sandbox.spec', { provider, env })).output).toMatch(/Tests +1 skipped/);
  });
});

function withoutDates(report: unknown): unknown {
  return JSON.parse(JSON.stringify(report).replaceAll(/"\d{4}-[^"]*Z"/g, '"a moment"'));
}
