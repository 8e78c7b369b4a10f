import { describe, expect, it } from 'vitest';
import { LogThrottle } from '../../../lib/logging/log-throttle.js';
import { FakeClock } from '../../support/token/fake-clock.js';

describe('LogThrottle', () => {
  it('B30: logs each problem once when it begins, and once that all are over', () => {
    const throttle = new LogThrottle();
    expect(throttle.ends()).toBe(false);
    expect([throttle.begins('one'), throttle.begins('one'), throttle.begins('two')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([throttle.has('one'), throttle.has('three')]).toEqual([true, false]);
    expect([throttle.ends(), throttle.ends()]).toEqual([true, false]);
    expect(throttle.begins('one')).toBe(true);
  });

  it('B30: a problem that begins again too soon is not logged, and its end is not logged either', async () => {
    const clock = new FakeClock();
    const throttle = new LogThrottle(clock, 1_000);
    expect([throttle.begins(), throttle.ends()]).toEqual([true, true]);
    await clock.advance(999);
    expect([throttle.begins(), throttle.ends()]).toEqual([false, false]);
    await clock.advance(1);
    expect([throttle.begins(), throttle.ends()]).toEqual([true, true]);
  });

  it('B30: a problem that is over at once is logged again only after the time', async () => {
    const clock = new FakeClock();
    const throttle = new LogThrottle(clock, 1_000);
    expect([throttle.recurs(), throttle.recurs()]).toEqual([true, false]);
    await clock.advance(999);
    expect(throttle.recurs()).toBe(false);
    await clock.advance(1);
    expect(throttle.recurs()).toBe(true);
  });
});
