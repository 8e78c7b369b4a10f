import type { ShownRequest } from './shown.js';

/** What was answered in one second, and the faults that were caused or that answered. */
export interface Second {
  /** When it begins, in milliseconds since 1970. */
  readonly at: number;
  readonly tokenRequests: number;
  readonly calls: number;
  /** Refused or failed: calls and token requests. */
  readonly failed: number;
  readonly sentAgain: number;
  readonly faults: number;
}

const MINUTE_MS = 60_000;

/** Counts the requests of each second of the last minute, for a small picture of it. */
export class LastMinute {
  readonly #seconds = new Map<number, Second>();

  add({ at, durationMs, kind, ok, resendOf, fault }: ShownRequest): void {
    this.#add(Date.parse(at) + durationMs, {
      tokenRequests: Number(kind === 'token'),
      calls: Number(kind === 'api'),
      failed: Number(!ok),
      sentAgain: Number(resendOf !== undefined),
      faults: Number(fault !== undefined),
    });
  }

  addFault(at: number): void {
    this.#add(at, { tokenRequests: 0, calls: 0, failed: 0, sentAgain: 0, faults: 1 });
  }

  /** Seconds without requests are left out. */
  list(now = Date.now()): readonly Second[] {
    this.#forget(now);
    return [...this.#seconds.values()];
  }

  #add(now: number, more: Omit<Second, 'at'>): void {
    const at = now - (now % 1000);
    const second = this.#seconds.get(at);
    this.#seconds.set(at, {
      at,
      tokenRequests: more.tokenRequests + (second?.tokenRequests ?? 0),
      calls: more.calls + (second?.calls ?? 0),
      failed: more.failed + (second?.failed ?? 0),
      sentAgain: more.sentAgain + (second?.sentAgain ?? 0),
      faults: more.faults + (second?.faults ?? 0),
    });
    this.#forget(now);
  }

  #forget(now: number): void {
    for (const at of this.#seconds.keys()) if (at <= now - MINUTE_MS) this.#seconds.delete(at);
  }
}
