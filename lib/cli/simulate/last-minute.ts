import type { ShownRequest } from './shown.js';

/** What was answered in one second, and the faults that were caused or that answered. `failed` has refused calls, too. */
const NOTHING = { tokenRequests: 0, calls: 0, failed: 0, sentAgain: 0, faults: 0 };

/** `at` is when the second begins, in milliseconds since 1970. */
type Second = typeof NOTHING & { readonly at: number };

const MINUTE_MS = 60_000;

/** Counts the requests of each second of the last minute, for a small picture of it. */
export class LastMinute {
  readonly #seconds = new Map<number, Second>();

  add({ at, durationMs, kind, ok, resendOf, fault }: ShownRequest): void {
    const answeredAt = Date.parse(at) + durationMs;
    this.#count(answeredAt, kind === 'token' ? 'tokenRequests' : 'calls');
    if (!ok) this.#count(answeredAt, 'failed');
    if (resendOf !== undefined) this.#count(answeredAt, 'sentAgain');
    if (fault !== undefined) this.addFault(answeredAt);
  }

  addFault(at: number): void {
    this.#count(at, 'faults');
  }

  /** Seconds without requests are left out. */
  list(now = Date.now()): Second[] {
    for (const at of this.#seconds.keys()) if (at <= now - MINUTE_MS) this.#seconds.delete(at);
    return [...this.#seconds.values()];
  }

  #count(now: number, name: keyof typeof NOTHING): void {
    const at = now - (now % 1000);
    const second = this.#seconds.get(at) ?? { at, ...NOTHING };
    this.#seconds.set(at, { ...second, [name]: second[name] + 1 });
    this.list(now);
  }
}
