import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { abortable } from '../values/abortable.js';

/** Longer than any flight. The timer ends with the flight. */
const HOLD_MS = 2 ** 31 - 1;

/** One request for a token under way. All callers that need a token meanwhile share its result (B1). */
export class Flight {
  /** Of each caller, in case it leaves. */
  readonly #signals: (AbortSignal | undefined)[] = [];
  #stopHolding: (() => void) | undefined;

  constructor(
    readonly promise: Promise<AccessToken>,
    private readonly clock: Clock,
  ) {
    const landed = (): void => this.#stopHolding?.();
    // If no caller waits, a failure must not become an unhandled rejection (B9).
    promise.then(landed, landed);
  }

  /** How many callers have joined. */
  get callers(): number {
    return this.#signals.length;
  }

  /** Whether a caller has joined and not left. */
  get isAwaited(): boolean {
    return this.#signals.some((signal) => signal?.aborted !== true);
  }

  /**
   * From the first caller on, the flight keeps the process alive until it ends (B9). Each caller gets a separate error: what
   * one writes on its error must not reach the others (B28).
   */
  join(signal: AbortSignal | undefined): Promise<AccessToken> {
    this.#signals.push(signal);
    this.#stopHolding ??= this.clock.after(HOLD_MS, () => {}, 'awaited');
    const own = abortable(this.promise.catch(throwCopy), signal);
    // A caller may look away (B9).
    own.catch(() => undefined);
    return own;
  }
}

function throwCopy(error: unknown): never {
  throw error instanceof TokenRequestError ? error.copy() : error;
}
