import { afterAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../lib/secrets/access-token.js';
import { LEASE_MS } from '../../lib/token/pauses.js';
import { Fleet, leasesSince } from '../support/fleet/fleet.js';
import type { ReportedToken } from '../support/fleet/fleet-worker.js';
import { HOUR } from '../support/token/token-fixtures.js';

/** `nightly/fleet/large-fleet.spec.ts` starts 64 at once. */
const SIZE = 8;
const CLOCKS = [0, HOUR, -HOUR];

const fleet = await Fleet.start(
  { size: SIZE, settings: (index) => ({ clockOffsetMs: CLOCKS[index % CLOCKS.length] }) },
  { lifetimeSeconds: 3600, latencyMs: 100 },
  afterAll,
);
const { provider, monitor } = fleet;

/** All processes need a token. They ask for one, unless the machine is so slow that the first lease ends before. */
async function getsOneToken(command: 'get' | 'renew'): Promise<readonly ReportedToken[]> {
  const before = provider.tokenRequests.length;
  const started = performance.now();
  const tokens = await fleet.all('get', command);
  const most = leasesSince(started);
  const asked = provider.tokenRequests.length - before;
  expect(asked).toBeGreaterThanOrEqual(1);
  expect(asked).toBeLessThanOrEqual(most);
  expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(asked);
  return tokens;
}

describe(`B10: a fleet of ${SIZE} processes, each with its own clock`, () => {
  it('B10: asks for one token when all start at once', async () => {
    const tokens = await getsOneToken('get');
    for (const { remainingMs } of tokens) {
      expect(remainingMs).toBeLessThanOrEqual(HOUR);
      expect(remainingMs).toBeGreaterThan(HOUR - 60_000);
    }
  });

  it('B10: the records show which process fetched and which processes read', async () => {
    const records = await fleet.all('record');
    const results = records.map(({ cache }) => Object.keys(cache).join());
    const fetched = results.filter((result) => result === 'miss').length;
    expect(fetched).toBeGreaterThanOrEqual(1);
    expect(fetched).toBeLessThanOrEqual(provider.tokenRequests.length);
    expect(results.filter((result) => result === 'store')).toHaveLength(SIZE - fetched);
  });

  it('B10: asks for one token after the API has refused the same token to all', async () => {
    const [revoked = ''] = provider.tokenRequests.flatMap(({ token = [] }) => token);
    provider.token.revokeAll();
    const tokens = await getsOneToken('renew');
    expect(tokens.map(({ fingerprint }) => fingerprint)).not.toContain(fingerprintOf(revoked));
  });

  it('B10: asks for none when a process that missed all that has its own 401 later', async () => {
    const [first, second, ...others] = fleet.members;
    provider.token.revokeAll();
    await Promise.all([first, second].map(async (member) => member?.ask('get', 'renew')));
    const asked = provider.tokenRequests.length;
    const late = await Promise.all(others.map((member) => member.ask('get', 'renew')));
    expect(provider.tokenRequests).toHaveLength(asked);
    expect(new Set(late.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  it('B10: asks for one token a lifetime under load, uses none past its life and throws none away early', async () => {
    const lifetime = 4;
    provider.token.lifetime(lifetime);
    await fleet.all('get', 'renew');
    const before = provider.tokenRequests.length;
    const records = await fleet.all('callAllTheTime', { forMs: 3 * lifetime * 1000, everyMs: 10 });
    expect(records.flatMap(({ errors }) => errors)).toEqual([]);
    const uses = records.flatMap((record) => record.uses);
    // Three lifetimes. On a slow machine, each renewal takes a part of this time.
    expect(provider.tokenRequests.length - before).toBeGreaterThanOrEqual(2);
    const issued = provider.tokenRequests.slice(before - 1);
    for (const [index, record] of issued.entries()) {
      const born = record.at.getTime();
      const used = uses.filter(({ fingerprint }) => fingerprint === fingerprintOf(record.token ?? ''));
      expect(Math.max(...used.map(({ lastCall }) => lastCall)) - born).toBeLessThan(lifetime * 1000 + 250);
      const ended = issued[index + 1]?.at.getTime() ?? Infinity;
      // If no process has had the token for long when the next request comes, the renewal has taken longer than a lease: a slow
      // machine. There the first of the two requests may have come late, too.
      const isSlow = used.length > 0 && used.every(({ firstGot }) => firstGot >= ended - 250);
      expect(ended - born).toBeGreaterThan(isSlow ? LEASE_MS / 2 : (lifetime - 1.5) * 1000);
    }
  });

  it('B10: meets no trouble with the store in all that', async () => {
    expect(await fleet.logs()).toEqual([]);
  });

  it('B11: a person who watches Redis sees no token, no secret and no client id', () => {
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    const tokens = provider.tokenRequests.flatMap(({ token = [] }) => token);
    expect(tokens.length).toBeGreaterThan(3);
    expect(monitor.trips.length).toBeGreaterThan(SIZE);
    const shown = monitor.text.toLowerCase();
    for (const canary of [clientId, clientSecret, ...tokens]) {
      const bytes = Buffer.from(canary);
      const forms = [
        canary,
        encodeURIComponent(canary),
        new URLSearchParams({ canary }).toString().slice('canary='.length),
        bytes.toString('base64'),
        bytes.toString('base64url'),
        bytes.toString('hex'),
        JSON.stringify(canary).slice(1, -1),
        ...(canary.includes('.') ? canary.split('.').filter((part) => part.length > 20) : []),
      ];
      for (const form of forms) expect(shown.includes(form.toLowerCase())).toBe(false);
    }
  });

  // The last test, because the fleet has one process less afterwards.
  it('B10: asks once more if the process that asks is killed, and no other process waits long', async () => {
    const [doomed, ...others] = fleet.members;
    provider.reset();
    await fleet.all('get');
    provider.reset();
    provider.token.revokeAll();
    provider.token.next().hang();
    const started = performance.now();
    const asking = doomed?.ask('get', 'renew').catch((error: unknown) => error);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    const waiting = Promise.all(others.map((member) => member.ask('get', 'renew')));
    await doomed?.kill();
    await asking;
    const tokens = await waiting;
    // The first request gets no answer, the token comes from the second one, and further leases need a slow machine.
    const { length } = provider.tokenRequests;
    expect(length).toBeGreaterThanOrEqual(2);
    expect(length).toBeLessThanOrEqual(leasesSince(started));
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThan(length);
    for (const { tookMs } of tokens) expect(tookMs).toBeLessThan(20_000);
  });
});
