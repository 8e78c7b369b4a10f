import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { abortable } from './abortable.js';

/** Longer than any flight; only its end lets the process go. */
const HOLD_MS = 2 ** 31 - 1;

/** A request for a token under way. The promise is the lock: whoever needs a token meanwhile shares it (B1). */
export class Flight {
  readonly promise: Promise<AccessToken>;
  readonly #clock: Clock;
  #callers = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(promise: Promise<AccessToken>, clock: Clock) {
    this.promise = promise;
    this.#clock = clock;
    const landed = (): void => this.#unsubscribe?.();
    // Nobody may be waiting, and a failure is nobody's then (B9).
    promise.then(landed, landed);
  }

  /** How many have joined. */
  get callers(): number {
    return this.#callers;
  }

  /** From the first caller on, the flight keeps the process alive until it has landed (B9). */
  join(signal: AbortSignal | undefined): Promise<AccessToken> {
    this.#callers += 1;
    this.#unsubscribe ??= this.#clock.after(HOLD_MS, () => {}, 'awaited');
    return abortable(this.promise, signal);
  }
}
