import { describe, expect, it } from 'vitest';
import { Outage } from '../../../lib/token/outage.js';
import { FakeClock } from '../../support/token/fake-clock.js';

/** No jitter: the middle of its range. */
const even = (): number => 0.5;

describe('Outage', () => {
  it('B18: pauses 250 ms at first', () => {
    const outage = new Outage(new FakeClock(), even);
    expect(outage.failed()).toBe(250);
  });

  it.each([
    [2_400, 250],
    [10_000, 1_000],
    [30_000, 3_000],
    [3_600_000, 5_000],
  ])('B18: pauses a tenth of the time since the first failure: after %i ms, %i ms', async (ms, pause) => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.failed();
    await clock.advance(ms);
    expect(outage.failed()).toBeCloseTo(pause);
  });

  it('B18: counts from the first failed attempt of the first failed renewal', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.attemptFailed(1);
    await clock.advance(5_000);
    outage.attemptFailed(2);
    await clock.advance(5_000);
    expect(outage.failed()).toBeCloseTo(1_000);
    await clock.advance(1_000);
    outage.attemptFailed(1);
    expect(outage.failed()).toBeCloseTo(1_100);
  });

  it('B18: forgets a failed attempt whose renewal did not fail', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.attemptFailed(1);
    expect(outage.isOn).toBe(false);
    await clock.advance(60_000);
    outage.attemptFailed(1);
    expect(outage.failed()).toBe(250);
  });

  it('B18: is on from the first failed renewal until one succeeds, and the next outage starts anew', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    expect(outage.isOn).toBe(false);
    outage.failed();
    expect(outage.isOn).toBe(true);
    await clock.advance(60_000);
    outage.failed();
    expect(outage.isOn).toBe(true);
    outage.ended();
    expect(outage.isOn).toBe(false);
    expect(outage.failed()).toBe(250);
  });

  it('B18: pauses as long as Retry-After asks, if that is longer', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    expect(outage.failed(7_000)).toBe(7_000);
    expect(outage.failed(100)).toBe(250);
    await clock.advance(3_600_000);
    expect(outage.failed(600_000)).toBe(600_000);
  });

  it('B18: jitters by 20 % at most', () => {
    for (const [random, pause] of [
      [0, 200],
      [0.25, 225],
      [1, 300],
    ] as const) {
      expect(new Outage(new FakeClock(), () => random).failed()).toBeCloseTo(pause);
    }
  });

  it('B18: balances each second pause with the one before, so that bad luck costs no requests', () => {
    const draws = [0, 0.25, 1];
    const outage = new Outage(new FakeClock(), () => draws.shift() ?? Number.NaN);
    const pauses = Array.from({ length: 6 }, () => Math.round(outage.failed()));
    expect(pauses).toEqual([200, 300, 225, 275, 300, 200]);
  });

  it('B18: a corrected wall clock changes no pause', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.failed();
    clock.setWallBy(3_600_000);
    expect(outage.failed()).toBe(250);
    clock.setWallBy(-7_200_000);
    await clock.advance(20_000);
    expect(outage.failed()).toBeCloseTo(2_000);
  });

  it('B10: joins the outage of another process, and pauses as long as if it had failed since then', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.continueOutage(20_000);
    expect(outage.isOn).toBe(true);
    await clock.advance(10_000);
    expect(outage.failed()).toBeCloseTo(3_000);
  });

  it.each([
    ['earlier', 20_000, 2_000],
    ['later', 5_000, 1_000],
  ])(
    'B10: counts from its first failure or from that of another process that is %s',
    async (_, ageMs, pause) => {
      const clock = new FakeClock();
      const outage = new Outage(clock, even);
      outage.failed();
      await clock.advance(10_000);
      outage.continueOutage(ageMs);
      expect(outage.failed()).toBeCloseTo(pause);
    },
  );
});
