import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { easyOptions, startTlsApp } from '../../support/application/tls-app.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const HTTP_2 = { httpVersion: 2 as const };

/** A request over HTTP/2 with its own context. */
function withContext(ca?: string) {
  const secureContext = createSecureContext({ ...(ca !== undefined && { ca }) });
  return { ...HTTP_2, timeout: 5_000, http2Options: { secureContext } };
}

it('S9: a request over HTTP/2 with its own certificates keeps them', async () => {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca, allowH2: true });
  const [ofPair, ofRequest] = await Promise.all([clients.issue('pair'), clients.issue('request')]);
  const { ca } = provider;
  const { client } = await startTlsApp(easyOptions({ sandbox: [provider, { ca, ...ofPair }] }));
  const request = { httpVersion: 2 as const, http2Options: { ca, ...ofRequest } };
  expect((await client().get('/things', request)).status).toBe(200);
  expect(provider.seen.map(({ client: name }) => name)).toEqual(['pair', 'request']);
});

describe('S9: a request over HTTP/2 that brings a part of its TLS settings gets the other part from tls', () => {
  it('S9: its own client certificate, with the authorities of tls', async () => {
    const clients = await ClientAuthority.create();
    const provider = await MutualTlsProvider.start({ clientCa: clients.ca, allowH2: true });
    const [ofPair, ofRequest] = await Promise.all([clients.issue('pair'), clients.issue('request')]);
    const { client } = await startTlsApp(
      easyOptions({ sandbox: [provider, { ca: provider.ca, ...ofPair }] }),
    );
    const request = { ...HTTP_2, http2Options: ofRequest };
    expect((await client().get('/things', request)).status).toBe(200);
    expect(provider.seen.map(({ client: name }) => name)).toEqual(['pair', 'request']);
  });

  it('S9: its own authorities, with the client certificate of tls', async () => {
    const clients = await ClientAuthority.create();
    const start = () => MutualTlsProvider.start({ clientCa: clients.ca, allowH2: true });
    const [tokens, api] = await Promise.all([start(), start()]);
    const options = easyOptions({ sandbox: [tokens, { ca: tokens.ca, ...(await clients.issue('pair')) }] });
    const { baseUrl } = api.settings('sandbox');
    const { client } = await startTlsApp({
      ...options,
      interfaces: { easy: { sandbox: { ...options.interfaces.easy!.sandbox!, baseUrl } } },
    });
    for (let calls = 0; calls < 2; calls += 1) {
      const request = { ...HTTP_2, http2Options: { ca: api.ca } };
      expect((await client().get('/things', request)).status).toBe(200);
    }
    expect(await errorOf(client().get('/things', HTTP_2))).toMatchObject({ isAxiosError: true });
    expect(api.seen.map(({ client: name }) => name)).toEqual(['pair', 'pair']);
  });

  it('S9: nothing, if it brings a whole context', async () => {
    const provider = await MutualTlsProvider.start({ allowH2: true });
    const { client } = await startTlsApp(easyOptions({ sandbox: [provider, { ca: provider.ca }] }));
    expect(await errorOf(client().get('/things', withContext()))).toMatchObject({ isAxiosError: true });
    expect((await client().get('/things', withContext(provider.ca))).status).toBe(200);
  });
});
