import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { abortable } from '../values/abortable.js';

/** Longer than any flight. The timer ends with the flight. */
const HOLD_MS = 2 ** 31 - 1;

/** One request for a token under way. All callers that need a token meanwhile share its result (B1). */
export class Flight {
  /** How many callers have joined. */
  callers = 0;
  #waiting = 0;
  #stopHolding: (() => void) | undefined;

  /** @param onLeft is called when no caller waits any more. */
  constructor(
    readonly promise: Promise<AccessToken>,
    private readonly clock: Clock,
    private readonly onLeft: () => void,
  ) {
    const landed = (): void => this.#stopHolding?.();
    // If no caller waits, a failure must not become an unhandled rejection.
    promise.then(landed, landed);
  }

  /** Whether a caller has joined and not left. */
  get isAwaited(): boolean {
    return this.#waiting > 0;
  }

  /**
   * While a caller waits, the flight keeps the process alive. Each caller gets a separate error: what one writes on its error
   * must not reach the others.
   */
  join(signal: AbortSignal | undefined): Promise<AccessToken> {
    this.callers += 1;
    this.#waiting += 1;
    this.#stopHolding ??= this.clock.after(HOLD_MS, () => {}, 'awaited');
    const own = abortable(this.promise.catch(throwCopy), signal);
    // A caller may ignore its promise, so its failure is handled here.
    own.catch(() => this.#leave());
    return own;
  }

  #leave(): void {
    this.#waiting -= 1;
    if (this.isAwaited) return;
    this.#stopHolding?.();
    this.#stopHolding = undefined;
    this.onLeft();
  }
}

function throwCopy(error: unknown): never {
  throw error instanceof TokenRequestError ? error.copy() : error;
}
