import { describe, expect, it } from 'vitest';
import type { TokenSettings } from '../../lib/config/options/profile.js';
import { RedisTokenStore } from '../../lib/redis/index.js';
import { FleetNode } from '../support/fleet/fleet-node.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { storedKeys } from '../support/fleet/stored-keys.js';

const HOUR = 60 * 60 * 1000;
const POLL = { timeout: 10_000, interval: 20 };

const { provider, redis, admin, logs } = await startRedisFleet();

async function node(token: Partial<TokenSettings> = {}): Promise<FleetNode> {
  const store = new RedisTokenStore(await redis.storeClient(), { timeoutMs: 2_000 });
  return new FleetNode({ provider, store, token });
}

/** The only key of this kind, once it is there. */
async function keyOf(kind: 'entry' | 'lease'): Promise<string> {
  const find = (): Promise<string[]> => storedKeys(admin, kind);
  await expect.poll(find, POLL).toHaveLength(1);
  const [key = ''] = await find();
  return key;
}

describe('B10, B11: a writer of Redis without the secret', () => {
  it('F11, F13: puts an old note back, and holds no process back', async () => {
    // Longer than a busy machine needs to read the note: without it, the note ends after 250 ms.
    provider.token.retryAfter(3);
    await expect((await node({ maxAttempts: 1 })).get()).rejects.toThrow('503');
    const key = await keyOf('lease');
    const note = (await admin.get(key)) ?? '';
    expect(note).toMatch(/^note:/);
    const ended = async (): Promise<number> => admin.exists(key);
    await expect.poll(ended, POLL).toBe(0);
    provider.reset();
    const victim = await node();
    await admin.set(key, note, 'PX', 60_000);
    await victim.get();
    expect(provider.tokenRequests).toHaveLength(1);
    // Nor one that has failed itself.
    provider.reset();
    provider.token.status(503);
    const failed = await node({ maxAttempts: 1 });
    await admin.flushall();
    await expect(failed.get()).rejects.toThrow('503');
    provider.reset();
    await admin.set(key, note, 'PX', 60_000);
    // A note that counted would hold this process back for 6 s.
    await expect.poll(() => failed.get().then(String, () => 'failed'), { timeout: 5_000 }).not.toBe('failed');
  });

  it('F19: alternates two recorded entries, and costs one call more', async () => {
    const entries: string[] = [];
    const old = await node();
    for (let round = 0; round < 3; round += 1) {
      await old.renewed();
      const key = await keyOf('entry');
      entries.push((await admin.get(key)) ?? '');
    }
    const key = await keyOf('entry');
    provider.token.revokeAll();
    provider.reset();
    let round = 0;
    const alternate = async (): Promise<void> => {
      await admin.set(key, entries[round % 2] ?? '', 'PX', HOUR);
      round += 1;
    };
    const victim = await node();
    await alternate();
    let token = await victim.get();
    // Each call is a 401, until a token comes that the endpoint has just given.
    let refusals = 0;
    while (provider.tokenRequests.length === 0 && refusals < 10) {
      refusals += 1;
      await alternate();
      token = await victim.tokens.renew(token);
    }
    expect(refusals).toBeLessThanOrEqual(2);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('F7: holds the lease, and no process waits for it (held lease)', async () => {
    await (await node()).get();
    const key = await keyOf('entry');
    await admin.del(key);
    await admin.set(`${key}:lease`, 'lease:stuck', 'PX', 60_000);
    const started = performance.now();
    await (await node()).get();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('F7: puts a recorded lease back, and it counts for 2 s and no longer (held lease)', async () => {
    provider.token.next().delay(1_500);
    const first = (await node()).get();
    const leaseKey = await keyOf('lease');
    const lease = (await admin.get(leaseKey)) ?? '';
    expect(lease).toMatch(/^lease:/);
    await first;
    await admin.flushall();
    const holding = setInterval(() => void admin.set(leaseKey, lease, 'PX', 60_000), 5);
    try {
      const started = performance.now();
      await (await node()).get();
      expect(performance.now() - started).toBeLessThan(10_000);
    } finally {
      clearInterval(holding);
    }
    expect(logs.of('ProviderAuth')).toEqual([]);
  });
});
