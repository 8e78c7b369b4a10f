import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../lib/token/pauses.js';
import type { ReportedToken } from '../support/fleet/fleet-worker.js';
import { leasesSince } from '../support/fleet/leases.js';
import { startWatchedFleet, type WatchedFleet } from '../support/fleet/watched-fleet.js';

const SIZE = 16;
const HOUR = 60 * 60 * 1000;

function fingerprintOf(token = ''): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

describe(`B10: a fleet of ${SIZE} processes, each with its own clock`, () => {
  let watched: WatchedFleet;
  let provider: WatchedFleet['provider'];
  let monitor: WatchedFleet['monitor'];
  let fleet: WatchedFleet['fleet'];

  beforeAll(async () => {
    const clocks = [0, HOUR, -HOUR];
    watched = await startWatchedFleet(() => ({
      size: SIZE,
      clockOffsetMs: (index) => clocks[index % clocks.length] ?? 0,
    }));
    ({ provider, monitor, fleet } = watched);
  }, 120_000);

  afterAll(() => watched.close());

  /** All processes need a token. They ask for one, unless the machine is so slow that the first lease ends before. */
  async function getsOneToken(command: 'get' | 'renew'): Promise<readonly ReportedToken[]> {
    const before = provider.tokenRequests.length;
    const started = performance.now();
    const tokens = await fleet.all(command);
    const most = leasesSince(started);
    const asked = provider.tokenRequests.length - before;
    expect(asked).toBeGreaterThanOrEqual(1);
    expect(asked).toBeLessThanOrEqual(most);
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBeLessThanOrEqual(asked);
    return tokens;
  }

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
    await Promise.all([first?.ask('renew'), second?.ask('renew')]);
    const asked = provider.tokenRequests.length;
    const late = await Promise.all(others.map((member) => member.ask('renew')));
    expect(provider.tokenRequests).toHaveLength(asked);
    expect(new Set(late.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  it('B10: asks for one token a lifetime under load, uses none past its life and throws none away early', async () => {
    const lifetime = 5;
    provider.token.lifetime(lifetime);
    await fleet.all('renew');
    const before = provider.tokenRequests.length;
    const uses = (await fleet.all('load', { forMs: 3.5 * lifetime * 1000, callers: 2 })).flat();
    // Three lifetimes and a half. On a slow machine, each renewal takes a part of this time.
    expect(provider.tokenRequests.length - before).toBeGreaterThanOrEqual(2);
    const issued = provider.tokenRequests.slice(before - 1);
    for (const [index, record] of issued.entries()) {
      const born = record.at.getTime();
      const used = uses.filter(({ fingerprint }) => fingerprint === fingerprintOf(record.token));
      expect(Math.max(...used.map(({ lastCall }) => lastCall)) - born).toBeLessThan(lifetime * 1000 + 250);
      const ended = issued[index + 1]?.at.getTime() ?? Infinity;
      // If no process has the token when the next request comes, the renewal has taken longer than a lease: a slow machine. There the
      // first of the two requests may have come late, too.
      const isSlow = used.every(({ firstGot }) => firstGot >= ended);
      expect(ended - born).toBeGreaterThan(isSlow ? LEASE_MS / 2 : (lifetime - 1.5) * 1000);
    }
  });

  it('B10: meets no trouble with the store in all that', async () => {
    const records = await fleet.all('record');
    expect(records.flatMap(({ logs }) => logs)).toEqual([]);
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
});
