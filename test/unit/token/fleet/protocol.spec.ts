import { describe, expect, it, vi } from 'vitest';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import { ENTRY, entryIn, givenFleetOnOlderStore, POLL_MS } from '../../../support/fleet/fleet-store.js';
import { failureOf, HOUR, MINUTE, tokenOf } from '../../../support/token/token-fixtures.js';

/** The sentences of `docs/fleet-protocol.md` about entries, bounds and older stores. */

const EXPIRED: TokenNeed = { reason: 'expired' };

describe('entries', () => {
  it('F1: a process that needs a token takes the one in the store', async () => {
    const { process } = givenFleet();
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
  });

  it('F19: two old entries, alternated, cost one attempt with each and no more calls', async () => {
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
      const claim = await store.claim({ name: ENTRY.name });
      if (claim.state === 'found')
        await store.claim({ name: ENTRY.name, unwanted: { value: claim.value, remove: true } });
      await publish({ name: ENTRY.name, owner: 'x', value, expiresAt: clock.wall() + HOUR });
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

  it('F20: a refused token is never taken again, however many were refused since', async () => {
    const { process, clock, store } = givenFleet();
    const one = process();
    const first = await one.fetches('first');
    const value = await entryIn(store);
    let refused = first;
    for (const next of ['second', 'third', 'fourth']) {
      await clock.advance(1_000);
      refused = await one.fetches(next, { need: { reason: 'unauthorized', refused } });
    }
    await store.claim({ name: ENTRY.name, unwanted: { value: await entryIn(store), remove: true } });
    await store.publish({ name: ENTRY.name, owner: 'x', value, expiresAt: clock.wall() + HOUR });
    expect((await one.fetches('fifth', { need: EXPIRED })).reveal()).toBe('fifth');
  });

  it('F21: the same token under another seal is an answer: one request for the fleet', async () => {
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

  it('F21: a token that was refused, or that has ended by the clocks of this process, is no answer', async () => {
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
  it('F24: a process asks alone if the store alternates garbage', async () => {
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

  it('F24: a process asks alone if the store does not replace an ignored lease', async () => {
    const { process, claims } = givenFleet();
    claims.mockResolvedValue({ state: 'held', now: 1, expiresAt: 60_000, holder: 'garbage' });
    await process().fetches('own');
    expect(claims).toHaveBeenCalledTimes(2);
  });

  it('F25: a process stops waiting for others early enough for one attempt. It asks alone and publishes its token', async () => {
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
    expect(one.requests).toBe(1);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    claims.mockImplementation(claim);
    expect((await process().reads()).reveal()).toBe('own');
  });

  it('F25: a process that asks alone replaces the old entry, which is still there with a renewal ahead', async () => {
    const { process, clock, claims, store } = givenFleet();
    const one = process();
    await one.fetches('old', { lifetimeMs: 30_000 });
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 2_000 };
    });
    one.asks({ reason: 'ahead' });
    await clock.advance(8_750 + POLL_MS);
    claims.mockImplementation(claim);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    expect((await process().reads()).reveal()).toBe('own');
  });

  it('F25: a process does not wait for a lease of an unknown holder that lasts longer than our leases', async () => {
    const { process, claims, clock } = givenFleet();
    claims.mockImplementation(async () => {
      const now = clock.wall();
      return { state: 'held', now, expiresAt: now + 60_000 };
    });
    expect((await process().fetches('own')).reveal()).toBe('own');
  });
});

describe('a store of an older contract, which returns no holder and replaces nothing', () => {
  it('F4, F5: has one process ask, and the next one after 2 s', async () => {
    const { process, clock } = givenFleetOnOlderStore();
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
    const { process } = givenFleetOnOlderStore();
    await process().fails(failureOf('TOKEN_REJECTED'), 60_000);
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
  });
});
