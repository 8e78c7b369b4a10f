import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import { FleetNode, settingsFor } from '../../support/fleet/fleet-node.js';
import { startRedisFleet } from '../../support/fleet/redis-fleet.js';
import { listenOnLoopback } from '../../support/run/free-port.js';
import { collectUnhandledRejections, renewUntilStoreWorks } from '../../support/fleet/store-trouble.js';

const POLL = { timeout: 20_000, interval: 100 };
/** The first pause after a failure of the store, with its jitter. */
const SHORTEST_PAUSE_MS = 800;
/** For a read that must succeed, however slow the machine is. */
const PATIENT_MS = 20_000;
const WARNING = /^warn The token store fails \((.+)\)\. Requests go on: .* Check the /;

const { provider, redis, admin, logs, node, said, entryKeys, storeClient } = await startRedisFleet();
const unhandled = collectUnhandledRejections();

/** Checks for one warning in many renewals, one line when the store works again, and a store in use again. */
async function recovers(one: FleetNode, why: RegExp, fix: () => Promise<unknown>): Promise<boolean> {
  for (let renewals = 0; renewals < 5; renewals += 1) await one.renewed();
  expect(said()).toHaveLength(1);
  expect(WARNING.exec(said()[0] ?? '')?.[1]).toMatch(why);
  await fix();
  await renewUntilStoreWorks(one, logs);
  expect(said()).toHaveLength(2);
  const { fingerprint } = await one.renewed();
  await expect.poll(entryKeys, POLL).toHaveLength(1);
  const before = provider.tokenRequests.length;
  expect((await (await node({ patienceMs: PATIENT_MS })).get()).fingerprint).toBe(fingerprint);
  expect(provider.tokenRequests).toHaveLength(before);
  return unhandled.length === 0;
}

describe('B10: no request fails because Redis', () => {
  it('B35: could not be written: the status says so as long as that lasts, and no longer, although no call is made', async () => {
    const one = await node();
    await one.get();
    await admin.config('SET', 'maxmemory', '1');
    const asked = (): string | undefined => one.tokens.status().store;
    await expect
      .poll(async () => {
        await one.renewed();
        return asked();
      }, POLL)
      .toBe('failing');
    const end = performance.now() + 3 * SHORTEST_PAUSE_MS;
    while (performance.now() < end) {
      expect(asked()).toBe('failing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(said()).toHaveLength(1);
    expect(WARNING.exec(said()[0] ?? '')?.[1]).toBe('OOM');
    await admin.config('SET', 'maxmemory', '0');
    await expect.poll(asked, POLL).toBe('ok');
    expect(said().at(-1)).toContain('STORE_RECOVERED');
  });

  it('B10: is frozen; a caller waits for one deadline, and those after it for none', async () => {
    const client = await storeClient();
    const store = new RedisTokenStore(client, { timeoutMs: 300 });
    const claims = vi.spyOn(store, 'claim');
    const one = new FleetNode(store, settingsFor(provider));
    await one.get();
    redis.freeze();
    try {
      await one.renewed();
      claims.mockClear();
      const started = performance.now();
      for (let renewals = 0; renewals < 3; renewals += 1) await one.renewed();
      // The store is left alone. On a slow machine the first pause ends meanwhile, and one renewal tries the store again.
      const pauses = Math.floor((performance.now() - started) / SHORTEST_PAUSE_MS);
      expect(claims.mock.calls.length).toBeLessThanOrEqual(pauses);
    } finally {
      redis.thaw();
    }
    expect(said()).toHaveLength(1);
    await renewUntilStoreWorks(one, logs);
    expect(said()).toHaveLength(2);
    expect(unhandled).toEqual([]);
  });

  it('B10: answers a process that is too busy to read; that process knows better than to blame Redis', async () => {
    const { fingerprint } = await (await node()).get();
    await expect.poll(entryKeys, POLL).toHaveLength(1);
    const busy = await node({ patienceMs: 1_000 });
    // On a busy machine Redis answers a moment after the process has time to read. So it sleeps longer than the process is busy.
    redis.freeze();
    setTimeout(() => redis.thaw(), 2_050);
    const asked = busy.get();
    await new Promise(setImmediate);
    for (const end = performance.now() + 2_000; performance.now() < end;);
    expect((await asked).fingerprint).toBe(fingerprint);
    expect(said()).toEqual([]);
  });

  it('B10: became a read-only replica; what is there is still read', async () => {
    const first = await node();
    const { fingerprint } = await first.get();
    await expect.poll(entryKeys, POLL).toHaveLength(1);
    const promote = (): Promise<unknown> => admin.call('REPLICAOF', 'NO', 'ONE');
    onTestFinished(async () => void (await promote()));
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    expect((await (await node({ patienceMs: PATIENT_MS })).get()).fingerprint).toBe(fingerprint);
    expect(said()).toEqual([]);
    const one = await node();
    await one.get();
    expect(await recovers(one, /^READONLY$/, promote)).toBe(true);
  });

  it.each([
    '-LOADING Redis is loading the dataset in memory',
    '-BUSY Redis is busy running a script',
    '+OK',
    ':1',
    '$-1',
    '*0',
    '*2\r\n$5\r\nfound\r\n:1',
  ])('B10: answers %j to every script', async (answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        // What a client says to introduce itself is answered well, or it would never become ready.
        for (const command of bytes.toString().match(/\*\d+\r\n\$\d+\r\n\w+/g) ?? [])
          socket.write(command.endsWith('eval') ? `${answer}\r\n` : '+OK\r\n');
      });
    });
    const port = await listenOnLoopback(server);
    const client = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, disableClientInfo: true });
    client.on('error', () => {});
    onTestFinished(() => {
      client.disconnect();
      server.close();
    });
    await expect.poll(() => client.status, POLL).toBe('ready');
    const one = await node({ client, patienceMs: 1_000 });
    await one.get();
    await one.renewed();
    expect(said()).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  it('B10: is not there when the application starts, and comes later', async () => {
    await redis.kill();
    const one = await node({ client: redis.client(), patienceMs: 1_000 });
    await one.get();
    expect(await recovers(one, /NOT_CONNECTED|ECONNREFUSED|no answer/, () => redis.launch())).toBe(true);
  });
});
