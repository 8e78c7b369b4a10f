import type { ShownRequest } from './shown.js';

/** What was answered in one second. */
export interface Second {
  /** When it begins, in milliseconds since 1970. */
  readonly at: number;
  readonly tokenRequests: number;
  readonly calls: number;
  /** Refused or failed: calls and token requests. */
  readonly failed: number;
  readonly sentAgain: number;
}

const MINUTE_MS = 60_000;

/** Counts the requests of each second of the last minute, for a small picture of it. */
export class LastMinute {
  readonly #seconds = new Map<number, Second>();

  add({ at: arrival, durationMs, kind, ok, resendOf }: ShownRequest): void {
    const answered = Date.parse(arrival) + durationMs;
    const at = answered - (answered % 1000);
    const second = this.#seconds.get(at) ?? { at, tokenRequests: 0, calls: 0, failed: 0, sentAgain: 0 };
    this.#seconds.set(at, {
      at,
      tokenRequests: second.tokenRequests + Number(kind === 'token'),
      calls: second.calls + Number(kind === 'api'),
      failed: second.failed + Number(!ok),
      sentAgain: second.sentAgain + Number(resendOf !== undefined),
    });
    this.#forget(answered);
  }

  /** Seconds without requests are left out. */
  list(now = Date.now()): readonly Second[] {
    this.#forget(now);
    return [...this.#seconds.values()];
  }

  #forget(now: number): void {
    for (const at of this.#seconds.keys()) if (at <= now - MINUTE_MS) this.#seconds.delete(at);
  }
}
