import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TokenStore } from '../../lib/config/options/token-store.js';
import { RedisTokenStore } from '../../lib/redis/index.js';
import { MemoryTokenStore, tokenStoreChecks } from '../../lib/testing/index.js';
import { freePort, isReady, RedisServer } from '../support/fleet/redis-server.js';

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

describe('B10: the store in a single Redis', () => {
  let redis: RedisServer;
  let client: Redis;

  beforeAll(async () => {
    redis = await RedisServer.start();
    client = await redis.connected();
  });
  afterAll(() => redis.close());

  passes(() => new RedisTokenStore(client));

  it('works with a client that has its own key prefix and connects when it is first used', async () => {
    const lazy = redis.client({ keyPrefix: 'app:{x}:', lazyConnect: true });
    for (const { run } of tokenStoreChecks(() => new RedisTokenStore(lazy, { keyPrefix: 'tokens:' })).slice(
      0,
      3,
    ))
      await expect(run()).resolves.toBeUndefined();
  });
});

describe('B10: the store in a cluster', () => {
  let redis: RedisServer;
  let cluster: Cluster;

  beforeAll(async () => {
    const bus = String(await freePort());
    const announced = ['--cluster-announce-ip', '127.0.0.1'];
    redis = await RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', bus, ...announced);
    const node = await redis.connected();
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await soon();
    cluster = new Cluster([{ host: '127.0.0.1', port: redis.port }]);
    cluster.on('error', () => {});
    await isReady(cluster);
  });
  afterAll(async () => {
    cluster.disconnect();
    await redis.close();
  });

  passes(() => new RedisTokenStore(cluster));
});

describe('B10: the store behind Sentinel', () => {
  it('follows the master to which Sentinel points', async () => {
    const master = await RedisServer.start();
    onTestFinished(() => master.close());
    const port = await freePort();
    const file = join(master.folder, 'sentinel.conf');
    await writeFile(
      file,
      `port ${port}\nbind 127.0.0.1\nsentinel monitor fleet 127.0.0.1 ${master.port} 1\n`,
    );
    const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    onTestFinished(async () => {
      const ended = once(sentinel, 'exit');
      sentinel.kill('SIGKILL');
      await ended;
    });
    const sentinels = [{ host: '127.0.0.1', port }];
    const client = new Redis({ sentinels, name: 'fleet', sentinelRetryStrategy: () => 50 });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    await isReady(client);
    for (const { run } of tokenStoreChecks(() => new RedisTokenStore(client)).slice(0, 8))
      await expect(run()).resolves.toBeUndefined();
  });
});

function soon(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
}
