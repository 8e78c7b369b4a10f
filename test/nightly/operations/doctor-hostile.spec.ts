import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ExitCode, run } from '../../../lib/cli/program.js';
import {
  createCertificate,
  type KeyHolder,
  type ServerNames,
} from '../../../lib/testing/simulator/certificate.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';

/** What a terminal would obey, or show in the wrong order. */
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\r\u0008\u009b31m\u202e\u2066\u200f\u2028\ufeff';
const HARMFUL = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

interface Diagnosis {
  readonly code: ExitCode;
  readonly text: string;
  /** The steps of `--json`, by their name. */
  readonly failed: readonly string[];
}

/** Runs the doctor for easy sandbox in this process, once for people and once for machines. */
async function consult(
  provider: ProviderSimulator,
  { env = {}, ...given }: { env?: NodeJS.ProcessEnv; probe?: undefined } = {},
): Promise<Diagnosis> {
  const folder = mkdtempSync(join(tmpdir(), 'provider-auth-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, provider.ca);
  writeFileSync(join(folder, 'none.env'), '');
  for (const [name, value] of Object.entries({
    ...provider.env(),
    PROVIDER_EASY_SANDBOX_CA_FILE: ca,
    ...env,
  }))
    vi.stubEnv(name, value);
  const args = ['doctor', '--interface', 'easy', '--environment', 'sandbox'];
  // The API of the simulator refuses a token that it did not issue.
  if (!('probe' in given)) args.push('--probe', '/payments');
  args.push('--env-file', join(folder, 'none.env'));
  const written = { out: '', json: '', err: '' };
  const streams = (name: 'out' | 'json') => ({
    stdout: { write: (text: string) => (written[name] += text) },
    stderr: { write: (text: string) => (written.err += text) },
  });
  const [code, again] = await Promise.all([
    run(args, streams('out')),
    run([...args, '--json'], streams('json')),
  ]);
  expect(again).toBe(code);
  expect(written.err).toBe('');
  const text = written.out + written.json;
  expect(HARMFUL.exec(text)).toBeNull();
  expect(leaksIn(text, provider)).toEqual([]);
  expect(text.length).toBeLessThan(20_000);
  const { results } = JSON.parse(written.json) as {
    results: { steps: { name: string; status: string }[] }[];
  };
  const steps = results.flatMap((result) => result.steps);
  return { code, text, failed: steps.filter(({ status }) => status === 'failed').map(({ name }) => name) };
}

afterEach(() => void vi.unstubAllEnvs());

/** A JWT with this payload as its text, so that the text may be something that no JSON writer gives. */
function jwt(payload: string): string {
  return ['{"alg":"none"}', payload, 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

type Script = (provider: ProviderSimulator) => void;

const withToken =
  (token: string): Script =>
  (provider) =>
    provider.token.members({ access_token: token });

const TOKENS: Record<string, string> = {
  'escapes in iss and aud': jwt(JSON.stringify({ iss: ESCAPES, aud: [`https://${ESCAPES}`, ESCAPES] })),
  'an aud of a thousand texts': jwt(
    JSON.stringify({ aud: Array.from({ length: 1_200 }, (_, i) => `a${i}`) }),
  ),
  'an iss of ten thousand characters': jwt(JSON.stringify({ iss: 'https://x.example/'.padEnd(10_000, 'y') })),
  'an exp beyond all numbers': jwt('{"exp":1e400}'),
  'an exp far away': jwt('{"exp":8640000000000}'),
  'an exp of the stone age': jwt('{"exp":-1e15}'),
  'an exp as a text': jwt('{"exp":"\\u001b[2J"}'),
  'claims with __proto__': jwt(
    '{"__proto__":{"iss":"x"},"constructor":1,"aud":{"__proto__":[]},"toString":null}',
  ),
  'claims that are nested deeply': jwt(`{"aud":${nested(5_000)}}`),
  'claims that are no JSON': jwt(`{"iss":${ESCAPES}`),
  'claims that are a list': jwt('["iss","aud"]'),
};

describe('B13: the doctor with a token that is hostile', () => {
  it.each(Object.entries(TOKENS))('B13: works with %s', async (_, token) => {
    const provider = await startSimulator();
    withToken(token)(provider);
    expect(await consult(provider, { probe: undefined })).toMatchObject({ code: 0, failed: [] });
  });

  it('S10: does not show a secret that the token repeats', async () => {
    const provider = await startSimulator();
    const { clientSecret } = provider.credentials('easy', 'sandbox');
    withToken(jwt(JSON.stringify({ iss: `https://${clientSecret}`, aud: clientSecret })))(provider);
    expect(await consult(provider, { probe: undefined })).toMatchObject({ code: 0 });
  });
});

const ANSWERS: Record<string, Script> = {
  'a body without end': ({ token }) => token.flood(),
  'a refusal without end': ({ token }) => token.flood({ status: 400 }),
  'a body of 10 MB': ({ token }) => token.body(`{"access_token":"${'x'.repeat(10_000_000)}"}`),
  'a body that drips': ({ token }) => token.drip('body'),
  'headers that drip': ({ token }) => token.drip('headers'),
  'interim answers without end': ({ token }) => token.drip('interim', 1),
  'JSON that is nested deeply': ({ token }) => token.body(`{"access_token":${nested(30_000)}}`),
  'an expires_in beyond all numbers': ({ token }) => token.body('{"access_token":"x","expires_in":1e400}'),
  'an object as the token': ({ token }) => token.members({ access_token: { __proto__: null } }),
  'escapes in the token': ({ token }) => token.members({ access_token: ESCAPES }),
  'escapes in token_type': ({ token }) => token.members({ token_type: ESCAPES }),
  'escapes in the code of a refusal': ({ token }) =>
    token.refuse(ESCAPES, { status: 400, description: ESCAPES }),
  'escapes in the reason phrase': ({ token }) =>
    token.garbage('HTTP/1.1 400 \u001b[2J\u009b\r\nX-Y: \u001b[2J\r\nContent-Length: 0\r\n\r\n'),
  'a Date that is no date': ({ token }) => token.status(503, { headers: { date: '\u009b31m never' } }),
  'a Date far away': ({ token }) => token.status(503, { headers: { date: 'Fri, 31 Dec 9999 23:59:59 GMT' } }),
  'a redirect to itself': (provider) => provider.token.redirect(provider.tokenUrl('easy', 'sandbox')),
  'a redirect elsewhere': ({ token }) => token.redirect(`https://elsewhere.invalid/${encodeURI(ESCAPES)}`),
  'another protocol': ({ token }) => token.switchProtocols(),
  'a thousand headers': ({ token }) =>
    token.status(400, {
      headers: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x-${i}`, 'y'.repeat(100)])),
    }),
  'bytes that are no HTTP': ({ token }) => token.garbage(ESCAPES.repeat(100)),
};

describe('B13: the doctor and a token endpoint that is hostile', { timeout: 60_000 }, () => {
  it.each(Object.entries(ANSWERS))('B13: the token request fails after %s', async (_, script) => {
    const provider = await startSimulator();
    script(provider);
    expect(await consult(provider)).toMatchObject({ code: 1, failed: ['token-request'] });
  });
});

const PROBES: Record<string, [script: Script, code: ExitCode]> = {
  'a body without end': [({ api }) => api.flood(), 0],
  'an error without end': [({ api }) => api.flood({ status: 500 }), 1],
  'a body that drips': [({ api }) => api.drip('body'), 0],
  'a body that is no gzip': [({ api }) => api.body(ESCAPES, { headers: { 'content-encoding': 'gzip' } }), 0],
  'a redirect to itself': [
    (provider) => provider.api.redirect(`${provider.baseUrl('easy', 'sandbox')}/x`),
    0,
  ],
  'a redirect elsewhere': [({ api }) => api.redirect('https://elsewhere.invalid/'), 0],
  'a refusal with escapes': [({ api }) => api.status(403, { body: ESCAPES }), 1],
  'a status that is none': [
    ({ api }) => api.garbage('HTTP/1.1 999 \u001b[2J\r\nContent-Length: 0\r\n\r\n'),
    1,
  ],
  'a reset': [({ api }) => api.reset(), 1],
  'bytes that are no HTTP': [({ api }) => api.garbage(ESCAPES), 1],
};

describe('B13: the doctor and an API that is hostile', { timeout: 60_000 }, () => {
  it.each(Object.entries(PROBES))('B13: the probe ends after %s', async (_, [script, code]) => {
    const provider = await startSimulator();
    script(provider);
    expect(await consult(provider)).toMatchObject({ code, failed: code === 0 ? [] : ['probe'] });
  });
});

function holder(name: string): KeyHolder {
  return { name, keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

/** A server with a certificate of an unknown authority, with these names. */
async function startTls(
  names: { readonly issuer?: string; readonly subject?: string; readonly use?: ServerNames },
  create: (options: TlsOptions) => Server = (options) => createServer(options),
): Promise<string> {
  const [subject, issuer] = [holder(names.subject ?? 'subject'), holder(names.issuer ?? 'issuer')];
  const [notBefore, notAfter] = [new Date('2020-01-01T00:00:00Z'), new Date('2049-01-01T00:00:00Z')];
  const cert = createCertificate({
    subject,
    issuer,
    notBefore,
    notAfter,
    use: names.use ?? { dns: ['x.example'] },
  });
  const key = subject.keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = create({ cert, key });
  server.on('tlsClientError', () => {}).on('secureConnection', (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A token without claims fits any API. */
function apiAt(origin: string, { token }: ProviderSimulator): NodeJS.ProcessEnv {
  token.members({ access_token: 'opaque' });
  return { PROVIDER_EASY_SANDBOX_BASE_URL: `${origin}/easy/v1` };
}

const CERTIFICATES: Record<string, Parameters<typeof startTls>[0]> = {
  'escapes in all names': {
    issuer: ESCAPES,
    subject: ESCAPES,
    use: { dns: [`${ESCAPES}, DNS:x`, '\u009b'] },
  },
  'thousands of names': { use: { dns: Array.from({ length: 2_000 }, (_, i) => `name-${i}.example`) } },
  'a name of many thousand characters': { issuer: 'x'.repeat(20_000), use: { dns: ['y'.repeat(20_000)] } },
  'no name at all': { issuer: '', subject: '', use: {} },
};

describe('B13: the doctor and certificates that are hostile', () => {
  it.each(Object.entries(CERTIFICATES))('B13: the handshake fails after %s', async (_, names) => {
    const provider = await startSimulator();
    const origin = await startTls(names);
    const env = apiAt(origin, provider);
    const { code, failed } = await consult(provider, { env });
    expect([code, failed]).toEqual([1, ['api-tls']]);
  });

  it('S10: does not show a secret that a certificate repeats', async () => {
    const provider = await startSimulator();
    const { clientSecret } = provider.credentials('easy', 'sandbox');
    const origin = await startTls({ issuer: clientSecret, use: { dns: [clientSecret] } });
    const env = apiAt(origin, provider);
    expect(await consult(provider, { env })).toMatchObject({ code: 1, failed: ['api-tls'] });
  });
});

describe('B29: the doctor, and servers that speak something else', () => {
  it('B29: says that a server speaks HTTP/2 only', async () => {
    const provider = await startSimulator();
    const origin = await startTls({}, (options) => http2.createSecureServer(options));
    const env = apiAt(origin, provider);
    const { code, failed, text } = await consult(provider, { env });
    expect([code, failed]).toEqual([1, ['api-tls']]);
    expect(text).toContain('HTTP/2');
  });
});
