import { describe, expect, it } from 'vitest';
import { settledWithin, TooSlowError } from '../../../lib/time/within.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

describe('settledWithin', () => {
  it('settles as the promise does, and leaves no timer', async () => {
    const clock = new FakeClock();
    const error = new Error('no');
    expect(await settledWithin(1_000, Promise.resolve('done'), clock)).toBe('done');
    expect(await errorOf(settledWithin(1_000, Promise.reject(error), clock))).toBe(error);
    expect(clock.pending()).toEqual([]);
  });

  it('a busy process reads a result that has arrived before it gives up', async () => {
    const clock = new FakeClock();
    let arrive: ((result: string) => void) | undefined;
    const arriving = new Promise<string>((resolve) => (arrive = resolve));
    const work = new Watched(settledWithin(1_000, arriving, clock));
    // Node runs a late timer first. The result is read right after it.
    clock.after(1_000, () => arrive?.('arrived'));
    await clock.advance(1_000);
    expect(work.result).toBe('arrived');
    expect(clock.pending()).toEqual([]);
  });

  it('B10: gives the time back that a busy process took, at most once the whole time', async () => {
    for (const [busyMs, extraMs] of [
      [150, 50],
      [5_000, 100],
    ] as const) {
      const clock = new FakeClock();
      const work = new Watched(settledWithin(100, new Promise(() => {}), clock));
      clock.setMonotonicBy(busyMs);
      await clock.advance(extraMs - 1);
      expect(work.state).toBe('waiting');
      await clock.advance(1);
      expect(work.error).toBeInstanceOf(TooSlowError);
      expect(work.error).toMatchObject({ code: 'ETIMEDOUT' });
    }
  });

  it('B9: ends with its signal, and leaves no timer', async () => {
    for (const early of [true, false]) {
      const clock = new FakeClock();
      const ending = new AbortController();
      if (early) ending.abort();
      const work = new Watched(settledWithin(1_000, new Promise(() => {}), clock, ending.signal));
      ending.abort();
      await settled();
      expect(work.error).toBeInstanceOf(TooSlowError);
      expect(clock.pending()).toEqual([]);
    }
  });
});
