import { afterEach, describe, expect, it, vi } from 'vitest';
import { pause, systemClock } from '../../../lib/time/clock.js';
import { DAY, Watched } from '../../support/token/token-fixtures.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';

describe('systemClock', () => {
  afterEach(() => {
    // In this order: a spy on a faked setTimeout would bring the fake back, for whichever spec comes next.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('S11: gives wall time and a time that never runs backwards', () => {
    const wall = Date.now();
    const monotonic = performance.now();
    expect(systemClock.wall()).toBeGreaterThanOrEqual(wall);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(monotonic);
  });

  it('S11: waits out 30 days, which is more than a timer of Node can hold', async () => {
    vi.useFakeTimers();
    const callback = vi.fn<() => void>();
    systemClock.after(30 * DAY, callback, 'awaited');
    await vi.advanceTimersByTimeAsync(30 * DAY - 1);
    expect(callback).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(callback).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(60 * DAY);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('S11: cancels such a wait also after its first part', async () => {
    vi.useFakeTimers();
    const callback = vi.fn<() => void>();
    const cancel = systemClock.after(30 * DAY, callback, 'awaited');
    await vi.advanceTimersByTimeAsync(29 * DAY);
    cancel();
    await vi.advanceTimersByTimeAsync(60 * DAY);
    expect(callback).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fires at once when the moment has passed', async () => {
    vi.useFakeTimers();
    const callback = vi.fn<() => void>();
    systemClock.after(-5, callback, 'awaited');
    await vi.advanceTimersByTimeAsync(0);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('B9: only a timer that a caller waits for keeps the process alive', () => {
    const made = vi.spyOn(globalThis, 'setTimeout');
    const cancels = [
      systemClock.after(60_000, () => {}, 'awaited'),
      systemClock.after(60_000, () => {}, 'background'),
    ];
    const holds = made.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef());
    for (const cancel of cancels) cancel();
    expect(holds).toEqual([true, false]);
  });

  it('B9: every part of a long background wait lets the process go', async () => {
    vi.useFakeTimers();
    const made = vi.spyOn(globalThis, 'setTimeout');
    const cancel = systemClock.after(60 * DAY, () => {}, 'background');
    await vi.advanceTimersByTimeAsync(59 * DAY);
    const holds = made.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef());
    cancel();
    expect(holds).toEqual([false, false, false]);
  });
});

describe('pause', () => {
  it('ends after its time and leaves no timer', async () => {
    const clock = new FakeClock();
    const paused = new Watched(pause(clock, 100, 'awaited'));
    await clock.advance(99);
    expect(paused.state).toBe('waiting');
    await clock.advance(1);
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('B9: makes a timer of the given kind', () => {
    const clock = new FakeClock();
    void pause(clock, 1, 'awaited');
    void pause(clock, 2, 'background');
    expect(clock.history).toEqual([
      { ms: 1, kind: 'awaited' },
      { ms: 2, kind: 'background' },
    ]);
  });

  it('an abort ends it early and leaves no timer', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const paused = new Watched(pause(clock, 100, 'awaited', abort.signal));
    abort.abort();
    await settled();
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('does not begin when the signal is aborted already', async () => {
    const clock = new FakeClock();
    const paused = new Watched(pause(clock, 100, 'awaited', AbortSignal.abort()));
    await settled();
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('leaves no listener on the signal', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    void pause(clock, 100, 'awaited', signal);
    await clock.advance(100);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });
});
