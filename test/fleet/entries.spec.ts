import { describe, expect, it } from 'vitest';
import { settingsFor } from '../support/fleet/fleet-node.js';
import { RedisMonitor } from '../support/fleet/redis-monitor.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { HOUR } from '../support/token/token-fixtures.js';

const POLL = { timeout: 10_000, interval: 20 };

const { provider, redis, admin, logs, node, entryKeys } = await startRedisFleet();

/** Shares a token. Returns the key and the value of its entry. */
async function shared(): Promise<{ key: string; value: string; fingerprint: string }> {
  const { fingerprint } = await (await node()).get();
  await expect.poll(entryKeys, POLL).toHaveLength(1);
  const [key = ''] = await entryKeys();
  return { key, value: (await admin.get(key)) ?? '', fingerprint };
}

function flipped(value: string, at: number): string {
  const bytes = Buffer.from(value, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

/** A thousand callers at once. */
function crowd(call: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: 1_000 }, call));
}

describe('B11: an entry that this library did not seal is ignored and replaced', () => {
  const forged: Record<string, (value: string) => string | Buffer> = {
    'bytes that are not UTF-8 behind a good entry': (value) =>
      Buffer.concat([Buffer.from(value), Buffer.of(0xff)]),
    nothing: () => '',
    'binary garbage': () => '\u0000\u00ff\u0080{}"\r\n',
    'plain JSON': () => JSON.stringify({ token: 'canary', lifetimeMs: HOUR }),
    'cut off': (value) => value.slice(0, -7),
    'with something behind it': (value) => `${value}A`,
    'with a bit of its tag flipped': (value) => flipped(value, Buffer.from(value, 'base64url').length - 1),
    'padded as other base64 is': (value) => `${value}==`,
    'as large as can be': () => 'A'.repeat(8 * 1024 * 1024),
  };

  it.each(Object.entries(forged))('B11: %s', async (_, forge) => {
    const { key, value, fingerprint } = await shared();
    await admin.set(key, forge(value), 'PX', HOUR);
    const { fingerprint: another } = await (await node()).get();
    expect(another).not.toBe(fingerprint);
    expect(provider.tokenRequests).toHaveLength(2);
    await expect.poll(() => admin.get(key), POLL).toMatch(/^[\w-]{100,2000}$/);
    expect((await (await node()).get()).fingerprint).toBe(another);
    expect(provider.tokenRequests).toHaveLength(2);
    expect(logs.lines).toEqual([]);
  });

  it('B11: put back after its end, with a later one', async () => {
    provider.token.lifetime(2);
    const { key, value, fingerprint } = await shared();
    const born = provider.tokenRequests[0]?.at.getTime() ?? 0;
    await expect.poll(() => Date.now(), POLL).toBeGreaterThan(born + 2_100);
    await admin.set(key, value, 'PX', HOUR);
    expect((await (await node()).get()).fingerprint).not.toBe(fingerprint);
    await expect.poll(() => admin.get(key), POLL).not.toBe(value);
  });

  it.each([
    ['entry', 'a list'],
    ['lease', 'a list'],
    ['lease', 'the text of another writer'],
    ['lease', 'a lease without an end'],
    ['lease', 'lease:'],
    ['lease', 'note:'],
  ] as const)('B10: where the %s should be lies %s', async (place, what) => {
    const { key } = await shared();
    const target = place === 'entry' ? key : `${key}:lease`;
    await admin.del(key);
    if (what === 'a list') await admin.rpush(target, 'canary');
    // Bytes that are not UTF-8.
    else if (what.endsWith(':'))
      await admin.set(target, Buffer.from([...Buffer.from(what), 0xff]), 'PX', 30_000);
    else await admin.set(target, what === 'a lease without an end' ? 'lease:stranger' : 'canary');
    await (await node()).get();
    expect(provider.tokenRequests).toHaveLength(2);
    await expect.poll(entryKeys, POLL).toEqual([key]);
    expect(await admin.type(key)).toBe('string');
    await expect.poll(() => admin.exists(`${key}:lease`), POLL).toBe(0);
    expect(logs.lines).toEqual([]);
  });

  it('B11: moved from another profile', async () => {
    const { value } = await shared();
    const other = settingsFor(provider, { interface: 'originations', environment: 'sandbox' });
    await (await node(other)).get();
    await expect.poll(entryKeys, POLL).toHaveLength(2);
    for (const key of await entryKeys()) await admin.set(key, value, 'PX', HOUR);
    const { fingerprint } = await (await node(other)).get();
    expect(provider.tokenRequests.map((request) => request.interface)).toEqual([
      'easy',
      'originations',
      'originations',
    ]);
    expect(fingerprint).not.toBe((await (await node()).get()).fingerprint);
  });

  it('S5: profiles of one provider share nothing', async () => {
    const pairs = (['originations', 'easy'] as const).flatMap((name) =>
      (['sandbox', 'production'] as const).map((environment) => ({ interface: name, environment })),
    );
    const tokens = await Promise.all(
      pairs.map(async (pair) => (await node(settingsFor(provider, pair))).get()),
    );
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBe(4);
    await expect.poll(entryKeys, POLL).toHaveLength(4);
  });
});

describe('B10: the clock of Redis counts', () => {
  it.each([0, HOUR, -HOUR])('B10: for a reader whose clock is %d ms off', async (clockOffsetMs) => {
    provider.token.lifetime(4);
    const first = await node();
    const began = Date.now();
    await first.get();
    const writer = provider.tokenRequests.at(-1)?.at.getTime() ?? 0;
    await expect.poll(entryKeys, POLL).toHaveLength(1);
    const one = await node({ clockOffsetMs });
    const token = await one.get();
    const tookMs = Date.now() - began;
    const expires = token.expiresAt.getTime() - clockOffsetMs;
    expect(expires).toBeLessThanOrEqual(writer + 4_000 + 1);
    // The trips to the token endpoint and to Redis count as a part of the lifetime.
    expect(expires).toBeGreaterThanOrEqual(began + 4_000 - tookMs - 1);
    expect(provider.tokenRequests).toHaveLength(1);
    await expect.poll(() => Date.now(), POLL).toBeGreaterThan(expires);
    expect((await one.get()).fingerprint).not.toBe(token.fingerprint);
    expect(provider.tokenRequests).toHaveLength(2);
  });
});

describe('B10: trips to Redis', () => {
  it('B10: one for 1,000 callers who renew, none for 1,000 who find a token in memory', async () => {
    const [fetcher, reader] = [await node(), await node()];
    const monitor = await RedisMonitor.start(redis);
    try {
      const trips = (): number => monitor.trips.length;
      await crowd(() => fetcher.get());
      // The claim, then the token for the others. No caller waits for the last one.
      await expect.poll(trips, POLL).toBe(2);
      await crowd(() => fetcher.get());
      await crowd(() => reader.get());
      await crowd(() => reader.get());
      await expect.poll(trips, POLL).toBe(3);
      const refused = await reader.get();
      reader.tokens.reportSuccess(refused);
      await crowd(() => reader.tokens.renew(refused));
      await expect.poll(trips, POLL).toBe(5);
      await crowd(() => fetcher.tokens.renew(refused));
      await expect.poll(trips, POLL).toBe(6);
      expect(provider.tokenRequests).toHaveLength(2);
    } finally {
      monitor.close();
    }
  });
});
