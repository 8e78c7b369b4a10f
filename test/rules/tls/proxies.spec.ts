import { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { easyOptions, startTlsApp, WAYS } from '../../support/application/tls-app.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { runSource } from '../../support/run/run-source.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const TOKEN_AND_API = ['checkout', 'checkout'];

/** A provider that insists on client certificates, and the `tls` that suits it. */
async function mutualTls() {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  return { provider, tls: { ca: provider.ca, ...(await clients.issue('checkout')) } };
}

describe.each(WAYS)('TLS by configuration through a proxy: by %s', (_, way) => {
  it('S9: token and API requests bring the client certificate through the tunnel', async () => {
    const { provider, tls } = await mutualTls();
    const proxy = await ConnectProxy.start();
    const options = easyOptions({ sandbox: [provider, tls] }, { http: { proxy: proxy.setting } });
    const { client } = await startTlsApp(options, way);
    expect((await client().get('/things', way.request)).status).toBe(200);
    expect(provider.seen.map(({ client: name }) => name)).toEqual(TOKEN_AND_API);
    expect(proxy.tunnels).toHaveLength(2);
  });

  it('S9: the authority of a pair does not make a proxy trusted', async () => {
    const { provider, tls } = await mutualTls();
    const { ca, ...ofProxy } = issueServerCertificate('trusted');
    const proxy = await ConnectProxy.start(undefined, ofProxy);
    // Where the settings of the pair were used for the proxy, this would be enough.
    const both = { ...tls, ca: `${tls.ca}${ca}` };
    const trusting = easyOptions({ sandbox: [provider, both] });
    const options = { ...trusting, http: { proxy: proxy.setting } };
    const { client } = await startTlsApp(options, way);
    expect(await errorOf(client().get('/things', way.request))).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    // The token without the proxy, to get as far as the API request. On undici, a call has no proxy of its own.
    const direct = await startTlsApp(trusting, way);
    const request = { ...way.request, proxy: proxy.setting };
    const expected = way.transport ? { code: 'OPTION_NOT_SUPPORTED' } : { isAxiosError: true };
    expect(await errorOf(direct.client().get('/things', request))).toMatchObject(expected);
    expect(proxy.tunnels).toEqual([]);
    expect(provider.seen.map(({ path }) => path)).toEqual(
      way.transport === undefined ? ['/sandbox/auth/v0/connect/token'] : [],
    );
  });
});

describe('B36: a proxy that takes longer for a tunnel than a connection may be idle', () => {
  it('B36: delays the call and does not end it', async () => {
    const provider = await MutualTlsProvider.start();
    const proxy = await ConnectProxy.start();
    const http = { proxy: proxy.setting };
    const { client } = await startTlsApp(easyOptions({ sandbox: [provider, { ca: provider.ca }] }, { http }));
    await client().get('/things');
    proxy.beforeAnswer = () => pause(5_500);
    expect(await client().get('/things')).toMatchObject({ status: 200 });
  });

  it('B36: does not end the process if the connection through the tunnel fails', async () => {
    const provider = await MutualTlsProvider.start();
    const proxy = await ConnectProxy.start();
    proxy.beforeAnswer = () => pause(500);
    const http = { proxy: proxy.setting, httpsAgent: new Agent({ timeout: 100 }) };
    const { client } = await startTlsApp(easyOptions({ sandbox: [provider, {}] }, { http }));
    const error = await errorOf(client().get('/things'));
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toContain('certificate');
    // The test run reports every error that has no listener.
    await pause(1_000);
  });
});

/** The whole way in a process that trusts the authority of the proxy. */
async function runTrusting(
  proxyCa: string,
  options: ProviderAuthOptions,
  by: { isUndici: boolean; request: object },
  env: Record<string, string> = {},
): Promise<unknown> {
  const { ca } = filesOf({ ca: proxyCa });
  const text = `
    import { NestFactory } from '@nestjs/core';
    import { EasyHttpService, ProviderAuthModule } from './lib/index.ts';
    import { undiciTransport } from './lib/undici/index.ts';
    const { options, isUndici, request } = JSON.parse(process.env.TRIAL);
    const http = { ...options.http, ...(isUndici && { transport: undiciTransport() }) };
    const module = ProviderAuthModule.forRoot({ ...options, http });
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    const { axiosRef } = app.get(EasyHttpService);
    for (const path of ['/things', '/moved'])
      console.log((await axiosRef.get(path, { ...request, validateStatus: () => true })).status);
    await app.close();
  `;
  const trial = JSON.stringify({ options, ...by });
  const { code, stdout, stderr } = await runSource(text, { NODE_EXTRA_CA_CERTS: ca, TRIAL: trial, ...env });
  return { code, statuses: stdout.trim().split('\n'), stderr };
}

describe.each([
  ['axios', { isUndici: false, request: {} }],
  ['axios with redirects', { isUndici: false, request: { maxRedirects: 3 } }],
  ['undici', { isUndici: true, request: {} }],
] as const)('TLS by configuration through a proxy that is reached by TLS: by %s', (_, by) => {
  it.each([
    ['options', (proxy: ConnectProxy) => ({ http: { proxy: proxy.setting } }), () => ({})],
    [
      'a variable without a scheme',
      () => ({}),
      ({ port }: ConnectProxy) => ({ HTTPS_PROXY: `127.0.0.1:${port}`, NO_PROXY: '', no_proxy: '' }),
    ],
  ] as const)(
    'S9: the client certificate goes to the provider, and not to the proxy (by %s)',
    async (_of, http, env) => {
      const { provider, tls } = await mutualTls();
      const { ca, ...ofProxy } = issueServerCertificate('trusted');
      const proxy = await ConnectProxy.start(undefined, ofProxy);
      const options = easyOptions({ sandbox: [provider, tls] }, http(proxy));
      const ended = await runTrusting(ca, options, by, { ...env(proxy) });
      const isFollowed = 'maxRedirects' in by.request;
      expect(ended).toMatchObject({ code: 0, statuses: ['200', isFollowed ? '200' : '302'] });
      const ofMoved = isFollowed ? ['checkout', 'checkout'] : ['checkout'];
      expect(provider.seen.map(({ client }) => client)).toEqual([...TOKEN_AND_API, ...ofMoved]);
      expect(proxy.tunnels.length).toBeGreaterThanOrEqual(2);
      expect(proxy.clientCertificates).toBe(0);
    },
  );
});
