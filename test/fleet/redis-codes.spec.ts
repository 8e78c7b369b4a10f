import { EventEmitter, errorMonitor } from 'node:events';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RedisClient, RedisTokenStore } from '../../lib/redis/index.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { freePort } from '../support/run/free-port.js';
import { collectUnhandledRejections } from '../support/fleet/store-trouble.js';

const { redis, admin, logs, node, said } = await startRedisFleet();
const unhandled = collectUnhandledRejections();

const PASSWORD = 'canary-password';
const LOOPBACK = '127.0.0.1';

interface Place {
  readonly host?: string;
  readonly port?: number;
  readonly login?: { readonly username?: string; readonly password: string };
}

/** A client of the application, with a listener that does nothing, as the page says. */
const CLIENTS: Record<string, (place: Place) => RedisClient> = {
  ioredis({ login, ...place }) {
    const client = new Redis({ host: LOOPBACK, port: redis.port, lazyConnect: true, ...place, ...login });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  },
  'node-redis 6': ({ login, ...place }) =>
    connecting(createClient({ ...login, socket: { host: LOOPBACK, port: redis.port, ...place } })),
  'node-redis 5': ({ login, ...place }) =>
    connecting(createClient5({ ...login, socket: { host: LOOPBACK, port: redis.port, ...place } })),
};

interface Connectable {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
}

function connecting<Client extends Connectable>(client: Client): Client {
  client.on('error', () => {});
  client.connect().catch(() => {});
  onTestFinished(() => void client.destroy());
  return client;
}

/** What the log says after several renewals with this client: one line. Nothing of it is a password or a URL. */
async function lineOf(client: RedisClient): Promise<string> {
  // Longer than a look-up of a host takes. Nothing below waits for it.
  const one = await node({ client, patienceMs: 20_000 });
  await one.get();
  for (let renewals = 0; renewals < 3; renewals += 1) await one.renewed();
  expect(said()).toHaveLength(1);
  expect(said()[0]).not.toMatch(/canary|redis:\/\//);
  expect(unhandled).toEqual([]);
  return said()[0] ?? '';
}

const here = () => `${LOOPBACK}:${redis.port}`;
const about = (code: string, place: string) =>
  expect.stringMatching(
    new RegExp(`^warn The token store fails \\(${code}\\)\\. .* \\(STORE_FAILING, ${place}\\)$`),
  );

describe.each(Object.entries(CLIENTS))('%s: the line about a store that fails', (_, create) => {
  it('B35: names WRONGPASS and the host', async () => {
    await admin.config('SET', 'requirepass', PASSWORD);
    onTestFinished(async () => void (await admin.config('SET', 'requirepass', '')));
    expect(await lineOf(create({ login: { password: 'canary-wrong' } }))).toEqual(about('WRONGPASS', here()));
  });

  it('B35: names NOPERM and the host, for a script and for a command of a script', async () => {
    const login = { username: 'canary-user', password: PASSWORD };
    onTestFinished(async () => void (await admin.call('ACL', 'DELUSER', login.username)));
    await admin.call('ACL', 'SETUSER', login.username, 'on', `>${PASSWORD}`, '~*', '+@all', '-@scripting');
    expect(await lineOf(create({ login }))).toEqual(about('NOPERM', here()));
    logs.lines.length = 0;
    await admin.call('ACL', 'SETUSER', login.username, '+@scripting', '-time');
    expect(await lineOf(create({ login }))).toEqual(about('NOPERM', here()));
  });

  it('B35: names ECONNREFUSED and the host', async () => {
    const port = await freePort();
    expect(await lineOf(create({ port }))).toEqual(about('ECONNREFUSED', `${LOOPBACK}:${port}`));
  });
});

describe('the listener of the store', () => {
  it('B35: does not keep an emitter without a listener from throwing, and is one for all stores', () => {
    const client = createClient({ socket: { host: LOOPBACK, port: redis.port } });
    const stores = Array.from({ length: 12 }, () => new RedisTokenStore(client));
    expect(stores).toHaveLength(12);
    expect(client).toBeInstanceOf(EventEmitter);
    expect([client.listenerCount('error'), client.listenerCount(errorMonitor)]).toEqual([0, 1]);
    expect(() => client.emit('error', new Error('ECONNREFUSED'))).toThrow('ECONNREFUSED');
  });

  it('B35: forgets an error once a script has been sent', async () => {
    await redis.kill();
    const client = redis.client();
    const store = new RedisTokenStore(client);
    await expect.poll(() => client.status, { timeout: 20_000 }).toBe('reconnecting');
    await redis.launch();
    await expect.poll(() => client.status, { timeout: 20_000 }).toBe('ready');
    await store.claim({ name: 'name' });
    client.disconnect();
    await expect.poll(() => client.status, { timeout: 20_000 }).toBe('end');
    await (await node({ client })).get();
    expect(said()).toEqual([expect.stringContaining('(NOT_CONNECTED)')]);
  });
});
