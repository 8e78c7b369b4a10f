import { describe, expect, it } from 'vitest';
import { within } from '../../../../lib/cli/steps/within.js';
import { TooSlowError } from '../../../../lib/time/within.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../../support/token/token-fixtures.js';

describe('within', () => {
  it('returns the result, and leaves no timer', async () => {
    const clock = new FakeClock();
    expect(await within(1_000, (resolve) => resolve('done'), clock)).toBe('done');
    expect(clock.pending()).toEqual([]);
  });

  it('rejects with the error of the work, and leaves no timer', async () => {
    const clock = new FakeClock();
    const error = new Error('no');
    expect(await errorOf(within(1_000, (_, reject) => reject(error), clock))).toBe(error);
    expect(clock.pending()).toEqual([]);
  });

  it('B9: leaves no timer if the work throws when it starts', async () => {
    const clock = new FakeClock();
    const error = new Error('at once');
    const start = (): never => {
      throw error;
    };
    expect(await errorOf(within(1_000, start, clock))).toBe(error);
    expect(clock.pending()).toEqual([]);
  });

  it('B6: ends work that takes too long', async () => {
    const clock = new FakeClock();
    let ended = 0;
    const end = (): void => {
      ended += 1;
    };
    const work = new Watched(within(1_000, () => end, clock));
    await clock.advance(999);
    expect(work.state).toBe('waiting');
    expect(ended).toBe(0);
    await clock.advance(1);
    expect(work.error).toBeInstanceOf(TooSlowError);
    expect(work.error).toMatchObject({ code: 'ETIMEDOUT' });
    expect(ended).toBe(1);
  });
});
