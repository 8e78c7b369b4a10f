import { describe, expect, it, vi } from 'vitest';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { pause } from '../../../../lib/time/clock.js';
import { LEASE_MS } from '../../../../lib/token/pauses.js';
import type { TokenNeed } from '../../../../lib/token/token-need.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import {
  ENTRY,
  entryIn,
  POLL_MS,
  putEntry,
  putNote,
  recordedNotes,
} from '../../../support/fleet/fleet-store.js';
import { FakeClock, settled } from '../../../support/token/fake-clock.js';
import {
  CANARY,
  failureOf,
  HOUR,
  MINUTE,
  SteeredSecret,
  tokenOf,
  tokensOf,
} from '../../../support/token/token-fixtures.js';

const EXPIRED: TokenNeed = { reason: 'expired' };
const AHEAD: TokenNeed = { reason: 'ahead' };

describe('B10: one token for a fleet', () => {
  it('S11: the life of a token from the store counts from the moment before the store was asked', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one');
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (request) => {
      clock.setMonotonicBy(100);
      return claim(request);
    });
    expect((await process().reads()).remainingMs(clock)).toBe(HOUR - 100);
  });

  it('S11: a store that hangs for a while makes no token live longer', async () => {
    const { process, clock, store } = givenFleet();
    const publish = store.publish.bind(store);
    vi.spyOn(store, 'publish').mockImplementation(async (publication) => {
      clock.after(30_000, () => void publish(publication));
    });
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(30_000);
    expect((await process().reads()).remainingMs(clock)).toBe(30_000);
  });

  it('B11: an entry with a changed end lives no longer than its writer sealed', async () => {
    const { process, clock, store } = givenFleet({ storeAheadMs: HOUR });
    await process().fetches('one', { lifetimeMs: 10 * MINUTE });
    await clock.advance(9 * MINUTE);
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (request) => {
      const answer = await claim(request);
      return answer.state === 'found' ? { ...answer, expiresAt: answer.now + HOUR } : answer;
    });
    expect((await process().reads()).remainingMs(clock)).toBe(MINUTE);
  });

  it('counts an entry within the leeway as expired', async () => {
    const { process, clock } = givenFleet();
    await process().fetches('one', { lifetimeMs: HOUR });
    await clock.advance(HOUR - 30_000);
    await process({ expiryLeewayMs: 30_000 }).fetches('two');
    expect((await process({ expiryLeewayMs: 30_000 }).reads()).reveal()).toBe('two');
  });

  it('renews ahead: others use the old token meanwhile, and all processes that renew ahead share the new token', async () => {
    const { process, clock } = givenFleet();
    const [one, other] = [process(), process()];
    await one.fetches('one');
    await other.reads();
    await clock.advance(HOUR - MINUTE);
    const [renewing, waiting] = [one.asks(AHEAD), other.asks(AHEAD)];
    await settled();
    expect((await process().reads()).reveal()).toBe('one');
    one.endpoint.last.give(tokenOf(clock, 'two'));
    await clock.advance(POLL_MS);
    expect([renewing.result?.reveal(), waiting.result?.reveal()]).toEqual(['two', 'two']);
    expect(one.requests + other.requests).toBe(2);
  });

  it('a renewal ahead takes no token that ends earlier', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one', { lifetimeMs: 5 * MINUTE });
    const other = process();
    vi.spyOn(store, 'claim').mockRejectedValueOnce(new Error('down'));
    await other.fetches('own', { lifetimeMs: HOUR });
    await clock.advance(2_000); // the store is left alone no longer
    const ahead = other.asks(AHEAD);
    await settled();
    expect(ahead.state).toBe('waiting');
    expect(other.requests).toBe(2);
  });

  it.each<[string, TokenNeed]>([
    ['an expired token', EXPIRED],
    ['a refused token, in the background', { reason: 'ahead', refused: tokenOf(new FakeClock(), 'own') }],
  ])('B10: a renewal of %s takes a token that ends earlier', async (_, need) => {
    const { process, clock, claims } = givenFleet();
    await process().fetches('one', { lifetimeMs: 5 * MINUTE });
    const other = process();
    claims.mockRejectedValueOnce(new Error('down'));
    await other.fetches('own', { lifetimeMs: HOUR });
    await clock.advance(2_000); // the store is left alone no longer
    expect((await other.reads(need)).reveal()).toBe('one');
  });

  it('B10: a claim names the entry that the process has, if it is of the same secret', async () => {
    const { process, store, claims } = givenFleet();
    const one = process();
    await one.fetches('one');
    const value = await entryIn(store);
    claims.mockClear();
    await one.fetches('two', { need: EXPIRED });
    one.secret.gives('rotated');
    await one.fetches('three', { need: EXPIRED });
    expect(claims.mock.calls.map(([{ unwanted }]) => unwanted)).toEqual([{ value }, undefined]);
  });

  it('B10: a process that has the lease looks for the token of another one only after its end', async () => {
    const { process, clock, claims } = givenFleet();
    process().asks();
    await settled();
    claims.mockClear();
    await clock.advance(LEASE_MS);
    expect(claims).not.toHaveBeenCalled();
    await clock.advance(POLL_MS);
    expect(claims).toHaveBeenCalled();
  });

  it('B10: a process that was made again does not take the refused token from the store', async () => {
    const { process, clock } = givenFleet();
    await process().fetches('one');
    const need: TokenNeed = { reason: 'unauthorized', refused: tokenOf(clock, 'one') };
    expect((await process().fetches('two', { need })).reveal()).toBe('two');
  });

  it('B10: a token endpoint that returns the refused token again has no token for the others', async () => {
    const { process, clock, store } = givenFleet();
    const publish = vi.spyOn(store, 'publish');
    await process().fetches('one', { need: { reason: 'unauthorized', refused: tokenOf(clock, 'one') } });
    expect(publish).not.toHaveBeenCalled();
    await process().fetches('two');
  });
  it('B10: a process does not wait for a note that this library did not seal', async () => {
    const { process, claims } = givenFleet();
    claims.mockResolvedValue({ state: 'held', now: 1, expiresAt: 60_000, note: 'garbage' });
    const one = process();
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
  });
});

describe('B10: bounds', () => {
  it('B9: an abort ends the waiting', async () => {
    const { process, store } = givenFleet();
    await store.claim({ name: ENTRY.name, lease: { owner: 'another', ms: LEASE_MS } });
    const closing = new AbortController();
    const one = process();
    const asked = one.asks({ reason: 'ahead', signal: closing.signal });
    await settled();
    closing.abort();
    await settled();
    expect([asked.state, one.requests]).toEqual(['failed', 0]);
  });

  it('B10: a lease that is granted after the claim has timed out is given back', async () => {
    const { process, clock, store, claims } = givenFleet();
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    claims.mockImplementation(async (request) => {
      await pause(clock, 300);
      return claim(request);
    });
    process().asks();
    await clock.advance(310);
    expect(await claim({ name: ENTRY.name })).toMatchObject({ state: 'free' });
  });

  it('B11: entries that this library did not seal are replaced, and after three of them the process asks alone', async () => {
    const { process, store, claims } = givenFleet();
    await store.publish({
      name: ENTRY.name,
      owner: 'x',
      value: 'garbage',
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
    claims.mockImplementation(async () => ({ state: 'found', now: 1, value: 'garbage', expiresAt: 2 }));
    claims.mockClear();
    await process().fetches('own');
    expect(claims.mock.calls.map(([{ unwanted }]) => unwanted?.value)).toEqual([
      undefined,
      'garbage',
      'garbage',
    ]);
  });
});

it.each<[string, (closing: AbortController, now: number) => Error]>([
  ['fails because of a fault of this library', () => new TypeError('a fault')],
  [
    'B9: was ended',
    (closing, now) => {
      closing.abort();
      return failureOf().copy(new Date(now + 250));
    },
  ],
])('B10: a renewal that %s leaves no note, and its lease ends', async (_, fail) => {
  const { process, store, clock } = givenFleet();
  const release = vi.spyOn(store, 'release');
  const closing = new AbortController();
  const one = process();
  const asked = one.asks({ reason: 'ahead', signal: closing.signal });
  await settled();
  const error = fail(closing, clock.wall());
  one.endpoint.last.fail(error);
  await settled();
  expect(asked.error).toMatchObject({ name: error.name, message: error.message });
  expect(release.mock.calls).toEqual([[{ name: ENTRY.name, owner: expect.any(String) }]]);
  expect((await one.fetches('one')).reveal()).toBe('one');
});

describe('failures in a fleet', () => {
  it('B6: callers in a cool-down get the failure, whatever a look at the store brings', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    const error = await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    const meetings = [
      () => claims.mockRejectedValueOnce(new Error('down')),
      () => claims.mockResolvedValueOnce({ state: 'free', now: 1 }),
      () => claims.mockResolvedValueOnce({ state: 'found', now: 1, value: 'garbage', expiresAt: 2 }),
      () => one.secret.rejects(new Error('no vault')),
    ];
    for (const meet of meetings) {
      await clock.advance(5_000);
      meet();
      const asked = one.asks();
      await settled();
      expect(asked.error).toBe(error);
    }
    expect(one.requests).toBe(1);
  });

  it('B10: in its cool-down a process uses a token that another obtains, within a second', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const trouble = failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true });
    await one.fails(trouble, 30_000);
    await process().fetches('one');
    await clock.advance(999);
    const early = one.asks();
    await settled();
    expect(early.state).toBe('failed');
    await clock.advance(1);
    expect((await one.reads()).reveal()).toBe('one');
  });

  it('B7: in its cool-down a process looks once a second, and takes no lease', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    claims.mockClear();
    const reads = one.secret.reads;
    for (let ms = 0; ms < 10_000; ms += 100) {
      one.asks();
      await clock.advance(100);
    }
    expect(one.requests).toBe(1);
    expect(claims.mock.calls.length).toBeLessThanOrEqual(10);
    expect(claims.mock.calls.every(([{ lease }]) => lease === undefined)).toBe(true);
    expect(one.secret.reads - reads).toBeLessThanOrEqual(10);
  });

  it('B7: a changed secret ends the failure also if its source is slow', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    const answer = one.secret.waits();
    await clock.advance(1_000);
    const early = one.asks();
    await clock.advance(250);
    expect(early.state).toBe('failed');
    one.secret.gives('rotated');
    answer('rotated');
    await clock.advance(1_000);
    await one.fetches('two');
    expect(one.usedSecrets).toEqual([CANARY.secret, 'rotated']);
  });

  it('B8: the secret is read once for each token request, store or not', async () => {
    const { process } = givenFleet();
    const one = process();
    await one.fetches('one');
    expect(one.secret.reads).toBe(1);
    await one.fetches('two', { need: EXPIRED });
    expect(one.secret.reads).toBe(2);
  });

  it('S5: a token obtained with a secret that changed meanwhile goes to the place of that secret', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const asked = one.asks();
    await settled();
    // After a refusal the attempt below used the new secret (B8).
    one.secret.gives('rotated');
    await one.usesAnotherSecret();
    one.endpoint.last.give(tokenOf(clock, 'of-the-new-secret'));
    await settled();
    expect(asked.result?.reveal()).toBe('of-the-new-secret');
    expect((await process({}, new SteeredSecret('rotated')).reads()).reveal()).toBe('of-the-new-secret');
    await process().fetches('of-the-old-secret');
  });
});

describe('entries', () => {
  it('B10: two recorded entries, alternated by a writer of the store, cost one call with each and no more', async () => {
    const { clock, store } = givenFleet();
    const published = vi.spyOn(store, 'publish');
    let issued = 0;
    const request = async () => tokenOf(clock, `token-${(issued += 1)}`);
    const earlier = tokensOf(clock, request, { store });
    let token = await earlier.getToken();
    for (let renewals = 0; renewals < 2; renewals += 1) {
      await clock.advance(1_000);
      earlier.reportSuccess(token);
      token = await earlier.renew(token);
    }
    await clock.advance(1_000);
    const [one, two] = published.mock.calls.map(([{ value }]) => value);
    const victim = tokensOf(clock, request, { store });
    await putEntry(store, one ?? '', clock.wall() + HOUR);
    const read = await victim.getToken();
    await clock.advance(1_000);
    await putEntry(store, two ?? '', clock.wall() + HOUR);
    const renewed = await victim.renew(read);
    expect([read.reveal(), renewed.reveal()]).toEqual(['token-1', 'token-4']);
  });

  it('B10: a process that is late with its 401 takes the newer token of the others', async () => {
    const { process, clock } = givenFleet();
    const [one, other] = [process(), process()];
    const first = await one.fetches('one');
    await clock.advance(1_000);
    const second = await other.reads();
    await clock.advance(1_000);
    await one.fetches('two', { need: { reason: 'unauthorized', refused: first } });
    expect((await other.reads({ reason: 'unauthorized', refused: second })).reveal()).toBe('two');
  });

  it("B10: a store's clock that was set back does not hide newer tokens", async () => {
    let behind = 0;
    const { process, clock, store } = givenFleet();
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (request) => {
      const answer = await claim(request);
      const moved = { ...answer, now: answer.now - behind };
      return 'expiresAt' in moved ? { ...moved, expiresAt: moved.expiresAt - behind } : moved;
    });
    const [one, other] = [process(), process()];
    const first = await one.fetches('one');
    const second = await other.reads();
    behind = 10 * MINUTE;
    await clock.advance(1_000);
    const shared = await process().fetches('two', { need: { reason: 'unauthorized', refused: first } });
    expect(shared.reveal()).toBe('two');
    expect((await other.reads({ reason: 'unauthorized', refused: second })).reveal()).toBe('two');
  });

  it('B10: the same token under another seal is an answer: one request for the fleet', async () => {
    const { process, clock } = givenFleet();
    const all = [process({ expiryLeewayMs: 10_000 }), process({ expiryLeewayMs: 10_000 })];
    await all[0]?.fetches('the-same', { lifetimeMs: MINUTE });
    await all[1]?.reads();
    await clock.advance(MINUTE - 10_000);
    await all[0]?.fetches('the-same', { need: EXPIRED, lifetimeMs: 10_000 });
    expect((await all[1]?.reads(EXPIRED))?.reveal()).toBe('the-same');
    const ahead: TokenNeed = { reason: 'ahead' };
    await all[1]?.fetches('the-same', { need: ahead, lifetimeMs: 10_000 });
    expect((await all[0]?.reads(ahead))?.reveal()).toBe('the-same');
  });
});

describe('bounds', () => {
  it('B10: a process stops waiting for others early enough for one attempt. It asks alone and publishes its token', async () => {
    const { process, clock, claims, store } = givenFleet();
    // The middle of 6 s and 11.5 s.
    const patienceMs = 8_750;
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    // A store of an older contract returns no holder. Its leases end by themselves.
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 2_000 };
    });
    const one = process();
    one.asks();
    await clock.advance(patienceMs - POLL_MS);
    expect(one.requests).toBe(0);
    await clock.advance(2 * POLL_MS);
    // No process got a token for so long that it is probably an outage.
    expect([one.requests, one.isInOutage]).toEqual([1, true]);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    claims.mockImplementation(claim);
    expect((await process().reads()).reveal()).toBe('own');
  });

  it('B10: a process does not wait for a lease of an unknown holder that lasts longer than our leases', async () => {
    const { process, claims, clock } = givenFleet();
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 60_000 };
    });
    expect((await process().fetches('own')).reveal()).toBe('own');
  });
});

describe('leases', () => {
  it('B10: one further process asks each 2 s, and no more', async () => {
    const { process, clock } = givenFleet();
    const all = Array.from({ length: 8 }, () => process());
    for (const one of all) one.asks();
    const requests = (): number => all.reduce((sum, one) => sum + one.requests, 0);
    await settled();
    expect(requests()).toBe(1);
    for (const expected of [2, 3, 4]) {
      await clock.advance(1_700);
      expect(requests()).toBe(expected - 1);
      await clock.advance(300 + POLL_MS);
      expect(requests()).toBe(expected);
    }
    // Those that waited for longer than two leases.
    expect(all.filter(({ isInOutage }) => isInOutage)).toHaveLength(2);
  });

  it('B10: a healthy process gets a token for all within about 2 s, also for the process that is stuck', async () => {
    const { process, clock } = givenFleet();
    const [stuck, healthy, third] = [process(), process(), process()];
    const all = [stuck, healthy, third].map((each) => each.asks());
    await clock.advance(2_000 + POLL_MS);
    const [asking] = [healthy, third].filter(({ requests }) => requests > 0);
    asking?.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(2 * POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['one', 'one', 'one']);
    expect(stuck.endpoint.last.need.signal?.aborted).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  it('B10: a token of the first process also ends the request of the process that took over', async () => {
    const { process, clock } = givenFleet();
    const [slow, other] = [process(), process()];
    const all = [slow.asks(), other.asks()];
    await clock.advance(2_000 + POLL_MS);
    expect(other.requests).toBe(1);
    slow.endpoint.last.give(tokenOf(clock, 'slow'));
    await clock.advance(POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['slow', 'slow']);
    // The later result of the other request does not count.
    other.endpoint.last.give(tokenOf(clock, 'late'));
    await settled();
    expect((await process().reads()).reveal()).toBe('slow');
  });

  it('B10: a store that fails meanwhile does not end the token request', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    const asked = one.asks();
    await settled();
    claims.mockRejectedValue(new Error('down'));
    await clock.advance(5_000);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    expect(asked.result?.reveal()).toBe('own');
  });
});

/** The store gets each note so much later. */
function delayNotes({ clock, store }: ReturnType<typeof givenFleet>, byMs: number): void {
  const release = store.release.bind(store);
  vi.spyOn(store, 'release').mockImplementation(async (given) => {
    clock.after(byMs, () => void release(given));
  });
}

describe('failures', () => {
  it('B10: a process that has failed itself leaves the endpoint alone until the note ends', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await two.fails(failureOf(), 2_000);
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    const asked = one.asks();
    await settled();
    // The note is from the other process, and the error is the process's own error.
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 1_750) });
    expect(one.requests).toBe(1);
    await clock.advance(1_749);
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    await clock.advance(1);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('B10: a process sends no request while a slow store still keeps its own note', async () => {
    const fleet = givenFleet();
    const { process, clock, store } = fleet;
    delayNotes(fleet, 20);
    const one = process();
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    await clock.advance(2 * POLL_MS);
    expect(one.requests).toBe(2);
    // With the lease, so no other process asks at the same time.
    expect(await store.claim({ name: ENTRY.name })).toMatchObject({ state: 'held' });
  });

  it('B18: a note that comes so late that it has ended still says that there is an outage', async () => {
    const fleet = givenFleet();
    const { process, clock } = fleet;
    delayNotes(fleet, 400);
    const [one, other] = [process(), process()];
    await one.fails(failureOf(), 250);
    await clock.advance(410);
    other.asks();
    await settled();
    expect([other.requests, other.isInOutage]).toEqual([1, true]);
  });

  it('B18: a process that has failed itself waits until a note is gone that came so late that it has ended', async () => {
    const fleet = givenFleet();
    const { process, clock, store } = fleet;
    const [one, two] = [process(), process()];
    await two.fails(failureOf(), 100);
    await clock.advance(100);
    delayNotes(fleet, 400);
    await one.fails(failureOf(), 250);
    await clock.advance(410);
    two.asks();
    await settled();
    expect(two.requests).toBe(1);
    await clock.advance(240 + POLL_MS);
    expect(two.requests).toBe(2);
    expect(await store.claim({ name: ENTRY.name })).toMatchObject({ state: 'held' });
  });

  it('B10: a note holds no process back for more than 6 s, or 60 s after a refusal', async () => {
    for (const [error, ms, longest] of [
      [failureOf(), 30_000, 6_000],
      [failureOf('TOKEN_REJECTED'), 300_000, 60_000],
      [failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 300_000 }), 300_000, 60_000],
    ] as const) {
      const { process, clock, store } = givenFleet();
      const notes = recordedNotes(store);
      await process().fails(error, ms);
      expect(notes.map((note) => note.ms)).toEqual([longest]);
      const late = process();
      await late.fails(error, 100);
      expect(clock.pending()).toEqual([]);
    }
  });

  it('B18: a note says since when the endpoint fails, and until when its process asks no more', async () => {
    const { process, clock, store } = givenFleet();
    const notes = recordedNotes(store);
    const since = clock.wall();
    const one = process();
    for (const ms of [250, 1_000, 0]) {
      await one.fails(failureOf(), ms);
      await clock.advance(ms);
    }
    expect(notes.map(({ value }) => ENTRY.open('failure', value))).toEqual([
      { since, endsAt: since + 250 },
      { since, endsAt: since + 1_250 },
    ]);
  });

  it('B10: a process that has failed with another secret has not tried with this one', async () => {
    const { process, clock } = givenFleet();
    const [one, rotated] = [process(), process({}, new SteeredSecret('rotated'))];
    await one.fails(failureOf(), 250);
    await rotated.fails(failureOf(), 5_000);
    await clock.advance(250);
    one.secret.gives('rotated');
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('B10: the note of a refusal holds a process that has failed for another reason back for 6 s, once', async () => {
    const { process, clock } = givenFleet();
    const [refused, one] = [process(), process()];
    await refused.fails(failureOf('TOKEN_REJECTED'), 60_000);
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    const asked = one.asks();
    await settled();
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 6_000) });
    await clock.advance(6_000);
    await one.fetches('one');
  });

  it('B10: a note that is put back costs a healthy process only its own attempt', async () => {
    const { process, clock, store } = givenFleet();
    const notes = recordedNotes(store);
    await process().fails(failureOf('TOKEN_REJECTED'), 60_000);
    await putNote(store, notes[0]?.value ?? '');
    const healthy = process();
    await healthy.fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
    expect(clock.pending()).toEqual([]);
  });

  it('B10: two recorded notes, returned in turn by a store whose clock stands still, hold a failed process back once each', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 250);
    const now = clock.wall();
    const notes = [60_000, 50_000].map((ms) => ENTRY.seal('failure', { since: now, endsAt: now + ms }));
    let given = 0;
    claims.mockImplementation(async () => {
      given += 1;
      return { state: 'held', now, expiresAt: now + HOUR, note: notes[given % 2] };
    });
    for (let calls = 0; calls < 4 && one.requests === 1; calls += 1) {
      await clock.advance(MINUTE);
      one.asks();
      await settled();
    }
    expect(one.requests).toBe(2);
  });

  it.each([
    ['ends soon, by a clock that stands still', 500, 500],
    ['has ended, but is put back again and again', 100, 500],
  ])('B10: a note that %s delays a failed process only for a while', async (_, endsMs, expiresMs) => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fails(failureOf(), 250);
    const now = clock.wall();
    const note = ENTRY.seal('failure', { since: now, endsAt: now + endsMs });
    claims.mockImplementation(async () => ({ state: 'held', now, expiresAt: now + expiresMs, note }));
    for (let calls = 0; calls < 3 && one.requests === 1; calls += 1) {
      await clock.advance(1_000);
      one.asks();
      await clock.advance(6_000 + POLL_MS);
    }
    expect(one.requests).toBe(2);
  });

  it('B10: a lease that is held for ever keeps a process that has failed itself from the endpoint for 2 minutes at most', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fails(failureOf(), 250);
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + LEASE_MS };
    });
    let asked = one.asks();
    const callFor = async (ms: number): Promise<void> => {
      for (const end = clock.monotonic() + ms; clock.monotonic() < end; await clock.advance(1_000))
        if (asked.state === 'failed') asked = one.asks();
    };
    await callFor(110_000);
    expect(one.requests).toBe(1);
    await callFor(20_000);
    expect(one.requests).toBe(2);
  });

  it('B10: a process that has failed while the store was silent sends no request without the lease either', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    claims.mockRejectedValueOnce(new Error('down'));
    await one.fails(failureOf(), 250);
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + LEASE_MS };
    });
    await clock.advance(1_000); // the store is left alone no longer
    const asked = one.asks();
    await clock.advance(6_000 + POLL_MS);
    expect([asked.state, one.requests]).toEqual(['failed', 1]);
  });

  it('B10: a process that failed in an earlier outage has not tried in this outage', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(MINUTE);
    await two.fails(failureOf(), 5_000);
    expect((await one.fetches('two')).reveal()).toBe('two');
  });

  it("B10: a failure of one process's own setup leaves no note, and the next process may ask at once", async () => {
    const { process, store } = givenFleet();
    const notes = recordedNotes(store);
    await process().fails(
      failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true }),
      5_000,
    );
    await process().fetches('one');
    expect(notes).toEqual([]);
  });

  it('B10: a process whose lease has ended leaves no note in place of the lease of another', async () => {
    const { process, clock, store } = givenFleet();
    const [one, two] = [process(), process()];
    one.asks();
    two.asks();
    await clock.advance(3_000);
    expect(two.requests).toBe(1);
    one.endpoint.last.fail(failureOf());
    await settled();
    expect(await store.claim({ name: ENTRY.name })).not.toHaveProperty('note');
  });
});
