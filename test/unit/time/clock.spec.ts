import { afterEach, describe, expect, it, vi } from 'vitest';
import { inBackground, pause, systemClock } from '../../../lib/time/clock.js';
import { DAY, Watched } from '../../support/token/token-fixtures.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';

describe('systemClock', () => {
  afterEach(() => {
    // In this order: a spy on a faked setTimeout would bring the fake back, for whichever spec comes next.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('waits as long as Node can, if the time is longer', async () => {
    vi.useFakeTimers();
    const callback = vi.fn<() => void>();
    const cancel = systemClock.after(60 * DAY, callback);
    await vi.advanceTimersByTimeAsync(24 * DAY);
    expect(callback).not.toHaveBeenCalled();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fires at once when the moment has passed', async () => {
    vi.useFakeTimers();
    const callback = vi.fn<() => void>();
    systemClock.after(-5, callback);
    await vi.advanceTimersByTimeAsync(0);
    expect(callback).toHaveBeenCalledOnce();
  });
});

/** How many timers keep the process alive. */
function holding(): number {
  return process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
}

describe('inBackground', () => {
  it('B9: does not keep the process alive, in contrast to other timers', () => {
    const before = holding();
    const cancel = inBackground(systemClock).after(60_000, () => undefined);
    const cancelOther = systemClock.after(60_000, () => undefined);
    expect(holding()).toBe(before + 1);
    cancel();
    cancelOther();
    expect(holding()).toBe(before);
  });
});

describe('pause', () => {
  it('ends after its time and leaves no timer', async () => {
    const clock = new FakeClock();
    const paused = new Watched(pause(clock, 100));
    await clock.advance(99);
    expect(paused.state).toBe('waiting');
    await clock.advance(1);
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('an abort ends it early and leaves no timer', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const paused = new Watched(pause(clock, 100, abort.signal));
    abort.abort();
    await settled();
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('does not begin when the signal is aborted already', async () => {
    const clock = new FakeClock();
    const paused = new Watched(pause(clock, 100, AbortSignal.abort()));
    await settled();
    expect(paused.state).toBe('given');
    expect(clock.pending()).toEqual([]);
  });

  it('leaves no listener on the signal', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    void pause(clock, 100, signal);
    await clock.advance(100);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });
});
