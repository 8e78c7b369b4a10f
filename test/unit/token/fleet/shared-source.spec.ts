import { describe, expect, it, vi } from 'vitest';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import { POLL_MS } from '../../../support/fleet/fleet-store.js';
import { HOUR, MINUTE, tokenOf } from '../../../support/token/token-fixtures.js';

const EXPIRED: TokenNeed = { reason: 'expired' };
const AHEAD: TokenNeed = { reason: 'ahead' };

describe('B10: one token for a fleet', () => {
  it('B10: the first process fetches, the others read', async () => {
    const { process } = givenFleet();
    await process().fetches('one');
    const token = await process().reads();
    expect(token.reveal()).toBe('one');
    expect(token.cameFromStore).toBe(true);
  });

  it('B10: costs a reader one trip', async () => {
    const { process, claims } = givenFleet();
    await process().fetches('one');
    claims.mockClear();
    await process().reads();
    expect(claims).toHaveBeenCalledTimes(1);
  });

  it('B10: processes that ask while a token is fetched wait for it', async () => {
    const { process, clock } = givenFleet();
    const [first, second, third] = [process(), process(), process()];
    const fetching = first.asks();
    await settled();
    const waiting = [second.asks(), third.asks()];
    await clock.advance(1_000);
    first.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(POLL_MS);
    expect(fetching.result?.reveal()).toBe('one');
    expect(waiting.map(({ result }) => result?.reveal())).toEqual(['one', 'one']);
    expect(second.requests + third.requests).toBe(0);
  });

  it.each([-HOUR, 0, HOUR])(
    "B10: counts the remaining lifetime by the store's clock, which is %d ms ahead",
    async (storeAheadMs) => {
      const { process, clock } = givenFleet({ storeAheadMs });
      await process().fetches('one', { lifetimeMs: 10 * MINUTE });
      await clock.advance(4 * MINUTE);
      const token = await process().reads();
      expect(token.remainingMs(clock)).toBe(6 * MINUTE);
      expect(token.lifetimeMs).toBe(10 * MINUTE);
      await clock.advance(6 * MINUTE);
      await process().fetches('two');
    },
  );

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
      clock.after(30_000, () => void publish(publication), 'background');
    });
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(30_000);
    expect((await process().reads()).remainingMs(clock)).toBe(30_000);
  });

  it('S11: a store cannot make an entry live longer than its token', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one', { lifetimeMs: MINUTE });
    prolongEntriesOf(store);
    expect((await process().reads()).remainingMs(clock)).toBe(MINUTE);
  });

  it('B11: an entry with a changed end lives no longer than its writer sealed', async () => {
    const { process, clock, store } = givenFleet({ storeAheadMs: HOUR });
    await process().fetches('one', { lifetimeMs: 10 * MINUTE });
    await clock.advance(9 * MINUTE);
    prolongEntriesOf(store);
    expect((await process().reads()).remainingMs(clock)).toBe(MINUTE);
  });

  it("S8: a token that ended by this process's clocks is no answer, but stays for the others", async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fetches('one');
    await one.fetches('two', { need: EXPIRED, lifetimeMs: HOUR });
    expect((await process().reads()).reveal()).toBe('two');
    expect(clock.pending('awaited')).toEqual([]);
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

  it("S11: a token that ended by this process's clocks is no answer, whichever process shared it", async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    claims.mockRejectedValueOnce(new Error('down'));
    await one.fetches('the-same-for-all', { lifetimeMs: 1_000 });
    await process().fetches('the-same-for-all');
    await clock.advance(2_000); // the store is left alone no longer
    expect((await one.fetches('two', { need: EXPIRED })).reveal()).toBe('two');
  });

  it('S11: an entry ends when its token does, however long fetching took', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const fetching = one.asks();
    await settled();
    await clock.advance(7_000);
    one.endpoint.last.give(tokenOf(clock, 'one'));
    await settled();
    expect((await process().reads()).expiresAt).toEqual(fetching.result?.expiresAt);
  });
});

describe('B10: token-exact renewal across the fleet', () => {
  it('B10: the refused token is removed from the store and replaced once. A process with a late 401 reads the newer token', async () => {
    const { process, claims } = givenFleet();
    const [one, other] = [process(), process()];
    const refused = await one.fetches('one');
    const alsoRefused = await other.reads();
    await one.fetches('two', { need: { reason: 'unauthorized', refused } });
    claims.mockClear();
    expect((await other.reads({ reason: 'unauthorized', refused: alsoRefused })).reveal()).toBe('two');
    expect(claims).toHaveBeenCalledTimes(1);
  });

  it('B10: no process reads a token that the API refused to another process', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const refused = await one.fetches('one');
    one.asks({ reason: 'unauthorized', refused });
    await settled();
    const cold = process().asks();
    await clock.advance(1_000);
    expect(cold.state).toBe('waiting');
  });

  it('B10: a refused token that this process did not read from the store is recognised and removed', async () => {
    const { process, clock, claims } = givenFleet();
    await process().fetches('one');
    const refused = tokenOf(clock, 'one');
    claims.mockClear();
    await process().fetches('two', { need: { reason: 'unauthorized', refused } });
    expect(claims).toHaveBeenCalledTimes(2);
    expect((await process().reads()).reveal()).toBe('two');
  });

  it('B10: a late 401 for an older token removes nothing', async () => {
    const { process, clock } = givenFleet();
    await process().fetches('two');
    const late = process();
    expect((await late.reads({ reason: 'unauthorized', refused: tokenOf(clock, 'one') })).reveal()).toBe(
      'two',
    );
    expect((await process().reads()).reveal()).toBe('two');
  });

  it('B10: a token endpoint that returns the refused token again has no token for the others', async () => {
    const { process, clock, store } = givenFleet();
    const publish = vi.spyOn(store, 'publish');
    await process().fetches('one', { need: { reason: 'unauthorized', refused: tokenOf(clock, 'one') } });
    expect(publish).not.toHaveBeenCalled();
    await process().fetches('two');
  });
});

describe('B10: what a process removes from the store', () => {
  it('B10: an entry that only this process cannot use stays for the others', async () => {
    const { process, clock, claims } = givenFleet();
    await process().fetches('one', { lifetimeMs: HOUR });
    await clock.advance(HOUR - 30_000);
    claims.mockClear();
    process({ expiryLeewayMs: 30_000 }).asks();
    await settled();
    expect(claims.mock.calls[1]?.[0].unwanted).toMatchObject({ remove: false });
  });

  it('B10: a process does not wait for a store that has no entry and no lease', async () => {
    const { process, claims } = givenFleet();
    claims.mockResolvedValue({ state: 'free', now: 1 });
    const one = process();
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    // The first claim only looks, because the store's clock is not known yet.
    expect(claims).toHaveBeenCalledTimes(2);
  });

  it('B10: a process does not wait for a note that this library did not seal', async () => {
    const { process, claims, clock } = givenFleet();
    claims.mockResolvedValue({ state: 'held', now: 1, expiresAt: 60_000, note: 'garbage' });
    const one = process();
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    expect(clock.pending('awaited')).toEqual([]);
  });
});

/** The store says that each entry lives for an hour. */
function prolongEntriesOf(store: MemoryTokenStore): void {
  const claim = MemoryTokenStore.prototype.claim.bind(store);
  vi.spyOn(store, 'claim').mockImplementation(async (request) => {
    const answer = await claim(request);
    return answer.state === 'found' ? { ...answer, expiresAt: answer.now + HOUR } : answer;
  });
}
