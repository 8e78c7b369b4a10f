import { describe, expect, it } from 'vitest';
import { SharedReading, settledWithin, TooSlowError } from '../../../lib/time/within.js';
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
    clock.after(1_000, () => arrive?.('arrived'), 'background');
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

  it('B9: sets timers of the given kind', async () => {
    const clock = new FakeClock();
    const never = new Promise(() => {});
    void errorOf(settledWithin(1_000, never, clock));
    void errorOf(settledWithin(1_000, never, clock, 'background'));
    await clock.advance(1_000);
    expect(clock.history.map(({ kind }) => kind)).toEqual(['awaited', 'background', 'awaited', 'background']);
  });
});

function givenReading() {
  const clock = new FakeClock();
  const shared = new SharedReading<string>();
  const begun: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const look = (): Watched<string> =>
    new Watched(
      shared.look(
        250,
        () => new Promise<string>((resolve, reject) => void begun.push({ resolve, reject })),
        clock,
      ),
    );
  return { clock, shared, begun, look };
}

describe('a reading for looks that wait only briefly', () => {
  it('B7: that is slow goes on, and the next look gets its result', async () => {
    const { clock, begun, look } = givenReading();
    const first = look();
    expect(clock.pending('background')).toHaveLength(1);
    await clock.advance(250);
    expect(first.error).toBeInstanceOf(TooSlowError);
    const second = look();
    expect(begun).toHaveLength(1);
    begun[0]?.resolve('late');
    await settled();
    expect(second.result).toBe('late');
  });

  it.each(['resolves', 'rejects'] as const)('B7: that %s is not used again', async (how) => {
    const { begun, look } = givenReading();
    const first = look();
    if (how === 'resolves') begun[0]?.resolve('first');
    else begun[0]?.reject(new Error('no'));
    await settled();
    expect(first.state).toBe(how === 'resolves' ? 'given' : 'failed');
    look();
    expect(begun).toHaveLength(2);
  });

  it('B7: that is slow is forgotten if another reading has begun', async () => {
    const { clock, shared, begun, look } = givenReading();
    look();
    await clock.advance(250);
    shared.forget();
    look();
    expect(begun).toHaveLength(2);
  });
});
