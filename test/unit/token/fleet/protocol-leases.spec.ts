import { describe, expect, it } from 'vitest';
import { UNSENT_LEASE_MS } from '../../../../lib/token/fleet/fleet-entry.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { FakeClock, settled } from '../../../support/token/fake-clock.js';
import { givenFleet, Process } from '../../../support/fleet/fleet-process.js';
import { ENTRY, entryIn, POLL_MS, recordedStore } from '../../../support/fleet/fleet-store.js';
import { failureOf, HOUR, MINUTE, SteeredSecret, tokenOf } from '../../../support/token/token-fixtures.js';

/** The sentences of `docs/fleet-protocol.md` about leases. */

/** The pause between two looks of a process that has waited out a lease. */
const HURRIED_POLL_MS = 30;

const EXPIRED: TokenNeed = { reason: 'expired' };

describe('leases', () => {
  it('F2, F3: one process asks, and the others wait for its token', async () => {
    const { process, clock } = givenFleet();
    const [one, two, three] = [process(), process(), process()];
    const all = [one, two, three].map((each) => each.asks());
    await clock.advance(1_000);
    expect([one.requests, two.requests, three.requests]).toEqual([1, 0, 0]);
    one.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(POLL_MS);
    expect(all.map(({ result }) => result?.reveal())).toEqual(['one', 'one', 'one']);
  });

  it('F4, F5: one further process asks each 2 s, and no more', async () => {
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

  it.each([1, 3, 10])(
    'F28: B10: %d processes that cannot reach the token endpoint delay another process by one lease in all',
    async (count) => {
      const { process, clock } = givenFleet();
      const cutOff = Array.from({ length: count }, () => process());
      const healthy = process();
      for (const one of cutOff) one.endpoint.isReachable = false;
      const all = [...cutOff, healthy].map((each) => each.asks());
      await clock.advance(2_000 - POLL_MS);
      expect(healthy.requests).toBe(0);
      const { longest, shortest } = UNSENT_LEASE_MS;
      await clock.advance(2 * POLL_MS + longest + (count - 1) * (shortest + HURRIED_POLL_MS));
      healthy.endpoint.last.give(tokenOf(clock, 'one'));
      await clock.advance(2 * POLL_MS);
      expect(all.map(({ result }) => result?.reveal())).toEqual(all.map(() => 'one'));
    },
  );

  it('F27, F28: B10: after a process that cannot reach the token endpoint, one process that reaches it asks for 2 s', async () => {
    const { process, clock } = givenFleet();
    const cutOff = process();
    const others = Array.from({ length: 8 }, () => process());
    cutOff.endpoint.isReachable = false;
    for (const one of [cutOff, ...others]) one.asks();
    const requests = (): number => others.reduce((sum, one) => sum + one.requests, 0);
    for (const expected of [1, 2, 3]) {
      await clock.advance(2_000 + POLL_MS);
      expect(requests()).toBe(expected);
    }
  });

  it('F27: a request that reaches the token endpoint late takes over from a process that has not reached it', async () => {
    const { process, clock } = givenFleet();
    const [cutOff, ...others] = Array.from({ length: 6 }, () => process());
    const all = [cutOff, ...others].map((one) => {
      if (one) one.endpoint.isReachable = false;
      return one?.asks();
    });
    const requests = (): number => others.reduce((sum, one) => sum + one.requests, 0);
    await clock.advance(2_000 + POLL_MS + UNSENT_LEASE_MS.longest);
    const before = requests();
    expect(before).toBeGreaterThan(1);
    const first = others.find((one) => one.requests > 0);
    first?.endpoint.last.need.onSent?.();
    await clock.advance(500);
    expect(requests()).toBe(before);
    first?.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(2 * POLL_MS);
    expect(all.map((one) => one?.result?.reveal())).toEqual(all.map(() => 'one'));
  });

  it('F27: the process that asks first says after 1 s that its request is sent, and no message more for a fast answer', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    one.asks();
    await clock.advance(900);
    const before = claims.mock.calls.length;
    await clock.advance(200);
    expect(claims.mock.calls.length).toBe(before + 1);
    await clock.advance(800);
    expect(claims.mock.calls.length).toBe(before + 1);
    claims.mockClear();
    const other = process();
    other.asks();
    await clock.advance(50);
    one.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(2 * POLL_MS);
    const sent = claims.mock.calls.filter(([{ lease }]) => ENTRY.openLease(lease?.owner ?? '')?.isSent);
    expect(sent).toEqual([]);
  });

  it('F6: a healthy process gets a token for all within about 2 s, also for the process that is stuck', async () => {
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

  it('F6: a token of the first process also ends the request of the process that took over', async () => {
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

  it('F6: a store that fails meanwhile does not end the token request', async () => {
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

  it('F7: a lease that this library did not seal is ignored, whatever its end (held lease)', async () => {
    const { process, store } = givenFleet();
    await store.claim({ name: ENTRY.name, lease: { owner: 'stuck', ms: HOUR } });
    expect((await process().fetches('one')).reveal()).toBe('one');
  });

  it('F7: a lease that a writer puts back is ignored 2 s after it was taken (held lease)', async () => {
    const { process, clock, store } = givenFleet();
    const { leases, put } = recordedStore(store);
    await process().fetches('one');
    const old = leases.at(-1) ?? '';
    await store.claim({ name: ENTRY.name, unwanted: { value: await entryIn(store), remove: true } });
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

  it('F7: a lease from the future is ignored', async () => {
    const { process, clock, store } = givenFleet();
    process().asks();
    await settled();
    clock.setWallBy(-MINUTE);
    expect(store).toBeDefined();
    await process().fetches('one');
  });

  it("F8: a process that does not know the store's clock looks first, and a process that knows it needs one trip", async () => {
    const { process, claims } = givenFleet();
    const one = process();
    await one.fetches('one');
    expect(claims.mock.calls.map(([{ lease }]) => lease !== undefined)).toEqual([false, true]);
    claims.mockClear();
    await one.fetches('two', { need: EXPIRED });
    expect(claims.mock.calls.map(([{ lease }]) => lease !== undefined)).toEqual([true]);
  });

  it("F8: B10: a process that loses the store's clock while it asks ends its lease, and the next process asks", async () => {
    const { process, clock, store } = givenFleet();
    const clockThatIsSet = new FakeClock();
    const [losing, other] = [
      new Process(clockThatIsSet, store, {}, new SteeredSecret(), 0.5, 'secret'),
      process(),
    ];
    const asked = losing.asks();
    await settled();
    other.asks();
    await settled();
    expect([losing.requests, other.requests]).toEqual([1, 0]);
    clockThatIsSet.setWallBy(-MINUTE);
    losing.endpoint.last.give(tokenOf(clockThatIsSet, 'own'));
    await clock.advance(POLL_MS);
    expect(asked.result?.reveal()).toBe('own');
    expect(other.requests).toBe(1);
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

  it('F9: a process that asks again in an outage keeps processes that have tried from asking for as long as its pause', async () => {
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
