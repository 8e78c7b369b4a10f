import { onTestFinished, vi } from 'vitest';

/**
 * Stops the clocks and the timers of this process until the test ends. Servers still answer. For time limits that a whole
 * application has: the test waits until a request has arrived, and lets the time pass.
 */
export function stopTime(): { pass(ms: number): Promise<void> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)) };
}
