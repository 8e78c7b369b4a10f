import { describe, expect, it, vi } from 'vitest';
import type { StoreRelease } from '../../../../lib/config/options/token-store.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import {
  CANARY,
  failureOf,
  HOUR,
  MINUTE,
  profileOf,
  tokenOf,
} from '../../../support/token/token-fixtures.js';

/** The sentences of `docs/fleet-protocol.md`. */

const EXPIRED: TokenNeed = { reason: 'expired' };
/** Longer than the longest poll, and shorter than anything else. */
const POLL_MS = 250;
const NAME = new FleetEntry(profileOf(), new Secret(CANARY.secret)).name;

/** A failure that stands for so long. */
function failing(clock: { wall(): number }, ms = 250, error = failureOf()) {
  return error.until(new Date(clock.wall() + ms));
}

/** The lease and the note that a store was given last. */
function recorded(store: MemoryTokenStore) {
  const notes: NonNullable<StoreRelease['note']>[] = [];
  const leases: string[] = [];
  const release = MemoryTokenStore.prototype.release.bind(store);
  const claim = MemoryTokenStore.prototype.claim.bind(store);
  vi.spyOn(store, 'release').mockImplementation(async (given) => {
    if (given.note) notes.push(given.note);
    return release(given);
  });
  vi.spyOn(store, 'claim').mockImplementation(async (given) => {
    if (given.lease) leases.push(given.lease.owner);
    return claim(given);
  });
  /** What a writer of the store does who has no secret. */
  const put = async (what: { note?: string; lease?: string }, ms = 60_000): Promise<void> => {
    const name = NAME;
    const answer = await claim({ name });
    if (answer.state === 'held')
      await claim({ name, lease: { owner: 'x', ms, insteadOf: answer.note ?? answer.holder } });
    else await claim({ name, lease: { owner: what.lease ?? 'x', ms } });
    if (answer.state === 'held' && what.lease)
      await claim({ name, lease: { owner: what.lease, ms, insteadOf: 'x' } });
    if (what.note) await release({ name, owner: 'x', note: { value: what.note, ms } });
  };
  return { notes, leases, put };
}

describe('leases', () => {
  it('F2, F3: one process asks, the others wait for what it brings', async () => {
    const { process, clock } = givenFleet();
    const [one, two, three] = [process(), process(), process()];
    const all = [one, two, three].map((each) => each.asks());
    await clock.advance(1_000);
    expect([one.requests, two.requests, three.requests]).toEqual([1, 0, 0]);
    one.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['one', 'one', 'one']);
  });

  it('F4, F5: one further process asks each 2 s, and no more (hole 2)', async () => {
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
  });

  it('F6: a healthy process serves all within about 2 s, the process that is stuck included (hole 2)', async () => {
    const { process, clock } = givenFleet();
    const [stuck, healthy, third] = [process(), process(), process()];
    const all = [stuck, healthy, third].map((each) => each.asks());
    await clock.advance(2_000 + POLL_MS);
    const [asking] = [healthy, third].filter(({ requests }) => requests > 0);
    asking?.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(2 * POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['one', 'one', 'one']);
    expect(stuck.endpoint.last.need.signal?.aborted).toBe(true);
    expect(clock.pending('awaited')).toEqual([]);
  });

  it('F6: what the first process brings also ends the request of the one that took over', async () => {
    const { process, clock } = givenFleet();
    const [slow, other] = [process(), process()];
    const all = [slow.asks(), other.asks()];
    await clock.advance(2_000 + POLL_MS);
    expect(other.requests).toBe(1);
    slow.endpoint.last.give(tokenOf(clock, 'slow'));
    await clock.advance(POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['slow', 'slow']);
    // What the other request brings later counts no more.
    other.endpoint.last.give(tokenOf(clock, 'late'));
    await settled();
    expect((await process().reads()).reveal()).toBe('slow');
  });

  it('F6: a store that fails meanwhile ends only the looking', async () => {
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

  it.each(['ahead', 'expired'] as const)(
    'F6: B10: a slow token endpoint costs one further request each 2 s while the old token still lives: %s',
    async (reason) => {
      const { process, clock } = givenFleet();
      const [first, ...others] = Array.from({ length: 8 }, () => process({ expiryLeewayMs: 30_000 }));
      await first?.fetches('old', { lifetimeMs: HOUR });
      for (const one of others) await one.reads();
      await clock.advance(HOUR - 20_000);
      const asked = others.map((one) => one.asks({ reason }));
      await clock.advance(3_000);
      const slow = others.find(({ requests }) => requests > 0);
      slow?.endpoint.last.give(tokenOf(clock, 'new', HOUR));
      await clock.advance(2 * POLL_MS);
      expect(asked.map(({ result }) => result?.reveal())).toEqual(others.map(() => 'new'));
      expect(others.reduce((sum, one) => sum + one.requests, 0)).toBe(2);
    },
  );

  it('F7: a lease that is not one of ours counts as none, whatever its end (held lease)', async () => {
    const { process, store } = givenFleet();
    await store.claim({ name: NAME, lease: { owner: 'stuck', ms: HOUR } });
    expect((await process().fetches('one')).reveal()).toBe('one');
  });

  it('F7: a lease that is put back counts as none 2 s after it was taken (held lease)', async () => {
    const { process, clock, store } = givenFleet();
    const { leases, put } = recorded(store);
    await process().fetches('one');
    const old = leases.at(-1) ?? '';
    await store.claim({ name: NAME, unwanted: { value: await valueOf(store), remove: true } });
    await put({ lease: old }, HOUR);
    const other = process();
    other.asks();
    await clock.advance(1_800);
    expect(other.requests).toBe(0);
    await clock.advance(200 + POLL_MS);
    expect(other.requests).toBe(1);
    await put({ lease: old }, HOUR);
    await process().fetches('three');
  });

  it('F7: a lease that lies in the future counts as none', async () => {
    const { process, clock, store } = givenFleet();
    process().asks();
    await settled();
    clock.setWallBy(-MINUTE);
    expect(store).toBeDefined();
    await process().fetches('one');
  });

  it("F8: a process that does not know the store's clock looks first, and one that does needs one trip", async () => {
    const { process, claims } = givenFleet();
    const one = process();
    await one.fetches('one');
    expect(claims.mock.calls.map(([{ lease }]) => lease !== undefined)).toEqual([false, true]);
    claims.mockClear();
    await one.fetches('two', { need: EXPIRED });
    expect(claims.mock.calls.map(([{ lease }]) => lease !== undefined)).toEqual([true]);
  });

  it('F8: after its machine has slept, a process looks first again', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fetches('one');
    clock.sleep(10 * MINUTE);
    claims.mockClear();
    await one.fetches('two', { need: EXPIRED });
    expect(claims.mock.calls.map(([{ lease }]) => lease !== undefined)).toEqual([false, true]);
  });

  it('F9: a process that asks again in an outage keeps those who have tried from asking as long as its pause', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 4_000);
    await two.fails(failureOf(), 4_000);
    await clock.advance(4_000);
    one.asks();
    await settled();
    expect(one.requests).toBe(2);
    two.asks();
    await clock.advance(3_900);
    expect(two.requests).toBe(1);
    const untried = process();
    untried.asks();
    await settled();
    expect(untried.requests).toBe(1);
  });
});

describe('failures', () => {
  it('F10, F12: a process that has failed itself leaves the endpoint alone until the note ends', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 250);
    await two.fails(failureOf(), 2_000);
    await clock.advance(250);
    const asked = one.asks();
    await settled();
    // The note of the other process, and the error of its own.
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 1_750) });
    expect(one.requests).toBe(1);
    await clock.advance(1_749);
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    await clock.advance(1);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('F11: a note that is put back after its end is none (hole 3)', async () => {
    const { process, clock, store } = givenFleet();
    const { notes, put } = recorded(store);
    const one = process();
    await one.fails(failureOf(), 250);
    const [note] = notes;
    expect(note).toBeDefined();
    await clock.advance(250);
    await one.fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(MINUTE);
    await put({ note: note?.value ?? '' }, 270_000);
    await one.fetches('two', { need: EXPIRED });
  });

  it('F11: a note holds nobody back for more than 6 s, or 60 s after a refusal', async () => {
    for (const [error, ms, longest] of [
      [failureOf(), 30_000, 6_000],
      [failureOf('TOKEN_REJECTED'), 300_000, 60_000],
      [failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 300_000 }), 300_000, 60_000],
    ] as const) {
      const { process, clock, store } = givenFleet();
      const { notes } = recorded(store);
      await process().fails(error, ms);
      expect(notes.map((note) => note.ms)).toEqual([longest]);
      const late = process();
      await late.fails(error, 100);
      expect(clock.pending('awaited')).toEqual([]);
    }
  });

  it("F12: a process heeds a note no longer than its own kind of failure allows, whatever the note's kind", async () => {
    const { process, clock } = givenFleet();
    const [refused, other] = [process(), process()];
    await other.fails(failureOf(), 100);
    await refused.fails(failureOf('TOKEN_REJECTED'), 60_000);
    await clock.advance(100);
    const asked = other.asks();
    await settled();
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 6_000) });
  });

  it("F12: a note that is met again has held a process back for as long as the process's own kind of failure allows", async () => {
    const { process, clock } = givenFleet();
    const [limited, other] = [process(), process()];
    await other.fails(failureOf(), 100);
    await limited.fails(failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 60_000 }), 60_000);
    await clock.advance(100);
    other.asks();
    await clock.advance(6_000);
    expect((await other.fetches('one')).reveal()).toBe('one');
  });

  it('F11: a note stands no longer because the clock of the store was set back', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf(), 5_000);
    clock.setWallBy(-50_000);
    await clock.advance(5_000);
    one.asks();
    await clock.advance(6_000);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('F13: a process that has not tried in this outage tries once itself, one at a time (hole 2)', async () => {
    const { process, clock } = givenFleet();
    const all = [process(), process(), process()];
    await all[0]?.fails(failureOf('TOKEN_REJECTED'), 5_000);
    const [two, three] = [all[1]?.asks(), all[2]?.asks()];
    await settled();
    expect(all.map((one) => one.requests)).toEqual([1, 1, 0]);
    all[1]?.endpoint.last.give(tokenOf(clock, 'two'));
    await clock.advance(POLL_MS);
    expect([two?.result?.reveal(), three?.result?.reveal()]).toEqual(['two', 'two']);
    expect(all.map((one) => one.requests)).toEqual([1, 1, 0]);
  });

  it('F13: a replayed note costs a healthy process nothing but its own attempt (hole 3)', async () => {
    const { process, clock, store } = givenFleet();
    const { notes, put } = recorded(store);
    await process().fails(failureOf('TOKEN_REJECTED'), 60_000);
    await put({ note: notes[0]?.value ?? '' });
    const healthy = process();
    await healthy.fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
    expect(clock.pending('awaited')).toEqual([]);
  });

  it('F13: who has failed in an earlier outage has not tried in this one', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(MINUTE);
    await two.fails(failureOf(), 5_000);
    expect((await one.fetches('two')).reveal()).toBe('two');
  });

  it('F14: a note is never counted as a failure of this process (hole 16)', async () => {
    const { process, clock, store } = givenFleet();
    // The answer to a release takes as long as the trip to a Redis far away: the note outlives the pause of its writer.
    const release = store.release.bind(store);
    vi.spyOn(store, 'release').mockImplementation(async (given) => {
      clock.after(20, () => void release(given), 'background');
    });
    const one = process();
    const waits: number[] = [];
    const messages: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const before = clock.monotonic();
      const own = one.requests;
      while (one.requests === own) {
        const asked = one.asks();
        await clock.advance(1);
        messages.push(asked.error instanceof Error ? asked.error.message : '');
      }
      waits.push(clock.monotonic() - before);
      one.endpoint.last.fail(failing(clock, 250));
      await settled();
    }
    expect(messages.join('\n')).not.toContain('another process');
    // The pause is the caller's business, and the same each time; a note adds no more than its own trip.
    for (const wait of waits.slice(1)) expect(wait).toBeLessThanOrEqual(280);
  });

  it("F15: what is only one process's trouble is not told, and the next process may ask at once", async () => {
    const { process, store } = givenFleet();
    const { notes } = recorded(store);
    await process().fails(
      failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true }),
      5_000,
    );
    await process().fetches('one');
    expect(notes).toEqual([]);
  });

  it('F16: a process whose lease has run out takes it again to leave its note', async () => {
    const { process, clock, store } = givenFleet();
    const { notes } = recorded(store);
    const one = process();
    one.asks();
    await clock.advance(3_000);
    one.endpoint.last.fail(failing(clock));
    await settled();
    expect(notes).toHaveLength(1);
  });

  it('F16: unless another process has it by now', async () => {
    const { process, clock, store } = givenFleet();
    const { notes } = recorded(store);
    const [one, two] = [process(), process()];
    one.asks();
    two.asks();
    await clock.advance(3_000);
    expect(two.requests).toBe(1);
    one.endpoint.last.fail(failing(clock));
    await settled();
    expect(notes).toEqual([]);
  });

  it('F17: while a failure stands, a process looks for a token once a second', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    await process().fetches('one');
    await clock.advance(999);
    const early = one.asks();
    await settled();
    expect(early.state).toBe('failed');
    await clock.advance(1);
    expect((await one.reads()).reveal()).toBe('one');
  });
});

describe('entries', () => {
  it('F1: a process that needs a token takes the one in the store', async () => {
    const { process } = givenFleet();
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
  });

  it('F19: two old entries, alternated, cost one attempt with each and not a call more (hole 8)', async () => {
    const { process, clock, store } = givenFleet();
    const entries: string[] = [];
    const publish = store.publish.bind(store);
    vi.spyOn(store, 'publish').mockImplementation(async (given) => {
      entries.push(given.value);
      return publish(given);
    });
    const earlier = process();
    let refused = await earlier.fetches('old-one');
    await clock.advance(1_000);
    refused = await earlier.fetches('old-two', { need: { reason: 'unauthorized', refused } });
    await clock.advance(1_000);
    await earlier.fetches('old-three', { need: { reason: 'unauthorized', refused } });
    await clock.advance(1_000);
    const put = async (value = ''): Promise<void> => {
      const claim = await store.claim({ name: NAME });
      if (claim.state === 'found')
        await store.claim({ name: NAME, unwanted: { value: claim.value, remove: true } });
      await publish({ name: NAME, owner: 'x', value, expiresAt: clock.wall() + HOUR });
    };
    await put(entries[0]);
    const victim = process();
    const read = await victim.reads();
    await clock.advance(1_000);
    await put(entries[1]);
    expect((await victim.fetches('new', { need: { reason: 'unauthorized', refused: read } })).reveal()).toBe(
      'new',
    );
  });

  it('F19: a process that is late with its 401 takes the newer token of the others', async () => {
    const { process, clock } = givenFleet();
    const [one, other] = [process(), process()];
    const first = await one.fetches('one');
    await clock.advance(1_000);
    const second = await other.reads();
    await clock.advance(1_000);
    await one.fetches('two', { need: { reason: 'unauthorized', refused: first } });
    expect((await other.reads({ reason: 'unauthorized', refused: second })).reveal()).toBe('two');
  });

  it("F19: a store's clock that was set back does not hide newer tokens", async () => {
    let behind = 0;
    const { process, clock, store } = givenFleet();
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (wish) => {
      const answer = await claim(wish);
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

  it('F20: a refused token is never taken again, however many were refused since', async () => {
    const { process, clock, store } = givenFleet();
    const one = process();
    const first = await one.fetches('first');
    const value = await valueOf(store);
    let refused = first;
    for (const next of ['second', 'third', 'fourth']) {
      await clock.advance(1_000);
      refused = await one.fetches(next, { need: { reason: 'unauthorized', refused } });
    }
    await store.claim({ name: NAME, unwanted: { value: await valueOf(store), remove: true } });
    await store.publish({ name: NAME, owner: 'x', value, expiresAt: clock.wall() + HOUR });
    expect((await one.fetches('fifth', { need: EXPIRED })).reveal()).toBe('fifth');
  });

  it('F21: the same token under another seal is an answer: one request for the fleet (hole 9b)', async () => {
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

  it('F21: not one that was refused, nor one that has ended by the clocks of this process', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    const refused = await one.fetches('the-same', { lifetimeMs: HOUR });
    await two.reads();
    await two.fetches('the-same', { need: EXPIRED });
    await one.fetches('another', { need: { reason: 'unauthorized', refused } });
    clock.sleep(2 * HOUR);
    expect((await one.fetches('a-third', { need: EXPIRED })).reveal()).toBe('a-third');
  });
});

describe('bounds', () => {
  it('F24: alternated garbage is not argued with', async () => {
    const { process, claims } = givenFleet();
    let count = 0;
    claims.mockImplementation(async () => {
      count += 1;
      return count % 2
        ? { state: 'held', now: 1, expiresAt: 1_000, holder: `garbage-${count}` }
        : { state: 'held', now: 1, expiresAt: 1_000, note: `garbage-${count}` };
    });
    await process().fetches('own');
    expect(claims.mock.calls.length).toBeLessThanOrEqual(4);
  });

  it('F24: a store that does not replace what counts as none is not argued with', async () => {
    const { process, claims } = givenFleet();
    claims.mockResolvedValue({ state: 'held', now: 1, expiresAt: 60_000, holder: 'garbage' });
    await process().fetches('own');
    expect(claims).toHaveBeenCalledTimes(2);
  });

  it('F25: nobody waits for others longer than a renewal may take; then it asks alone, and shares', async () => {
    const { process, clock, claims, store } = givenFleet();
    const patienceMs = 3 * 5_000 + 2_000 + 1_000;
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    // A store of an older contract tells no holder: its leases end by themselves.
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 2_000 };
    });
    const one = process();
    one.asks();
    await clock.advance(patienceMs - POLL_MS);
    expect(one.requests).toBe(0);
    await clock.advance(2 * POLL_MS);
    expect(one.requests).toBe(1);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    claims.mockImplementation(claim);
    expect((await process().reads()).reveal()).toBe('own');
  });

  it('F25: a lease of an unknown holder that lasts longer than ours do is not waited for', async () => {
    const { process, claims, clock } = givenFleet();
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 60_000 };
    });
    expect((await process().fetches('own')).reveal()).toBe('own');
  });
});

describe('a store of an older contract, which tells no holder and replaces nothing', () => {
  it('F4, F5: has one process ask, and the next one after 2 s', async () => {
    const { process, clock } = older();
    const all = [process(), process(), process()];
    const asked = all.map((one) => one.asks());
    await clock.advance(1_900);
    expect(all.map(({ requests }) => requests)).toEqual([1, 0, 0]);
    await clock.advance(100 + POLL_MS);
    const second = all.findLast(({ requests }) => requests > 0);
    second?.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(2 * POLL_MS);
    expect(asked.map(({ result }) => result?.reveal())).toEqual(['one', 'one', 'one']);
    expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
  });

  it('F13: lets a process that has not failed ask alone while there is a note', async () => {
    const { process } = older();
    await process().fails(failureOf('TOKEN_REJECTED'), 60_000);
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
  });
});

/** A store that was written when claims named neither a lease nor a note to replace. */
function older() {
  const fleet = givenFleet();
  const claim = MemoryTokenStore.prototype.claim.bind(fleet.store);
  fleet.claims.mockImplementation(async ({ name, unwanted, lease }) => {
    const answer = await claim({ name, unwanted, lease: lease && { owner: lease.owner, ms: lease.ms } });
    return answer.state === 'held' ? { ...answer, holder: undefined } : answer;
  });
  return fleet;
}

async function valueOf(store: MemoryTokenStore): Promise<string> {
  const answer = await store.claim({ name: NAME });
  return answer.state === 'found' ? answer.value : '';
}
