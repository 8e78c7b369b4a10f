import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Timers } from '../../../../lib/testing/simulator/timers.js';

/** Longer than a timer of 1 ms needs. */
const A_WHILE_MS = 15;

it('a timer of the simulator calls back once, even with fake timers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const called = vi.fn<() => void>();
  new Timers().after(1, called);
  vi.useRealTimers();
  expect(called).not.toHaveBeenCalled();
  await sleep(A_WHILE_MS);
  expect(called).toHaveBeenCalledTimes(1);
});

it('a repeated timer calls back until it is stopped', async () => {
  const called = vi.fn<() => void>();
  const stop = new Timers().every(1, called);
  await expect.poll(() => called.mock.calls.length, { interval: 1, timeout: 5_000 }).toBeGreaterThan(2);
  stop();
  called.mockClear();
  await sleep(A_WHILE_MS);
  expect(called).not.toHaveBeenCalled();
});

it('close() ends all timers, and later timers never start', async () => {
  const timers = new Timers();
  const called = vi.fn<() => void>();
  timers.after(1, called);
  timers.every(1, called);
  timers.close();
  timers.after(1, called);
  const stop = timers.every(1, called);
  await sleep(A_WHILE_MS);
  expect(called).not.toHaveBeenCalled();
  expect(stop()).toBeUndefined();
});
