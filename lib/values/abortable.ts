/** A shared promise for one caller. The caller's signal rejects this caller at once and no other. The shared work goes on. */
export function abortable<Result>(shared: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(aborted(signal));
    const unsubscribe = onAbort(signal, giveUp);
    // Code of the application that runs meanwhile, such as its logger, may have aborted the signal. A failure of the shared work is
    // handled here all the same.
    if (signal.aborted) giveUp();
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

/** A polyfill may lack both methods. */
type AnySignal = Partial<Pick<AbortSignal, 'addEventListener' | 'removeEventListener'>>;

const listenersOf = new WeakMap<AnySignal, Listeners>();

/**
 * Adds one listener for all callers that share a signal. Node compares each new listener with all others, so 10,000 calls at
 * once would take twice the CPU time. With more than ten, Node 20 prints `MaxListenersExceededWarning`; nodejs/node#55816 removed
 * this limit.
 */
export function onAbort(signal: AnySignal, callback: () => void): () => void {
  const { callbacks, callAll } = listenersOf.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener?.('abort', callAll);
  };
}

function listenTo(signal: AnySignal): Listeners {
  const callbacks = new Set<() => void>();
  const listeners = {
    callbacks,
    callAll: () => {
      for (const callback of callbacks)
        try {
          callback();
        } catch (error) {
          // Uncaught, as that of a separate listener. The others are called all the same.
          process.nextTick(() => {
            throw error;
          });
        }
    },
  };
  listenersOf.set(signal, listeners);
  signal.addEventListener?.('abort', listeners.callAll, { once: true });
  return listeners;
}
