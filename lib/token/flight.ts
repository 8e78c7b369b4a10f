import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';

/** Longer than any flight. The timer ends with the flight. */
const HOLD_MS = 2 ** 31 - 1;

/** One request for a token under way. All callers that need a token meanwhile share its result (B1). */
export class Flight {
  readonly promise: Promise<AccessToken>;
  readonly #clock: Clock;
  /** Of each caller, in case it leaves. */
  readonly #signals: (AbortSignal | undefined)[] = [];
  #stopHolding: (() => void) | undefined;

  constructor(promise: Promise<AccessToken>, clock: Clock) {
    this.promise = promise;
    this.#clock = clock;
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
    this.#stopHolding ??= this.#clock.after(HOLD_MS, () => {}, 'awaited');
    const own = abortable(this.promise.catch(throwCopy), signal);
    // A caller may look away (B9).
    own.catch(() => undefined);
    return own;
  }
}

function throwCopy(error: unknown): never {
  throw error instanceof TokenRequestError ? error.copy() : error;
}

/** A shared promise for one caller. The caller's signal rejects this caller at once and no other (B5). The shared work goes on. */
export function abortable<Result>(shared: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return shared;
  if (signal.aborted) return aborted(signal);
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => resolve(aborted(signal)));
    void shared.then(resolve, reject).finally(unsubscribe);
  });
}

/** A caller may abort with any value. The caller gets the same value back. */
export function aborted(signal: AbortSignal): Promise<never> {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  return Promise.reject(signal.reason);
}

interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly callAll: () => void;
}

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Adds one listener for all callers that share a signal.
 *
 * Workaround: with more than ten listeners on one signal, Node 20 prints `MaxListenersExceededWarning` (seen with 20.20.2;
 * nodejs/node#55816 removed this limit). `test/unit/token/flight.spec.ts` ("B5: listens once …") shows it. Can go with Node 20.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, callAll } = listenersOf.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>();
  const listeners = {
    callbacks,
    callAll: () => {
      for (const callback of callbacks) callback();
    },
  };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', listeners.callAll, { once: true });
  return listeners;
}
