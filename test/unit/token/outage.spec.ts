import { describe, expect, it } from 'vitest';
import { Outage } from '../../../lib/token/outage.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf } from '../../support/token/token-fixtures.js';

/** No jitter: the middle of its range. */
const even = (): number => 0.5;

/** A renewal fails: the milliseconds until the next try. */
function pauseOf(outage: Outage, clock: FakeClock, retryAfterMs?: number): number {
  const { retryAt } = outage.failed(failureOf('TOKEN_UNAVAILABLE', { retryAfterMs }));
  return (retryAt?.getTime() ?? Number.NaN) - clock.wall();
}

describe('Outage', () => {
  it.each([
    [0, 250],
    [2_400, 250],
    [10_000, 1_000],
    [30_000, 3_000],
    [3_600_000, 5_000],
  ])('B18: pauses a tenth of the time since the first failure: after %i ms, %i ms', async (ms, pause) => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    pauseOf(outage, clock);
    await clock.advance(ms);
    expect(pauseOf(outage, clock)).toBeCloseTo(pause);
  });

  it('B18: counts from the first failed attempt of the first failed renewal', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.attemptFailed(1);
    await clock.advance(5_000);
    outage.attemptFailed(2);
    await clock.advance(5_000);
    expect(pauseOf(outage, clock)).toBeCloseTo(1_000);
    await clock.advance(1_000);
    outage.attemptFailed(1);
    expect(pauseOf(outage, clock)).toBeCloseTo(1_100);
  });

  it('B18: forgets a failed attempt whose renewal did not fail', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.attemptFailed(1);
    expect(outage.isOn).toBe(false);
    await clock.advance(60_000);
    outage.attemptFailed(1);
    expect(pauseOf(outage, clock)).toBe(250);
  });

  it('B18: forgets a failed attempt whose renewal was refused in the end', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.attemptFailed(1);
    outage.failed(failureOf('TOKEN_REJECTED'));
    await clock.advance(60_000);
    expect(pauseOf(outage, clock)).toBe(250);
  });

  it('B18: is on from the first failed renewal until one succeeds, and the next outage starts anew', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    expect(outage.isOn).toBe(false);
    pauseOf(outage, clock);
    expect(outage.isOn).toBe(true);
    await clock.advance(60_000);
    pauseOf(outage, clock);
    expect(outage.isOn).toBe(true);
    outage.ended();
    expect(outage.isOn).toBe(false);
    expect(pauseOf(outage, clock)).toBe(250);
  });

  it('B18: pauses as long as Retry-After asks, if that is longer', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    expect(pauseOf(outage, clock, 7_000)).toBe(7_000);
    expect(pauseOf(outage, clock, 100)).toBe(250);
    await clock.advance(3_600_000);
    expect(pauseOf(outage, clock, 600_000)).toBe(600_000);
  });

  it('B18: jitters by 20 % at most, and balances each second pause with the one before, so that bad luck costs no requests', () => {
    const draws = [0, 0.25, 1];
    const clock = new FakeClock();
    const outage = new Outage(clock, () => draws.shift() ?? Number.NaN);
    const pauses = Array.from({ length: 6 }, () => Math.round(pauseOf(outage, clock)));
    expect(pauses).toEqual([200, 300, 225, 275, 300, 200]);
  });

  it('B18: a corrected wall clock changes no pause', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    pauseOf(outage, clock);
    clock.setWallBy(3_600_000);
    expect(pauseOf(outage, clock)).toBe(250);
    clock.setWallBy(-7_200_000);
    await clock.advance(20_000);
    expect(pauseOf(outage, clock)).toBeCloseTo(2_000);
  });

  it('B10: joins the outage of another process, and pauses as long as if it had failed since then', async () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.continueOutage(20_000);
    expect(outage.isOn).toBe(true);
    await clock.advance(10_000);
    expect(pauseOf(outage, clock)).toBeCloseTo(3_000);
  });

  it.each([
    ['earlier', 20_000, 2_000],
    ['later', 5_000, 1_000],
  ])(
    'B10: counts from its first failure or from that of another process that is %s',
    async (_, ageMs, pause) => {
      const clock = new FakeClock();
      const outage = new Outage(clock, even);
      pauseOf(outage, clock);
      await clock.advance(10_000);
      outage.continueOutage(ageMs);
      expect(pauseOf(outage, clock)).toBeCloseTo(pause);
    },
  );

  it('B10: a token of any process ends the cool-down, and the count of refusals', () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    outage.failed(failureOf('TOKEN_REJECTED'));
    outage.ended();
    expect(outage.standingError).toBeUndefined();
    const { retryAt } = outage.failed(failureOf('TOKEN_REJECTED'));
    expect(retryAt).toEqual(new Date(clock.wall() + 5_000));
  });

  it('B33: an unknown account counts for a second, and is no outage', () => {
    const clock = new FakeClock();
    const outage = new Outage(clock, even);
    const { retryAt } = outage.failed(failureOf('ACCOUNT_UNKNOWN'));
    expect(retryAt).toEqual(new Date(clock.wall() + 1_000));
    expect(outage.isOn).toBe(false);
  });
});
