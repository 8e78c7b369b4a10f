import { describe, expect, it } from 'vitest';
import { readEnvironmentVariables } from '../../support/application/built-in.js';
import { easyOptions, startTlsApp, WAYS } from '../../support/application/tls-app.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const start = (clientCa?: string): Promise<MutualTlsProvider> =>
  MutualTlsProvider.start(clientCa === undefined ? {} : { clientCa });

describe.each(WAYS)('TLS by configuration: by %s', (_, way) => {
  it('B29 S9: a file with the authority is all that token and API requests need', async () => {
    const provider = await start();
    const { ca } = filesOf({ ca: provider.ca });
    const options = readEnvironmentVariables({
      PROVIDER_ENVIRONMENT: 'sandbox',
      ...provider.variables('sandbox'),
      PROVIDER_EASY_SANDBOX_CA_FILE: ca,
    });
    const { client } = await startTlsApp(options, way);
    expect((await client().get('/things', way.request)).data).toEqual({ path: '/sandbox/easy/things' });
    expect(provider.seen.map(({ path }) => path)).toEqual([
      '/sandbox/auth/v0/connect/token',
      '/sandbox/easy/things',
    ]);
  });

  it('B29 S9: without the authority nothing is sent', async () => {
    const provider = await start();
    const { client } = await startTlsApp(easyOptions({ sandbox: [provider, undefined] }), way);
    expect(await errorOf(client().get('/things', way.request))).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(provider.seen).toEqual([]);
  });

  it('S9: a client certificate goes to the token endpoint and to the API', async () => {
    const clients = await ClientAuthority.create();
    const provider = await start(clients.ca);
    const { cert, key } = await clients.issue('checkout');
    const tls = { ca: provider.ca, cert: Buffer.from(cert), key: Buffer.from(key) };
    const { client } = await startTlsApp(easyOptions({ sandbox: [provider, tls] }), way);
    expect((await client().get('/things', way.request)).status).toBe(200);
    expect(provider.seen.map(({ client: name }) => name)).toEqual(['checkout', 'checkout']);
  });

  it('S5 S9: two pairs at one server send two client certificates', async () => {
    const clients = await ClientAuthority.create();
    const provider = await start(clients.ca);
    const { ca } = provider;
    const [sandbox, production] = await Promise.all([clients.issue('drill'), clients.issue('live')]);
    const { client } = await startTlsApp(
      easyOptions({
        sandbox: [provider, { ca, ...sandbox }],
        production: [provider, { ca, ...production }],
      }),
      way,
    );
    for (const environment of ['sandbox', 'production', 'sandbox'] as const)
      await client(environment).get('/things', way.request);
    await Promise.all([
      client('sandbox').get('/both', way.request),
      client('production').get('/both', way.request),
    ]);
    const names = provider.seen.map(({ path, client: name }) => `${path.split('/')[1]} ${name}`);
    expect(new Set(names)).toEqual(new Set(['sandbox drill', 'production live']));
    expect(names).toHaveLength(7);
  });

  it('S9: servername is for the API, minVersion and ciphers also for the token endpoint', async () => {
    const provider = await start();
    const { tokenUrl, baseUrl, ...credentials } = provider.settings('sandbox');
    const ciphers = 'TLS_AES_128_GCM_SHA256';
    const tls = { ca: provider.ca, minVersion: 'TLSv1.3', ciphers } as const;
    const call = async (servername: string, tokenHost: string) => {
      const sandbox = {
        ...credentials,
        tokenUrl: tokenUrl.replace('127.0.0.1', tokenHost),
        baseUrl,
        tls: { ...tls, servername },
      };
      const { client } = await startTlsApp(
        { environment: 'sandbox', interfaces: { easy: { sandbox } } },
        way,
      );
      const outcome = await client()
        .get('/things', way.request)
        .then(
          ({ status }) => status,
          ({ code }: { code: string }) => code,
        );
      const handshakes = provider.handshakes.splice(0);
      for (const shaken of handshakes) expect(shaken).toMatchObject({ protocol: 'TLSv1.3', cipher: ciphers });
      return [outcome, ...handshakes.map(({ servername: seen }) => seen)];
    };
    expect(await call('localhost', '127.0.0.1')).toEqual([200, 'localhost', 'localhost']);
    expect(await call('other.example', 'localhost')).toEqual(['ERR_TLS_CERT_ALTNAME_INVALID', 'localhost']);
  });

  it('S5 S9: no pair trusts the authority of another one', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const { client } = await startTlsApp(
      easyOptions({ sandbox: [one, { ca: one.ca }], production: [other, { ca: one.ca }] }),
      way,
    );
    expect((await client('sandbox').get('/things', way.request)).status).toBe(200);
    expect(await errorOf(client('production').get('/things', way.request))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
    });
    expect(other.seen).toEqual([]);
  });

  it('S9: an API whose authority is not that of the pair gets no request', async () => {
    const [tokens, api] = await Promise.all([start(), start()]);
    const sandbox = { ...tokens.settings('sandbox'), baseUrl: api.settings('sandbox').baseUrl };
    const options = {
      environment: 'sandbox' as const,
      interfaces: { easy: { sandbox: { ...sandbox, tls: { ca: tokens.ca } } } },
    };
    const { client } = await startTlsApp(options, way);
    const error = await errorOf(client().get('/things', { ...way.request, timeout: 3_000 }));
    expect(error).toMatchObject({ isAxiosError: true });
    expect(tokens.seen).toHaveLength(1);
    expect(api.seen).toEqual([]);
  });
});

it("S9: a request with adapter: 'fetch' is refused for a pair with tls, because it would use the connections of the process", async () => {
  const provider = await MutualTlsProvider.start();
  const { client } = await startTlsApp(easyOptions({ sandbox: [provider, { ca: provider.ca }] }));
  const error = await errorOf(client().get('/things', { adapter: 'fetch' }));
  expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'OPTION_NOT_SUPPORTED' });
  expect((error as Error).message).toContain('without the `tls` of this environment');
  expect(provider.seen).toEqual([]);
});

it('S9: a file may hold several authorities, or a certificate and its key', async () => {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const { cert, key } = await clients.issue('checkout');
  // Both in one file, as some authorities hand them out.
  const { both, ca } = filesOf({ both: key + '\n' + cert, ca: `# ours\n${clients.ca}\n${provider.ca}` });
  const options = readEnvironmentVariables({
    PROVIDER_ENVIRONMENT: 'sandbox',
    ...provider.variables('sandbox'),
    PROVIDER_EASY_SANDBOX_CA_FILE: ca,
    PROVIDER_EASY_SANDBOX_CERT_FILE: both,
    PROVIDER_EASY_SANDBOX_KEY_FILE: both,
  });
  const { client } = await startTlsApp(options);
  expect((await client().get('/things')).status).toBe(200);
});
