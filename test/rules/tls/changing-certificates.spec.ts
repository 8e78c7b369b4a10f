import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProviderAuthOptions, TlsOptions } from '../../../lib/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import {
  ALL_WAYS,
  CHANGED,
  givenMounted,
  LOOK_MS,
  running,
} from '../../support/application/changing-certificates.js';
import { startTlsApp } from '../../support/application/tls-app.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { letTimePass } from '../../support/http/mounted-secret.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { WireServer } from '../../support/http/wire-server.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const TOKEN_MS = 3_600_000;

describe.each(ALL_WAYS)('B34: files that change: by %s', (_, way) => {
  it('B34: API and token requests use the new ones, and no request starts on an old connection', async () => {
    const { provider, get, lines, clientsSeen, secret, second } = await givenMounted(way);
    await get();
    expect(clientsSeen()).toEqual(['first', 'first']);
    secret.replace({ ca: provider.ca, ...second });
    letTimePass(LOOK_MS);
    await get();
    await expect.poll(() => lines()).toEqual([CHANGED]);
    // The request that looks does not wait for the files. If they are read before it connects, it has the new ones already.
    expect(clientsSeen()).toHaveLength(1);
    await Promise.all([get(), get(), get()]);
    expect(clientsSeen()).toEqual(['second', 'second', 'second']);
    letTimePass(TOKEN_MS);
    await get();
    expect(clientsSeen()).toEqual(['second', 'second']);
    // axios keeps an idle connection over HTTP/2 for a second.
    await expect.poll(() => provider.openClients).not.toContain('first');
  });

  it('B34: a request under way is not disturbed, and its connection is not used again', async () => {
    const { provider, get, see, clientsSeen, secret, second } = await givenMounted(way);
    await get();
    const underWay = get('/held');
    await expect.poll(() => provider.held).toHaveLength(1);
    secret.replace({ ca: provider.ca, ...second });
    await see();
    clientsSeen();
    await get();
    provider.held[0]?.();
    expect((await underWay).status).toBe(200);
    await get();
    expect(clientsSeen()).toEqual(['second', 'second']);
    await expect.poll(() => provider.openClients).not.toContain('first');
  });

  it('B34: after a TLS failure the files are read at once, and the next request uses the new authority', async () => {
    const { provider, clients, client, get, lines, secret, first } = await givenMounted(way);
    await get();
    await provider.changeAuthority(clients.ca);
    await provider.endConnections();
    secret.replace({ ca: provider.ca, ...first });
    expect(await errorOf(get())).toMatchObject({ isAxiosError: true });
    expect((await get()).status).toBe(200);
    expect(lines()).toContain(CHANGED);
    // The same for the token request.
    await provider.changeAuthority(clients.ca);
    await provider.endConnections();
    secret.replace({ ca: provider.ca, ...first });
    letTimePass(TOKEN_MS);
    provider.seen.splice(0);
    const posted = await client().post('/things', { amount: 1 }, { ...way.request });
    expect(posted.status).toBe(200);
    expect(provider.seen).toHaveLength(2);
  });
});

describe.each(ALL_WAYS.filter(([name]) => name === 'axios' || name === 'undici'))(
  'B34: a server that refuses a certificate with a reset: by %s',
  (_, way) => {
    it('B34: gets an API request once, and the next request uses the new certificate', async () => {
      const { provider, get, lines, clientsSeen, secret, second } = await givenMounted(way);
      await get();
      clientsSeen();
      secret.replace({ ca: provider.ca, ...second });
      provider.refused = 'first';
      letTimePass(1_000);
      expect(await errorOf(get())).toMatchObject({ code: 'ECONNRESET' });
      await expect.poll(() => lines()).toContain(CHANGED);
      expect((await get()).status).toBe(200);
      expect(clientsSeen()).toEqual(['first', 'second']);
    });

    it('B34: gets the next attempt of a token request with the new certificate', async () => {
      // A slow machine may need longer than the first pauses to read the files. So there are some attempts.
      const given = await givenMounted({ ...way, token: { maxAttempts: 5 } });
      const { provider, get, clientsSeen, secret, second } = given;
      secret.replace({ ca: provider.ca, ...second });
      provider.refused = 'first';
      letTimePass(1_000);
      expect((await get()).status).toBe(200);
      const seen = clientsSeen();
      expect(seen.splice(-2)).toEqual(['second', 'second']);
      expect(new Set(seen)).toEqual(new Set(['first']));
    });
  },
);

it('B34: a function gives new certificates, also if its answer takes long', async () => {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const [first, second] = await Promise.all([clients.issue('first'), clients.issue('second')]);
  let answer: Promise<TlsOptions> = Promise.resolve({ ca: provider.ca, ...first });
  const tls = (): Promise<TlsOptions> => answer;
  const options = {
    environment: 'sandbox' as const,
    interfaces: { easy: { sandbox: { ...provider.settings('sandbox'), tls } } },
  };
  const { get, see, clientsSeen } = running(await startTlsApp(options), provider, {});
  let give: ((given: TlsOptions) => void) | undefined;
  answer = new Promise((resolve) => (give = resolve));
  letTimePass(LOOK_MS);
  await Promise.all([get(), get()]);
  await get();
  expect(new Set(clientsSeen())).toEqual(new Set(['first']));
  give?.({ ca: provider.ca, ...second });
  await see();
  clientsSeen();
  await get();
  expect(clientsSeen()).toEqual(['second']);
});

it('B34: requests that wait for one of few connections do not start on an old one', async () => {
  const way = { transport: () => undiciTransport({ connections: 1 }) };
  const { provider, get, lines, clientsSeen, secret, second } = await givenMounted(way);
  await get();
  secret.replace({ ca: provider.ca, ...second });
  const underWay = get('/held');
  await expect.poll(() => provider.held).toHaveLength(1);
  clientsSeen();
  letTimePass(LOOK_MS);
  const waiting = [get(), get(), get()];
  await expect.poll(() => lines()).toEqual([CHANGED]);
  await get();
  provider.held[0]?.();
  for (const one of [underWay, ...waiting]) expect((await one).status).toBe(200);
  expect(clientsSeen()).toEqual(['second', 'second', 'second', 'second']);
});

it.each([
  ['axios', {}],
  ['undici', { transport: () => undiciTransport() }],
])('B34: a request that the server has redirected is not sent again: by %s', async (_, way) => {
  const server = await WireServer.start();
  onTestFinished(() => server.close());
  const other = issueServerCertificate('trusted');
  let { ca } = server;
  server.handler = ({ url = '', method }, response) => {
    if (method === 'POST' && url.endsWith('/orders')) {
      // The next connection meets another authority.
      server.present(other);
      ca = other.ca;
      response.writeHead(303, { location: 'orders/1', connection: 'close' }).end();
    } else response.end(JSON.stringify({ access_token: 'abcdefgh', token_type: 'Bearer', expires_in: 3600 }));
  };
  const sandbox = {
    tokenUrl: `${server.url}/auth/v0/connect/token`,
    baseUrl: `${server.url}/easy`,
    clientId: 'an id',
    clientSecret: 'a secret of a client',
    tls: () => ({ ca }),
  };
  const options: ProviderAuthOptions = { environment: 'sandbox', interfaces: { easy: { sandbox } } };
  const { client } = await startTlsApp(options, way);
  const create = async (): Promise<unknown> => client().post('/orders', { amount: 1 }, { maxRedirects: 3 });
  expect(await errorOf(create())).toMatchObject({ isAxiosError: true });
  expect(server.seen.filter(({ method, url }) => method === 'POST' && url === '/easy/orders')).toHaveLength(
    1,
  );
});
