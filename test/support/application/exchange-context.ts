import { Server } from 'node:net';
import { vi } from 'vitest';
import type { ExchangeContext } from '../../../lib/testing/simulator/exchange.js';
import { OpenSockets } from '../../../lib/testing/simulator/open-sockets.js';
import { RequestObservers } from '../../../lib/testing/simulator/request-observers.js';
import { Timers } from '../../../lib/testing/simulator/timers.js';

interface ManualTimer {
  readonly ms: number;
  readonly callback: () => void;
  readonly repeats: boolean;
}

/** Timers of the simulator that a test fires. */
export class ManualTimers extends Timers {
  waiting: ManualTimer[] = [];

  override after(ms: number, callback: () => void): void {
    this.waiting.push({ ms, callback, repeats: false });
  }

  override every(ms: number, callback: () => void): () => void {
    const timer = { ms, callback, repeats: true };
    this.waiting.push(timer);
    return () => (this.waiting = this.waiting.filter((one) => one !== timer));
  }

  /** How long each timer waits. */
  get ms(): number[] {
    return this.waiting.map(({ ms }) => ms);
  }

  fire(): void {
    const fired = this.waiting;
    this.waiting = fired.filter(({ repeats }) => repeats);
    for (const { callback } of fired) callback();
  }
}

/** Any day: no test depends on it. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

/** What the endpoints of the simulator work with, under the control of a test. No reset reaches a socket. */
export function exchangeContext(given: Partial<ExchangeContext> = {}) {
  const now = given.now ?? (() => NOW);
  const sockets = new OpenSockets(new Server());
  const reset = vi.spyOn(sockets, 'reset').mockImplementation(() => undefined);
  const timers = new ManualTimers();
  const context = { sockets, timers, latencyMs: 0, now, observers: new RequestObservers(now), ...given };
  return { context, timers, reset };
}
