import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StepName, StepResult } from '../../../lib/cli/step.js';
import type { PairResult } from '../../../lib/cli/report.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { type Consultation, consult, type Diagnosis, leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';

const EASY = ['--interface', 'easy'];
const EASY_SANDBOX = [...EASY, '--environment', 'sandbox'];
const BASE_URL = 'PROVIDER_EASY_SANDBOX_BASE_URL';
const PROBE = ['--probe', '/payments'];

function stepOf(result: PairResult | undefined, name: StepName): StepResult | undefined {
  return result?.steps.find((step) => step.name === name);
}

/** Runs the doctor twice: once with lines for people, and once with `--json`. */
async function both(
  provider: ProviderSimulator,
  { args = EASY_SANDBOX, ...rest }: Consultation = {},
): Promise<{ text: Diagnosis; json: Diagnosis }> {
  const [text, json] = await Promise.all([
    consult(provider, { ...rest, args }),
    consult(provider, { ...rest, args: [...args, '--json'] }),
  ]);
  expect(leaksIn(text.output + json.output, provider)).toEqual([]);
  expect([text.code, json.code]).toEqual([json.report.ok ? 0 : 1, json.report.ok ? 0 : 1]);
  return { text, json };
}

/** A token of the provider with some claims changed. */
function withClaims(provider: ProviderSimulator, claims: object): void {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  provider.token.members({ access_token: `e30.${payload}.c2ln` });
}

interface Trouble {
  readonly env: (provider: ProviderSimulator) => Promise<Consultation['env']> | Consultation['env'];
  readonly step: StepName;
  readonly code: string;
  readonly says: readonly RegExp[];
}

const TROUBLES: Record<string, Trouble> = {
  'a host that does not exist': {
    env: () => ({ [BASE_URL]: 'https://no-such-host.invalid/easy/v1' }),
    step: 'api-dns',
    code: 'ENOTFOUND|EAI_AGAIN',
    says: [/API DNS .*no-such-host\.invalid is not found/],
  },
  'a port where nothing listens': {
    env: () => ({ [BASE_URL]: 'https://127.0.0.1:1/easy/v1' }),
    step: 'api-tcp',
    code: 'ECONNREFUSED',
    says: [
      /API TCP .*no connection to 127\.0\.0\.1:1/,
      /host and port of the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\)/,
    ],
  },
  'a server that speaks no TLS': {
    env: async () => {
      const server = createServer((socket) => void socket.on('error', () => {}).end('no TLS here\r\n'));
      onTestFinished(() => void server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return { [BASE_URL]: `https://127.0.0.1:${(server.address() as AddressInfo).port}/easy/v1` };
    },
    step: 'api-tls',
    code: 'ERR_SSL_.*|EPROTO|ECONNRESET',
    says: [
      /API TLS .*the TLS handshake failed/,
      /the port of the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\)/,
    ],
  },
  'a certificate of an unknown issuer': {
    env: async () => ({ [BASE_URL]: (await startSimulator()).baseUrl('easy', 'sandbox') }),
    step: 'api-tls',
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    says: [/API TLS .*is not trusted/, /set PROVIDER_EASY_SANDBOX_CA_FILE to its PEM file/],
  },
};

describe('B29: the doctor checks the connection to the API', () => {
  it.each(Object.entries(TROUBLES))('B29: fails for a base URL with %s', async (_name, trouble) => {
    const provider = await startSimulator();
    const { text, json } = await both(provider, { env: (await trouble.env(provider)) ?? {} });
    expect(text.code).toBe(1);
    for (const sentence of trouble.says) expect(text.stdout).toMatch(sentence);
    expect(stepOf(json.report.results[0], trouble.step)).toMatchObject({
      status: 'failed',
      code: expect.stringMatching(`^(${trouble.code})$`),
      advice: expect.stringMatching(/\.$/),
    });
    // The token endpoint works, and the doctor reports that too.
    expect(stepOf(json.report.results[0], 'token-request')).toMatchObject({ status: 'ok' });
    expect(text.stdout.trimEnd().endsWith('0 of 1 give a token and reach their API.')).toBe(true);
  });

  it('B29: checks name, port and certificate of a separate API host, and checks a shared host only once', async () => {
    const provider = await startSimulator();
    const byName = Object.entries(provider.env())
      .filter(([name]) => name.endsWith('_BASE_URL'))
      .map(([name, url]) => [name, url.replace('127.0.0.1', 'localhost')] as const);
    const { json } = await both(provider, { env: Object.fromEntries(byName) });
    const [result] = json.report.results;
    expect(json.report.ok).toBe(true);
    expect(stepOf(result, 'api-dns')).toMatchObject({ status: 'ok', facts: { host: 'localhost' } });
    expect(stepOf(result, 'api-tcp')).toMatchObject({ status: 'ok' });
    expect(stepOf(result, 'api-tls')).toMatchObject({
      status: 'ok',
      facts: { issuer: 'Provider Simulator CA' },
    });
    const { json: shared } = await both(provider);
    for (const name of ['api-dns', 'api-tcp', 'api-tls'] as const)
      expect(stepOf(shared.report.results[0], name)).toMatchObject({
        status: 'skipped',
        detail: expect.stringContaining('already checked'),
      });
  });
});

describe('B29: the doctor and a token for another address', () => {
  it('B29: fails if the base URLs of sandbox and production are swapped, and names the variable', async () => {
    const provider = await startSimulator();
    const { text, json } = await both(provider, {
      args: EASY,
      env: {
        [BASE_URL]: provider.baseUrl('easy', 'production'),
        PROVIDER_EASY_PRODUCTION_BASE_URL: provider.baseUrl('easy', 'sandbox'),
      },
    });
    expect(text.code).toBe(1);
    expect(json.report.results.map(({ ok }) => ok)).toEqual([false, false]);
    for (const [index, own, other] of [
      [0, 'PROVIDER_EASY_SANDBOX_BASE_URL', 'PROVIDER_EASY_PRODUCTION_BASE_URL'],
      [1, 'PROVIDER_EASY_PRODUCTION_BASE_URL', 'PROVIDER_EASY_SANDBOX_BASE_URL'],
    ] as const) {
      expect(stepOf(json.report.results[index], 'claims')).toMatchObject({
        status: 'failed',
        code: 'OTHER_BASE_URL',
        advice: expect.stringMatching(
          `lies under ${other}, not under ${own}\\. Have they been swapped\\? Set the base URL \\(${own}\\)`,
        ),
      });
    }
    expect(text.stdout).toContain('✘ claims');
  });

  it('B29: fails for the credentials of the other environment, if one token URL serves both', async () => {
    const provider = await startSimulator();
    const swapped = provider.credentials('originations', 'production');
    const { json } = await both(provider, {
      args: ['--interface', 'originations', '--environment', 'sandbox'],
      env: {
        PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: swapped.clientId,
        PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET: swapped.clientSecret,
        PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'another-one',
      },
    });
    expect(stepOf(json.report.results[0], 'claims')).toMatchObject({
      status: 'failed',
      advice: expect.stringMatching(
        /PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL.*PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID, PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET/,
      ),
    });
  });

  it('S10: shows no credential from the claims of such a token', async () => {
    const provider = await startSimulator();
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    withClaims(provider, {
      aud: `${provider.baseUrl('easy', 'production')}/${encodeURIComponent(clientSecret)}`,
      iss: `https://issuer.example/${clientId}`,
    });
    const { json } = await both(provider);
    expect(stepOf(json.report.results[0], 'claims')).toMatchObject({
      status: 'failed',
      facts: { aud: ['[redacted]'], iss: '[redacted]' },
    });
  });
});

describe('B29: the probe of the doctor', () => {
  it('B29: sends one authorized GET for each pair, and only then reports that a pair works', async () => {
    const provider = await startSimulator();
    const { code, stdout, output } = await consult(provider, { args: ['--probe', 'payments/7?x=1'] });
    expect(code).toBe(0);
    expect(stdout.match(/✔ probe .*the API answered with status 200/g)).toHaveLength(4);
    expect(stdout.trimEnd().endsWith('4 of 4 work.')).toBe(true);
    expect(provider.apiRequests).toHaveLength(4);
    expect(provider.tokenRequests).toHaveLength(4);
    expect(provider.apiRequests[0]).toMatchObject({ method: 'GET', path: '/payments/7?x=1', status: 200 });
    expect(leaksIn(output, provider)).toEqual([]);

    const { report } = await consult(provider, { args: [...EASY_SANDBOX, '--json'] });
    expect(report).toMatchObject({ ok: true, probed: false });
    expect(stepOf(report.results[0], 'probe')).toMatchObject({ status: 'skipped' });
    expect(provider.apiRequests).toHaveLength(4);
  });

  it('B29: fails for an API that closes the connection or does not speak HTTP. A response without an end counts as a response', async () => {
    const provider = await startSimulator();
    provider.api.for('originations', 'sandbox').reset();
    provider.api.for('originations', 'production').garbage();
    provider.api.for('easy').drip('body', 50);
    const { json } = await both(provider, { args: PROBE });
    const [brokenOff, noHttp, ...endless] = json.report.results.map((result) => stepOf(result, 'probe'));
    for (const [step, advice] of [
      [brokenOff, /connection was closed/],
      [noHttp, /does not speak HTTP/],
    ] as const)
      expect(step).toMatchObject({
        status: 'failed',
        detail: expect.stringContaining('the API did not answer'),
        advice: expect.stringMatching(advice),
      });
    expect(endless.map((step) => step?.status)).toEqual(['ok', 'ok']);
  });

  it('S10: the output repeats neither the path nor the text of the API', async () => {
    const provider = await startSimulator();
    provider.api.status(403, {
      headers: { 'x-reflected': 'canary-of-a-header' },
      body: 'canary-of-a-body',
    });
    const { text, json } = await both(provider, {
      args: [...EASY_SANDBOX, '--probe', '/payments?secret=canary-of-a-path'],
    });
    expect(text.output + json.output).not.toContain('canary');
  });
});

describe('B29: the doctor behind a proxy', () => {
  it('B29: connects to both through the proxy, and so does the probe', async () => {
    const provider = await startSimulator();
    const tunnels: string[] = [];
    const proxy = createServer((client) => {
      client
        .on('error', () => {})
        .once('data', (head) => {
          const [, target = ''] = /^CONNECT (\S+)/.exec(head.toString()) ?? [];
          tunnels.push(target);
          const upstream = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
            client.write('HTTP/1.1 200 OK\r\n\r\n');
            client.pipe(upstream).pipe(client);
          });
          upstream.on('error', () => {});
        });
    });
    onTestFinished(() => void proxy.close());
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    const { code, report } = await consult(provider, {
      args: [...EASY_SANDBOX, ...PROBE, '--json'],
      env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: undefined, no_proxy: undefined },
    });
    expect({ code, tunnels: tunnels.length }).toEqual({ code: 0, tunnels: 2 });
    expect(stepOf(report.results[0], 'probe')).toMatchObject({ status: 'ok' });
    expect(provider.apiRequests).toHaveLength(1);
  });

  it('B29: does not say that an API behind the proxy of the token URL can be reached, unless it was probed', async () => {
    const provider = await startSimulator();
    const proxy = await ConnectProxy.start();
    withClaims(provider, { aud: 'payments' });
    const { text, json } = await both(provider, {
      env: {
        PROVIDER_EASY_SANDBOX_TOKEN_URL: byName(provider.tokenUrl('easy', 'sandbox')),
        HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
        NO_PROXY: undefined,
        no_proxy: undefined,
        [BASE_URL]: 'https://no-such-api.invalid/easy/v1',
      },
    });
    const [result] = json.report.results;
    expect(stepOf(result, 'api-tcp')).toMatchObject({ status: 'ok', facts: { port: proxy.port } });
    expect(stepOf(result, 'api-tls')).toStrictEqual({
      name: 'api-tls',
      status: 'skipped',
      durationMs: expect.any(Number),
      detail: 'goes through the proxy; a probe checks it',
    });
    expect(text.stdout).not.toContain('already checked');
    expect(text.stdout.trimEnd().split('\n').at(-1)).toBe('1 of 1 gives a token.');
  });

  it('B28: does not take the clock of a proxy that refuses the tunnel for the clock of the server', async () => {
    const provider = await startSimulator();
    const proxy = createServer((client) => {
      const refusal = [
        'HTTP/1.1 407 Proxy Authentication Required',
        'Date: Tue, 01 Jan 2019 00:00:00 GMT',
        'Content-Length: 0',
        'Connection: close',
      ];
      client.on('error', () => {}).once('data', () => client.end(`${refusal.join('\r\n')}\r\n\r\n`));
    });
    onTestFinished(() => void proxy.close());
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    const { code, report } = await consult(provider, {
      args: [...EASY_SANDBOX, '--json'],
      env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: undefined, no_proxy: undefined },
    });
    expect(code).toBe(1);
    expect(stepOf(report.results[0], 'token-request')).toMatchObject({ status: 'failed' });
    expect(stepOf(report.results[0], 'clock')).toMatchObject({ status: 'skipped' });
  });
});

/** The secrets of the two easy environments, swapped. */
function swapped(provider: ProviderSimulator): Record<string, string> {
  return {
    PROVIDER_EASY_SANDBOX_CLIENT_SECRET: provider.credentials('easy', 'production').clientSecret,
    PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: provider.credentials('easy', 'sandbox').clientSecret,
  };
}

describe('B29: the doctor and swapped credentials', () => {
  it('B29: does not ask if one environment works, or if only one was checked', async () => {
    const provider = await startSimulator();
    const SECRET = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';
    const one = await consult(provider, {
      args: [...EASY, '--json'],
      env: { [SECRET]: swapped(provider)[SECRET] },
    });
    const single = await consult(provider, { args: [...EASY_SANDBOX, '--json'], env: swapped(provider) });
    expect([one.report.advice, single.report.advice]).toEqual([undefined, undefined]);
  });

  it('B29: names one token URL in both environments as a problem', async () => {
    const provider = await startSimulator();
    const { text } = await both(provider, {
      args: EASY,
      env: { PROVIDER_EASY_PRODUCTION_TOKEN_URL: provider.tokenUrl('easy', 'sandbox') },
    });
    expect(text.stdout).toMatch(
      /✘ PROVIDER_EASY_PRODUCTION_TOKEN_URL +is the same as PROVIDER_EASY_SANDBOX_TOKEN_URL/,
    );
  });

  it('B29: sees quotes around a secret and around a client id', async () => {
    const provider = await startSimulator();
    const variables = ['PROVIDER_EASY_SANDBOX_CLIENT_SECRET', 'PROVIDER_EASY_PRODUCTION_CLIENT_ID'];
    const env = variables.map((variable) => [variable, `"${provider.env()[variable]}"`] as const);
    const { json } = await both(provider, { args: EASY, env: Object.fromEntries(env) });
    for (const [index, variable] of variables.entries())
      expect(stepOf(json.report.results[index], 'token-request')?.advice).toContain(
        `The value of ${variable} is in quotes: remove them. Check `,
      );
  });

  it('B29: names the variable of the file that a secret came from', async () => {
    const provider = await startSimulator();
    const { json } = await both(provider, {
      env: {
        PROVIDER_EASY_SANDBOX_CLIENT_SECRET: undefined,
        PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE: './secret',
      },
      files: { secret: '"in quotes"\n' },
    });
    expect(stepOf(json.report.results[0], 'token-request')?.advice).toBe(
      'The value of PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE is in quotes: remove them. ' +
        'Check PROVIDER_EASY_SANDBOX_CLIENT_ID and PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE: both must belong to easy sandbox, and the secret must be the newest one. If both are right, compare PROVIDER_EASY_SANDBOX_TOKEN_URL with the address that the provider gave you.',
    );
  });
});
