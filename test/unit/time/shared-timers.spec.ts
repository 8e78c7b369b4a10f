import { describe, expect, it } from 'vitest';
import { SharedTimers } from '../../../lib/time/shared-timers.js';
import { FakeClock } from '../../support/token/fake-clock.js';

function setUp() {
  const clock = new FakeClock();
  const fired: string[] = [];
  const timers = new SharedTimers(clock);
  const after = (ms: number, name: string): (() => void) => timers.after(ms, () => fired.push(name));
  return { clock, fired, timers, after };
}

describe('timers of calls', () => {
  it('B16: share one timer of the clock if they have the same length', async () => {
    const { clock, fired, after } = setUp();
    after(100, 'a');
    await clock.advance(10);
    after(100, 'b');
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(90);
    expect(fired).toEqual(['a']);
    await clock.advance(10);
    expect(fired).toEqual(['a', 'b']);
    expect(clock.pending()).toHaveLength(0);
  });

  it('B16: do not fire when they were stopped, wherever they stand in the list', async () => {
    const { clock, fired, after } = setUp();
    const stops = ['a', 'b', 'c', 'd'].map((name) => after(100, name));
    stops[1]?.();
    stops[0]?.();
    stops[3]?.();
    stops[3]?.();
    await clock.advance(100);
    expect(fired).toEqual(['c']);
    stops[2]?.();
    expect(clock.pending()).toHaveLength(0);
  });

  it('B9: leave no timer of the clock when the last one was stopped', () => {
    const { clock, after } = setUp();
    const stops = [after(100, 'a'), after(200, 'b'), after(100, 'c')];
    expect(clock.pending('awaited')).toHaveLength(2);
    for (const stop of stops) stop();
    expect(clock.pending()).toHaveLength(0);
  });

  it('B16: may begin and stop each other while they fire', async () => {
    const { clock, fired, timers, after } = setUp();
    timers.after(100, () => {
      fired.push('a');
      stop();
      after(100, 'again');
    });
    const stop = after(100, 'b');
    await clock.advance(100);
    expect(fired).toEqual(['a']);
    await clock.advance(100);
    expect(fired).toEqual(['a', 'again']);
  });

  it('B5: keep the time of the others if a callback throws', async () => {
    const { clock, fired, timers, after } = setUp();
    timers.after(100, () => {
      throw new Error('by a caller');
    });
    after(100, 'b');
    await expect(clock.advance(100)).rejects.toThrow('by a caller');
    await clock.advance(0);
    expect(fired).toEqual(['b']);
  });

  it('B16: of many lengths fire too', async () => {
    const { clock, fired, after } = setUp();
    for (let ms = 1; ms <= 40; ms += 1) after(ms, `${ms}`);
    await clock.advance(40);
    expect(fired).toHaveLength(40);
  });
});
