import { generateKeyPairSync } from 'node:crypto';
import http2 from 'node:http2';
import { createServer } from 'node:net';
import { createServer as createTlsServer, type SecureVersion } from 'node:tls';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { StepName, StepResult } from '../../../lib/cli/report.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { createCertificate } from '../../../lib/testing/simulator/certificate.js';
import { OpenSockets } from '../../../lib/testing/simulator/server.js';
import { PROVIDER_INTERFACES, PROVIDER_PAIRS } from '../../support/application/built-in.js';
import { type Consultation, consult, type Diagnosis, leaksIn } from '../../support/application/doctor.js';
import { jwtOf } from '../../support/application/doctor-check.js';
import { expiredAuthority, startSimulator } from '../../support/application/simulator.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { flood } from '../../support/http/endless-answers.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const provider = await ProviderSimulator.start();
afterEach(() => provider.reset());
afterAll(() => provider.close());

const OWN = 'PROVIDER_EASY_SANDBOX';
const EASY = ['--interface', 'easy'];
const EASY_SANDBOX = [...EASY, '--environment', 'sandbox'];
const PROBE = ['--probe', '/payments'];
const ALL_STEPS: readonly StepName[] = [
  'configuration',
  'connection',
  'token-request',
  'lifetime',
  'claims',
  'api-connection',
  'probe',
];

/** What a terminal would obey, or show in the wrong order. */
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\r\u0008\u009b31m\u202e\u2066\u200f\u2028\ufeff';
const HARMFUL = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

/** Runs the doctor with `--json`. Nothing that it prints is a credential, or harms a terminal. */
async function examine(given: Consultation = {}, of: ProviderSimulator = provider): Promise<Diagnosis> {
  const diagnosis = await consult(of, { ...given, args: [...(given.args ?? EASY_SANDBOX), '--json'] });
  expect([leaksIn(diagnosis.output, of), HARMFUL.exec(diagnosis.output)]).toEqual([[], null]);
  expect(diagnosis.output.length).toBeLessThan(20_000);
  expect(diagnosis.code).toBe(diagnosis.report.ok ? 0 : 1);
  return diagnosis;
}

const stepOf = ({ report }: Diagnosis, name: StepName, pair = 0): StepResult | undefined =>
  report.results[pair]?.steps.find((step) => step.name === name);

const stepsWith = ({ report }: Diagnosis, status: StepResult['status']): string[] =>
  (report.results[0]?.steps ?? []).filter((step) => step.status === status).map(({ name }) => name);

/** A server on loopback that ends with the test. */
async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  const sockets = new OpenSockets(server);
  onTestFinished(() => {
    server.close();
    sockets.destroyAll();
  });
  return listenOnLoopback(server);
}

/** Variables for an API at this address. A token without claims fits any API. */
function apiAt(origin: string): NonNullable<Consultation['env']> {
  provider.token.members({ access_token: 'opaque' });
  return { [`${OWN}_BASE_URL`]: `${origin}/easy/v1` };
}

it('B29: all steps run for each pair, and lines for people say so', async () => {
  const { code, stdout } = await consult(provider, { args: ['--probe', 'payments/7?x=1'] });
  const count = PROVIDER_PAIRS.length;
  const heads = PROVIDER_INTERFACES.flatMap((name) => [`${name} sandbox active`, `${name} production`]);
  for (const head of heads) expect(`\n${stdout}`).toContain(`\n${head}`);
  expect(stdout.indexOf(heads[0] ?? 'no pair')).toBe(0);
  expect(
    stdout.match(
      /✔ connection .* ms {2}connected to 127.*, TLSv1\.3, issued by Provider Simulator CA, \d+ days left/g,
    ),
  ).toHaveLength(count);
  expect(stdout.match(/✔ claims .*iss https:.*, aud https:.*, exp 20/g)).toHaveLength(count);
  expect(stdout.match(/✔ probe .*the API answered with status 200/g)).toHaveLength(count);
  expect([code, stdout.includes('✘'), stdout.includes('\u001b')]).toEqual([0, false, false]);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${count} of ${count} work.`);
  expect(provider.apiRequests.map(({ method, path }) => `${method} ${path}`)).toEqual(
    PROVIDER_PAIRS.map(() => 'GET /payments/7?x=1'),
  );
  expect(provider.tokenRequests).toHaveLength(count);
});

it('S10: --json has a fixed shape, checks the chosen pairs, and sends no probe unless told to', async () => {
  const { report } = await examine({ args: EASY });
  const { results, ...rest } = report;
  expect(rest).toEqual({ ok: true, probed: false });
  expect(results.map((one) => Object.keys(one).toSorted())).toEqual(
    results.map(() => ['active', 'environment', 'host', 'interface', 'ok', 'steps']),
  );
  expect(results.map(({ interface: name, environment }) => `${name} ${environment}`)).toEqual([
    'easy sandbox',
    'easy production',
  ]);
  expect(results[0]?.steps.map(({ name }) => name)).toEqual(ALL_STEPS);
  expect(provider.apiRequests).toEqual([]);
});

it('B29: the API is checked by name, port and certificate, and a shared host only once', async () => {
  const names = Object.entries(provider.env()).filter(([name]) => name.endsWith('_BASE_URL'));
  const env = Object.fromEntries(names.map(([name, url]) => [name, byName(url)]));
  const separate = await examine({ env });
  expect(stepOf(separate, 'api-connection')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('connected to localhost:'),
    facts: { host: 'localhost', issuer: 'Provider Simulator CA' },
  });
  const detail = 'the API has the same host and port as the token URL: already checked';
  expect(stepOf(await examine(), 'api-connection')).toMatchObject({ status: 'skipped', detail });
});

interface Trouble {
  readonly env?: () => Consultation['env'] | Promise<Consultation['env']>;
  readonly script?: () => void;
  readonly of?: () => Promise<ProviderSimulator>;
  readonly args?: readonly string[];
  readonly step: StepName;
  readonly code: RegExp;
  readonly detail: RegExp;
  readonly advice: RegExp;
}

const withCertificate = (certificate: 'expired' | 'wrong-host' | 'self-signed') => () =>
  startSimulator({ certificate });
const UNKNOWN_NAME = /^(ENOTFOUND|EAI_AGAIN)$/;

/** Each step that can fail, in the order of the steps. `breakages.spec.ts` has further faults, and what other sources say. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  'a token URL whose host has no address': {
    env: () => ({ [`${OWN}_TOKEN_URL`]: 'https://no-such-host.invalid/auth/v0/connect/token' }),
    step: 'connection',
    // On a machine without a name server, the second code is printed.
    code: UNKNOWN_NAME,
    detail: /^no-such-host\.invalid is not found/,
    advice: /Check/,
  },
  'a certificate of an unknown issuer': {
    env: () => ({ NODE_EXTRA_CA_CERTS: undefined }),
    step: 'connection',
    code: /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    detail: /issued by Provider Simulator CA, is not trusted/,
    advice: /set PROVIDER_EASY_SANDBOX_CA_FILE to its PEM file, or tls\.ca in code/,
  },
  'an expired certificate': {
    of: withCertificate('expired'),
    step: 'connection',
    code: /^CERT_HAS_EXPIRED$/,
    detail: /issued by Provider Simulator CA, expired on 2001-01-01, \d+ days ago/,
    advice: /Report this to the provider/,
  },
  'an expired certificate of the authority': {
    of: () => startSimulator({ authority: expiredAuthority() }),
    step: 'connection',
    code: /^CERT_HAS_EXPIRED$/,
    detail: /is valid, but a certificate above it in the chain has expired/,
    advice: /If your own authority's certificate has expired, put the new one into/,
  },
  'a certificate of another host': {
    of: withCertificate('wrong-host'),
    step: 'connection',
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    detail: /is for somewhere-else\.invalid, not for this host/,
    advice: /Compare the host of the token URL/,
  },
  'an error code that repeats a credential': {
    script: () => provider.token.refuse(provider.credentials('easy', 'sandbox').clientId, { status: 400 }),
    step: 'token-request',
    code: /^TOKEN_/,
    detail: /status 400/,
    advice: /\.$/,
  },
  // Other hostile answers are those of the module: `rules/hostile/token-answers.spec.ts`.
  'a refusal with escapes': {
    script: () => provider.token.refuse(ESCAPES, { status: 400, description: ESCAPES }),
    step: 'token-request',
    code: /^TOKEN_/,
    detail: /status 400/,
    advice: /\.$/,
  },
  'a token for the base URL of the other environment': {
    env: () => ({
      [`${OWN}_BASE_URL`]: provider.baseUrl('easy', 'production'),
      PROVIDER_EASY_PRODUCTION_BASE_URL: provider.baseUrl('easy', 'sandbox'),
    }),
    args: PROBE,
    step: 'claims',
    code: /^OTHER_BASE_URL$/,
    detail: /^the token is for another address: iss /,
    advice:
      /lies under PROVIDER_EASY_PRODUCTION_BASE_URL, not under PROVIDER_EASY_SANDBOX_BASE_URL\. Have they been swapped\? Set the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\)/,
  },
  'an API where nothing listens': {
    env: () => apiAt('https://127.0.0.1:1'),
    step: 'api-connection',
    code: /^ECONNREFUSED$/,
    detail: /^no connection to 127\.0\.0\.1:1/,
    advice: /host and port of the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\)/,
  },
  'an API that speaks no TLS': {
    env: async () => {
      const server = createServer((socket) => void socket.on('error', () => {}).end('no TLS here\r\n'));
      return apiAt(`https://127.0.0.1:${await listening(server)}`);
    },
    step: 'api-connection',
    code: /^(ERR_SSL_.*|EPROTO|ECONNRESET)$/,
    detail: /^the TLS handshake failed/,
    advice: /the port of the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\)/,
  },
  'an API that speaks HTTP/2 only': {
    env: async () => {
      const { cert, key } = issueServerCertificate('trusted');
      return apiAt(`https://127.0.0.1:${await listening(http2.createSecureServer({ cert, key }))}`);
    },
    step: 'api-connection',
    code: /ALERT_NO_APPLICATION_PROTOCOL$/,
    detail: /^the TLS handshake failed/,
    advice: /HTTP\/1\.1/,
  },
  ...Object.fromEntries(
    (
      [
        ['refuses the token', () => provider.api.unauthorized(), /^HTTP_401$/, /status 401$/, /base URL/],
        ['has trouble', () => provider.api.handler(flood(500)), /^HTTP_500$/, /status 500$/, /\.$/],
        [
          'closes the connection',
          () => provider.api.reset(),
          /^ECONNRESET$/,
          /^the API did not answer/,
          /connection was closed/,
        ],
        [
          'does not speak HTTP',
          () => provider.api.garbage(ESCAPES),
          /^HPE_/,
          /^the API did not answer/,
          /does not speak HTTP/,
        ],
      ] as const
    ).map(([what, script, code, detail, advice]) => [
      `an API that ${what}`,
      { script, args: PROBE, step: 'probe', code, detail, advice } satisfies Trouble,
    ]),
  ),
  'a probe that leaves the base URL': {
    args: ['--probe', '/../../canary-path'],
    step: 'probe',
    code: /^OUTSIDE_BASE_URL$/,
    detail: /^the request was not sent, because its address is not under the base URL$/,
    advice: /^Give --probe a path that stays under the base URL\.$/,
  },
};

/** The steps that do not run after the failure of another. */
const SKIPPED_AFTER: Partial<Record<StepName, readonly StepName[]>> = {
  connection: ['token-request', 'lifetime', 'claims', 'probe'],
  'token-request': ['lifetime', 'claims', 'probe'],
  claims: ['probe'],
  'api-connection': ['probe'],
};

it.each(Object.entries(TROUBLES))(
  'B29 S10: names the step that fails, and what to do, for %s',
  async (_, { env, script, of, args = [], step, code, detail, advice }) => {
    const examined = (await of?.()) ?? provider;
    script?.();
    const diagnosis = await examine(
      { args: [...EASY_SANDBOX, ...args], env: (await env?.()) ?? {} },
      examined,
    );
    expect(diagnosis.code).toBe(1);
    expect(stepsWith(diagnosis, 'failed')).toEqual([step]);
    expect(stepOf(diagnosis, step)).toMatchObject({
      code: expect.stringMatching(code),
      detail: expect.stringMatching(detail),
      advice: expect.stringMatching(advice),
    });
    const { steps = [] } = diagnosis.report.results[0] ?? {};
    const depending = steps.filter(({ blocked }) => blocked);
    expect(depending.map(({ name, status }) => [name, status])).toEqual(
      (SKIPPED_AFTER[step] ?? []).map((name) => [name, 'skipped']),
    );
    // One attempt, without a retry.
    expect(examined.tokenRequests.length).toBeLessThanOrEqual(1);
    expect(diagnosis.output).not.toContain('canary');
  },
);

it.each<[what: string, script: () => void, expected: object]>([
  ['a body without end', () => provider.api.handler(flood()), { facts: { status: 200 } }],
  [
    'a body that is no gzip',
    () => provider.api.body(ESCAPES, { headers: { 'content-encoding': 'gzip' } }),
    {},
  ],
])('B29: a probe is no failure after %s', async (_, script, expected) => {
  script();
  const diagnosis = await examine({ args: [...EASY_SANDBOX, ...PROBE] });
  expect([diagnosis.code, stepOf(diagnosis, 'probe')]).toEqual([
    0,
    expect.objectContaining({ status: 'ok', ...expected }),
  ]);
});

it.each<[what: string, claims: () => unknown, expected: object]>([
  [
    'credentials and escapes',
    () => {
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      return {
        iss: `https://x.example/${encodeURIComponent(clientSecret)}`,
        aud: [clientId, ESCAPES],
      };
    },
    { facts: { iss: '[redacted]', aud: ['[redacted]', expect.stringMatching(/^\ufffd/)] } },
  ],
  [
    'a thousand audiences',
    () => ({ aud: Array.from({ length: 1_200 }, (_, i) => `a${i}`) }),
    { facts: { aud: ['a0', 'a1', 'a2', 'a3', 'a4'] } },
  ],
  ['an iss of ten thousand characters', () => ({ iss: 'https://x.example/'.padEnd(10_000, 'y') }), {}],
  ['a list', () => ['iss', 'aud'], { detail: 'the token is not a JWT, so it has no claims to read' }],
  ['an exp beyond all dates', () => ({ exp: 1e300 }), { facts: {} }],
])('B13 S10: claims are shown harmlessly: %s', async (_, claims, expected) => {
  provider.token.members({ access_token: jwtOf(claims()) });
  expect(stepOf(await examine(), 'claims')).toMatchObject({ status: 'ok', ...expected });
});

describe('a configuration that is wrong', () => {
  it('B29: settings of a simulator are named, in a folder without .env', async () => {
    const env = Object.fromEntries(Object.keys(provider.env()).map((name) => [name, undefined]));
    const files = {
      '.provider-simulator/entra.env': '',
      '.provider-simulator/.env': '',
      '.provider-simulator/key': '',
    };
    const { report } = await examine({ env, files, args: [] });
    expect(report.advice?.join()).toMatch(
      /This folder has no \.env\. To check the settings of the simulator, add --settings \.provider-simulator\/\.env or --settings \.provider-simulator\/entra\.env\./,
    );
    const own = await examine({ env, files: { ...files, '.env': '' }, args: [] });
    expect(own.report.advice?.join()).not.toContain('simulator');
    expect((await examine({ files })).report.advice).toBeUndefined();
  });

  it('C4: each problem is listed, and the pairs that are right are checked', async () => {
    const env = {
      [`${OWN}_CLIENT_SECRET`]: undefined,
      PROVIDER_EASY_PRODUCTION_BASE_URL: 'http://api.example.com/easy',
    };
    const { code, stdout } = await consult(provider, { env });
    expect(stdout).toMatch(/✘ PROVIDER_EASY_SANDBOX_CLIENT_SECRET +is missing/);
    expect(stdout).toMatch(/✘ PROVIDER_EASY_PRODUCTION_BASE_URL +is not https/);
    expect(stdout).toMatch(/easy sandbox.*\n +✘ configuration/);
    const right = PROVIDER_PAIRS.filter((pair) => pair.interface !== 'easy').length;
    const verdict = `2 problems in the configuration. ${right} of ${PROVIDER_PAIRS.length} give a token and reach their API.`;
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, verdict]);
    const { report } = await examine({ env, args: [] });
    expect(report.problems).toMatchObject([
      { env: `${OWN}_CLIENT_SECRET`, path: 'interfaces.easy.sandbox.clientSecret' },
      { env: 'PROVIDER_EASY_PRODUCTION_BASE_URL' },
    ]);
    expect(report.results.map(({ ok }) => ok)).toEqual(
      PROVIDER_PAIRS.map((pair) => pair.interface !== 'easy'),
    );
  });

  it.each([
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0', /turns off certificate checks/],
    [
      'PROVIDER_EASY_PRODUCTION_TOKEN_URL',
      provider.tokenUrl('easy', 'sandbox'),
      /is the same as PROVIDER_EASY_SANDBOX_TOKEN_URL/,
    ],
  ])('S9 S5: %s=%s: no credential is sent', async (name, value, message) => {
    const { report } = await examine({ env: { [name]: value }, args: EASY });
    expect(report.problems).toEqual([
      expect.objectContaining({ env: name, message: expect.stringMatching(message) }),
    ]);
    expect(provider.tokenRequests.map(({ environment }) => environment)).not.toContain('production');
  });

  it('B29: the file of a secret is named', async () => {
    const file = { [`${OWN}_CLIENT_SECRET`]: undefined, [`${OWN}_CLIENT_SECRET_FILE`]: './secret' };
    const fromFile = await examine({ env: file, files: { secret: '"in quotes"\n' } });
    expect(stepOf(fromFile, 'token-request')?.advice).toMatch(
      /^The value of PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE is in quotes/,
    );
  });
});

const behind = (port: number) => ({
  HTTPS_PROXY: `http://127.0.0.1:${port}`,
  NO_PROXY: undefined,
  no_proxy: undefined,
});

describe('a proxy', () => {
  it('B29: all requests go through it, and only a probe shows what is behind it', async () => {
    const proxy = await ConnectProxy.start();
    const named = Object.entries(provider.env()).map(([name, value]) => [name, byName(value)] as const);
    const env: NonNullable<Consultation['env']> = { ...Object.fromEntries(named), ...behind(proxy.port) };
    provider.token.members({ access_token: jwtOf({ aud: 'payments' }) });
    const unseen = { ...env, [`${OWN}_BASE_URL`]: 'https://no-such-api.invalid/easy/v1' };
    const { stdout } = await consult(provider, { args: EASY_SANDBOX, env: unseen });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 of 1 gives a token.');
    expect(stdout).toMatch(
      /connected to the proxy 127\.0\.0\.1:\d+; the token request checks what is behind it/,
    );
    provider.reset();
    const diagnosis = await examine({ args: [...EASY_SANDBOX, ...PROBE], env });
    expect([diagnosis.code, stepOf(diagnosis, 'probe')?.status, proxy.tunnels.length]).toEqual([0, 'ok', 3]);
    expect(stepOf(diagnosis, 'connection')?.facts).toEqual({ proxy: `127.0.0.1:${proxy.port}` });
  });

  it('B29: it is blamed, by the variable that names it, if it cannot be reached', async () => {
    const env = { ALL_PROXY: 'http://127.0.0.1:1', NO_PROXY: undefined, no_proxy: undefined };
    const diagnosis = await examine({ env });
    expect(stepOf(diagnosis, 'connection')).toMatchObject({
      status: 'failed',
      detail: 'no connection to the proxy 127.0.0.1:1 (ECONNREFUSED)',
      advice: expect.stringContaining('Check ALL_PROXY.'),
    });
  });
});

const files = (ca: string | undefined, cert?: string, key?: string) => ({
  NODE_EXTRA_CA_CERTS: undefined,
  [`${OWN}_CA_FILE`]: ca,
  [`${OWN}_CERT_FILE`]: cert,
  [`${OWN}_KEY_FILE`]: key,
});

describe('TLS by configuration', () => {
  /** The simulator has variables for the other environment, and no `tls` for it. */
  const sandboxOnly = Object.fromEntries(
    Object.keys(provider.env())
      .filter((name) => name.startsWith('PROVIDER_EASY_PRODUCTION_'))
      .map((name) => [name, undefined]),
  );

  it('B29 S9: each step uses the authority and the client certificate, and names the variable that is missing', async () => {
    const clients = await ClientAuthority.create();
    const mutual = await MutualTlsProvider.start({ clientCa: clients.ca });
    const { ca, cert, key } = filesOf({ ca: mutual.ca, ...(await clients.issue('checkout')) });
    const env = { ...mutual.variables('sandbox'), ...sandboxOnly };
    const right = await examine({
      args: [...EASY_SANDBOX, '--probe', '/things'],
      env: { ...env, ...files(ca, cert, key) },
    });
    expect([right.code, mutual.seen.map(({ client }) => client)]).toEqual([0, ['checkout', 'checkout']]);
    const withoutCa = await examine({ env: { ...env, ...files(undefined, cert, key) } });
    expect(stepOf(withoutCa, 'connection')?.advice).toContain(
      `set ${OWN}_CA_FILE to its PEM file, or tls.ca in code.`,
    );
    const withoutCertificate = await examine({ env: { ...env, ...files(ca) } });
    expect(stepOf(withoutCertificate, 'connection')?.advice).toBe(
      `The server demands a client certificate. Set ${OWN}_CERT_FILE and ${OWN}_KEY_FILE.`,
    );
    const other = filesOf({ key: (await clients.issue('other')).key });
    const wrong = await examine({ env: { ...env, ...files('/not/here.pem', cert, other.key) } });
    expect(wrong.report.problems).toMatchObject([
      {
        env: `${OWN}_CA_FILE`,
        message: 'names a file that does not exist. Mount it, or name the right one.',
      },
      { env: `${OWN}_KEY_FILE`, message: expect.stringMatching(/^does not belong to the certificate in /) },
    ]);
    expect(new CanaryScanner({ path: key ?? '', other: other.key ?? '' }).scanText(wrong.output)).toEqual([]);
  });

  it.each<SecureVersion>(['TLSv1.3', 'TLSv1.2'])(
    'B29: an API that closes the connection without an alert may refuse the client certificate: %s',
    async (maxVersion) => {
      const [clients, others] = [
        await ClientAuthority.create(),
        await ClientAuthority.create('Another Authority'),
      ];
      const { ca, cert, key } = issueServerCertificate('trusted');
      const demand = { ca: others.ca, requestCert: true, rejectUnauthorized: true, maxVersion };
      const server = createTlsServer({ cert, key, ...demand }).on('tlsClientError', () => undefined);
      const own = filesOf({ ca: provider.ca + ca, ...(await clients.issue('checkout')) });
      const env = {
        ...apiAt(`https://127.0.0.1:${await listening(server)}`),
        ...files(own.ca, own.cert, own.key),
      };
      expect(stepOf(await examine({ env }), 'api-connection')).toMatchObject({
        status: 'failed',
        code: 'ECONNRESET',
        advice: expect.stringContaining(
          `The server does not accept the client certificate. Check ${OWN}_CERT_FILE:`,
        ),
      });
    },
  );

  it('S5: the authority of one pair is not that of another', async () => {
    const { ca } = filesOf({ ca: provider.ca });
    const { report } = await examine({ args: EASY, env: files(ca) });
    expect(report.ok).toBe(false);
    expect(report.results.map(({ environment, ok }) => [environment, ok])).toEqual([
      ['sandbox', true],
      ['production', false],
    ]);
  });

  it('S10: a certificate shows no secret that it repeats, and five of its names', async () => {
    const { clientSecret } = provider.credentials('easy', 'sandbox');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const holder = { name: `${ESCAPES} ${clientSecret}`, key: privateKey };
    const dates = { notBefore: new Date('2020-01-01'), notAfter: new Date('2049-01-01') };
    const dns = [clientSecret, ...Array.from({ length: 2_000 }, (_, index) => `name-${index}.example`)];
    const cert = createCertificate({ subject: holder, issuer: holder, use: { dns }, ...dates });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const server = createTlsServer({ cert, key }).on('tlsClientError', () => undefined);
    const diagnosis = await examine({ env: apiAt(`https://127.0.0.1:${await listening(server)}`) });
    expect(stepsWith(diagnosis, 'failed')).toEqual(['api-connection']);
    expect(stepOf(diagnosis, 'api-connection')?.facts?.['names']).toHaveLength(5);
  });
});
