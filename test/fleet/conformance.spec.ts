import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenStore } from '../../lib/config/options/token-store.js';
import { RedisTokenStore } from '../../lib/redis/index.js';
import { MemoryTokenStore, tokenStoreChecks } from '../../lib/testing/index.js';
import {
  CLIENT_KINDS,
  clientOfThisRun,
  clientsFor,
  clientsOfThisRun,
  type OpenClient,
  type Topology,
} from '../support/fleet/redis-clients.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { REDIS_SERVICES, type RedisService } from '../support/fleet/redis-services.js';

/** Side by side, because most of their time is waiting. */
function passes(create: () => TokenStore): void {
  for (const { name, run } of tokenStoreChecks(create)) {
    it.concurrent(`B10: ${name}`, async () => {
      await expect(run()).resolves.toBeUndefined();
    });
  }
}

describe('B10: the store in memory', () => {
  passes(() => new MemoryTokenStore());
});

const NAMES = clientsOfThisRun([
  clientOfThisRun(),
  'node-redis 6',
  'ioredis 6, cluster',
  'ioredis 6, sentinel',
]);

describe.each(Object.entries(REDIS_SERVICES))('B10, B22: the store in Redis: %s', (topology, start) => {
  let service: RedisService;

  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.close());

  const names = clientsFor(topology as Topology).filter((name) => NAMES.includes(name));
  describe.each(names)('%s', (name) => {
    let opened: OpenClient;

    beforeAll(async () => {
      opened = await CLIENT_KINDS[name].open(service.ports);
    });
    afterAll(() => opened.close());

    // A trip to Redis may be slow on a busy machine. Redis is healthy then.
    passes(() => new RedisTokenStore(opened.client, { timeoutMs: 10_000 }));
  });
});

describe('B10: the store in a single Redis', () => {
  it('works with a client that has its own key prefix and connects when it is first used', async () => {
    const redis = await RedisServer.start();
    const lazy = redis.client({ keyPrefix: 'app:{x}:', lazyConnect: true });
    for (const { run } of tokenStoreChecks(() => new RedisTokenStore(lazy, { keyPrefix: 'tokens:' })).slice(
      0,
      3,
    ))
      await expect(run()).resolves.toBeUndefined();
    await redis.close();
  });
});
