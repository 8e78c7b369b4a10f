import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  defineProvider,
  type ProviderHttpService,
  type TokenProvider,
  type TokenStore,
} from '../../../lib/index.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { letTimePass } from '../../support/http/mounted-secret.js';
import { WireServer } from '../../support/http/wire-server.js';
import { bootWith } from '../../support/application/boot.js';

const LOOK_MS = 30_000;

const bank = defineProvider({
  name: 'bank',
  environments: ['live'],
  interfaces: { orders: { clientAuth: 'tls_client_auth' } },
});

type Options = Parameters<typeof bank.Module.forRoot>[0];

const authority = await ClientAuthority.create();
const [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);

/** A token endpoint that binds each token to the certificate of its connection, and an API that demands the same certificate. */
async function givenBank() {
  const server = await WireServer.start({ clientCa: authority.ca });
  onTestFinished(() => server.close());
  const owners = new Map<string, string>();
  const seen: string[] = [];
  server.handler = ({ url = '', headers, socket }, response) => {
    const client = String((socket as TLSSocket).getPeerX509Certificate()?.toLegacyObject().subject.CN);
    if (url === '/token') {
      const token = `token-${owners.size + 1}`;
      owners.set(`Bearer ${token}`, client);
      seen.push(`token of ${client}`);
      response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
      return;
    }
    const status = owners.get(headers.authorization ?? '') === client ? 200 : 401;
    seen.push(`${status} for ${client}`);
    response.writeHead(status).end();
  };
  return { server, seen };
}

/** An application of the bank, and what changes its certificate. */
async function bankApp({ url, ca }: WireServer, options: Partial<Options> = {}) {
  let pair = first;
  const module = bank.Module.forRoot({
    environment: 'live',
    interfaces: {
      orders: {
        live: {
          tokenUrl: `${url}/token`,
          baseUrl: `${url}/api`,
          clientId: 'shop',
          tls: () => ({ ca, ...pair }),
        },
      },
    },
    ...options,
  });
  const { app, logs } = await bootWith([module]);
  const http = app.get<ProviderHttpService>(bank.httpToken('orders'));
  const isChanged = (): boolean => JSON.stringify(logs.lines).includes('have changed. New connections');
  return {
    http,
    tokens: app.get<TokenProvider<string, string>>(bank.tokenProviderToken('orders')),
    /** @param look sends a request, which looks for a change. */
    change: async (look: () => Promise<unknown>): Promise<void> => {
      pair = second;
      letTimePass(LOOK_MS);
      await look();
      await vi.waitUntil(isChanged, 20_000);
    },
  };
}

it('B34: a token that is bound to the certificate ends with it, so no call is refused', async () => {
  const { server, seen } = await givenBank();
  const { http, change } = await bankApp(server, {
    http: { retryUnauthorized: false },
    accounts: () => ({ clientId: 'merchant' }),
  });
  const clients = [http, http.for({ account: 'merchant' })];
  for (const { axiosRef } of clients) await axiosRef.get('/orders');
  await change(() => http.axiosRef.get('/orders'));
  seen.splice(0);
  // A body that can be read only once is not sent again after a 401.
  for (const { axiosRef } of clients) await axiosRef.post('/orders', Readable.from(['an order']));
  await http.axiosRef.get('/orders');
  expect(seen).toEqual([
    'token of second',
    '200 for second',
    'token of second',
    '200 for second',
    '200 for second',
  ]);
});

it('B32: a token is not shared if the certificate changes while it is requested', async () => {
  const { server, seen } = await givenBank();
  const shared = new MemoryTokenStore();
  const leased = new AbortController();
  const released = new AbortController();
  const store: TokenStore = {
    sealKey: () => shared.sealKey(),
    publish: (publication) => shared.publish(publication),
    release: (release) => shared.release(release),
    claim: async (claim) => {
      const answer = await shared.claim(claim);
      if (answer.state !== 'leased' || released.signal.aborted) return answer;
      leased.abort();
      await once(released.signal, 'abort');
      return answer;
    },
  };
  const { http, tokens, change } = await bankApp(server, { store, http: { retryUnauthorized: false } });
  const asked = tokens.getToken();
  await once(leased.signal, 'abort');
  await change(() =>
    http.axiosRef.get('/orders', { headers: { authorization: 'own' }, validateStatus: null }),
  );
  released.abort();
  await asked;
  // Another process, which does not know the new certificate yet.
  const other = await bankApp(server, { store: shared, http: { retryUnauthorized: false } });
  seen.splice(0);
  await other.http.axiosRef.get('/orders');
  expect(seen).toEqual(['token of first', '200 for first']);
  await http.axiosRef.get('/orders');
  // This process requested its token with the second certificate.
  expect(seen.slice(2)).toEqual(['200 for second']);
});
