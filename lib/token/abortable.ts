/**
 * A shared promise as one caller sees it: the caller's signal rejects this caller at once and nobody else (B5). The
 * shared work goes on; without a signal nothing is added to it.
 */
export function abortable<Result>(shared: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return shared;
  if (signal.aborted) return aborted(signal);
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => resolve(aborted(signal)));
    void shared.then(resolve, reject).finally(unsubscribe);
  });
}

/** A caller may abort with anything; what it chose is what it gets. */
export function aborted(signal: AbortSignal): Promise<never> {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  return Promise.reject(signal.reason);
}

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly tellAll: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/** One listener for all callers who share a signal: Node 20 warns of a leak when there are more than ten. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, tellAll } = waitingFor.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    waitingFor.delete(signal);
    signal.removeEventListener('abort', tellAll);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const waiting = {
    callbacks,
    tellAll: () => {
      for (const callback of callbacks) callback();
    },
  };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', waiting.tellAll, { once: true });
  return waiting;
}
