/**
 * A shared promise as one caller sees it: the caller's signal rejects this caller at once and nobody else (B5). The
 * shared work goes on; without a signal nothing is added to it.
 */
export function abortable<Result>(shared: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return shared;
  if (signal.aborted) return aborted(signal);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      resolve(aborted(signal));
    };
    signal.addEventListener('abort', abort, { once: true });
    void shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A caller may abort with anything; what it chose is what it gets. */
export function aborted(signal: AbortSignal): Promise<never> {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  return Promise.reject(signal.reason);
}
