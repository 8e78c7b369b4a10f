/** A shared promise for one caller. The caller's signal rejects this caller at once and no other (B5). The shared work goes on. */
export function abortable<Result>(shared: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(aborted(signal));
    const unsubscribe = onAbort(signal, giveUp);
    // The secret function of the application may have aborted the signal. A failure of the shared work is handled here all the same.
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

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Adds one listener for all callers that share a signal.
 *
 * Workaround: with more than ten listeners on one signal, Node 20 prints `MaxListenersExceededWarning` (seen with 20.20.2;
 * nodejs/node#55816 removed this limit). `test/unit/values/abortable.spec.ts` ("B5: listens once …") shows it. Can go with Node 20.
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
