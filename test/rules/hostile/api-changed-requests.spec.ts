import { createServer } from 'node:http';
import { Agent } from 'node:https';
import type { InternalAxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { startSimulator } from '../../support/application/simulator.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

type Config = Omit<InternalAxiosRequestConfig, 'headers'> & { headers: Record<string, unknown> };
type Change = (config: Config, other: ProviderSimulator, plainUrl: string) => void;

/** Changes that an interceptor makes to a config that it kept. */
const CHANGES: Record<string, Change> = {
  'another host': (config, { origin }) => (config.url = `${origin}/collect`),
  'another base URL': (config, other) => (config.baseURL = other.baseUrl('easy', 'sandbox')),
  'plain http': (config, _, plainUrl) => (config.url = `${plainUrl}/collect`),
  'outside the base URL': (config) => (config.url = '../outside'),
  'a Host header': (config) => (config.headers['Host'] = 'evil.example'),
  'a Host header that is an object': (config) =>
    (config.headers['host'] = { toString: () => 'evil.example' }),
  'a socket': (config) => (config.socketPath = '/tmp/no-such.sock'),
  'an agent that accepts any certificate': (config) =>
    (config.httpsAgent = new Agent({ rejectUnauthorized: false })),
};

/** An application whose interceptor keeps each config, another provider, and a server without TLS. */
async function start() {
  const other = await startSimulator();
  const received: unknown[] = [];
  const plain = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  const plainUrl = `http://127.0.0.1:${await listenOnLoopback(plain)}`;
  onTestFinished(() => void plain.close());
  const app = await given().app().start();
  const configs: Config[] = [];
  app.easy.axiosRef.interceptors.request.use((config) => {
    configs.push(config);
    return config;
  });
  const change = (make: Change): void => {
    for (const config of configs) make(config, other, plainUrl);
  };
  const strayed = (): unknown[] => [...received, ...other.apiRequests];
  return { ...app, change, strayed };
}

const REFUSED = {
  name: 'RequestRefusedError',
  // undici takes no agent at all.
  code: expect.stringMatching(
    TRANSPORT === 'undici'
      ? /^(OUTSIDE_BASE_URL|INSECURE_URL|OPTION_NOT_SUPPORTED)$/
      : /^(OUTSIDE_BASE_URL|INSECURE_URL)$/,
  ),
};

/** The error of a call whose config is changed while the call waits for a token. */
async function errorAfterChange(
  { easy, provider, change }: Awaited<ReturnType<typeof start>>,
  make: Change,
): Promise<unknown> {
  const held = provider.token.next().hold();
  const error = errorOf(lastValueFrom(easy.get('/things')));
  await held.arrived;
  change(make);
  held.release();
  return error;
}

describe.each(Object.entries(CHANGES))('a config that is changed to %s', (_, make) => {
  it('S6 S9: is refused if the change happens while the call waits for a token', async () => {
    const app = await start();
    expect(await errorAfterChange(app, make)).toMatchObject(REFUSED);
    expect([...app.strayed(), ...app.provider.apiRequests]).toEqual([]);
  });

  it('S6 S9: is refused if the change happens while a refused token is renewed', async () => {
    const app = await start();
    await lastValueFrom(app.easy.get('/things'));
    app.provider.api.next().unauthorized();
    expect(await errorAfterChange(app, make)).toMatchObject(REFUSED);
    expect(app.strayed()).toEqual([]);
    expect(app.provider.apiRequests.map(({ status }) => status)).toEqual([200, 401]);
  });
});

it('S7: a config that gets credentials while the call waits for a token is sent with these credentials', async () => {
  const app = await start();
  const error = await errorAfterChange(app, ({ headers }) => (headers['Authorization'] = 'Bearer own'));
  expect(error).toMatchObject({ response: { status: 401 } });
  expect(app.provider.apiRequests.map(({ headers }) => headers.authorization)).toEqual(['Bearer own']);
});

it('S6: a url that changes between two readings never leads outside of the base URL', async () => {
  const { easy, provider } = await start();
  const { request } = easy.axiosRef.interceptors;
  const outcomes = new Set<unknown>();
  for (let good = 1; good < 12; good += 1) {
    let asked = 0;
    const get = (): string => ((asked += 1) > good ? '../outside' : '/things');
    const id = request.use((config) =>
      Object.defineProperty(config, 'url', { get, enumerable: true, configurable: true }),
    );
    const call = lastValueFrom(easy.get('/things')).then(({ status }) => String(status));
    outcomes.add(await call.catch(({ code }: { code: string }) => code));
    request.eject(id);
  }
  expect(outcomes).toEqual(new Set(['200', 'OUTSIDE_BASE_URL']));
  expect(provider.apiRequests.filter(({ path }) => !path.endsWith('/things'))).toEqual([]);
});
