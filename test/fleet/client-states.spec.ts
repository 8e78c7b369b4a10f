import { createClient, createCluster } from 'redis';
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis-5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NodeRedisClient, RedisTokenStore } from '../../lib/redis/index.js';
import { leasesSince } from '../support/fleet/fleet.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { collectUnhandledRejections, renewUntilStoreWorks } from '../support/fleet/store-trouble.js';
import { errorOf } from '../support/token/token-fixtures.js';

const POLL = { timeout: 20_000, interval: 50 };

const { provider, redis, admin, logs, node, said } = await startRedisFleet();
const unhandled = collectUnhandledRejections();

interface Connectable extends NodeRedisClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
}

function quiet<Client extends Connectable>(client: Client): Client {
  client.on('error', () => {});
  onTestFinished(() => {
    if (client.isOpen) client.destroy();
  });
  return client;
}

const socket = () => ({ port: redis.port, host: '127.0.0.1', reconnectStrategy: 50 });
const VERSIONS = {
  'node-redis 6': (options = {}) => quiet(createClient({ socket: socket(), ...options })),
  'node-redis 5': (options = {}) => quiet(createClient5({ socket: socket(), ...options })),
};

const isShared = async (): Promise<boolean> => (await admin.keys('provider-auth:*')).length > 0;

describe.each(Object.entries(VERSIONS))('a client of %s', (_, create) => {
  it('B22: that the application never connects: calls succeed, and the log says so once', async () => {
    const one = await node({ client: create() });
    await one.get();
    await one.renewed();
    expect(said()).toEqual([expect.stringContaining('(NOT_CONNECTED)')]);
    expect(await isShared()).toBe(false);
  });

  it('B22: that connects while the first token is asked for: the first token is shared', async () => {
    const client = create();
    const connecting = client.connect();
    await (await node({ client })).get();
    await connecting;
    await expect.poll(isShared, POLL).toBe(true);
    expect(said()).toEqual([]);
  });

  it('B22: that is connected later: the store is used from then on', async () => {
    const client = create();
    const one = await node({ client });
    await one.get();
    await client.connect();
    await renewUntilStoreWorks(one, logs);
    await one.renewed();
    await expect.poll(isShared, POLL).toBe(true);
  });

  it('B22: that the application has closed: calls succeed, and the log says so once', async () => {
    const client = create();
    await client.connect();
    const one = await node({ client });
    await one.get();
    await client.close();
    await one.renewed();
    await one.renewed();
    expect(said()).toEqual([expect.stringContaining('(NOT_CONNECTED)')]);
    expect(unhandled).toEqual([]);
  });

  it('B22: that has lost Redis gets nothing to queue: no script runs later than its caller waits', async () => {
    const client = create();
    await client.connect();
    const store = new RedisTokenStore(client, { timeoutMs: 60_000 });
    await store.claim({ name: 'name' });
    await redis.kill();
    await expect.poll(() => client.isReady, POLL).toBe(false);
    const claim = { name: 'name', lease: { owner: 'late', ms: 60_000 } };
    expect(await errorOf(store.claim(claim))).toMatchObject({ message: 'NOT_CONNECTED' });
    await redis.launch();
    await expect.poll(() => client.isReady, POLL).toBe(true);
    expect(await store.claim({ name: 'name' })).toMatchObject({ state: 'free' });
  });
});

it('B10: clients of ioredis that connect when they are first used, and queue nothing, share the first token', async () => {
  const clients = Array.from({ length: 4 }, () =>
    redis.client({ lazyConnect: true, enableOfflineQueue: false }),
  );
  const all = await Promise.all(clients.map((client) => node({ client })));
  const started = performance.now();
  await Promise.all(all.map((one) => one.get()));
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started));
  expect(said()).toEqual([]);
});

describe('a cluster or a sentinel that is not connected', () => {
  it.each([
    ['the cluster of 6', () => createCluster({ rootNodes: [{ socket: socket() }] })],
    ['the cluster of 5, which has no isReady', () => createCluster5({ rootNodes: [{ socket: socket() }] })],
    [
      'the sentinel of 5',
      () => createSentinel5({ name: 'fleet', sentinelRootNodes: [{ host: '127.0.0.1', port: redis.port }] }),
    ],
  ])('B22: %s: calls succeed, and the log says so once', async (_, create) => {
    const one = await node({ client: create() });
    await one.get();
    await one.renewed();
    expect(said()).toEqual([expect.stringContaining('(NOT_CONNECTED)')]);
    expect(unhandled).toEqual([]);
  });
});
