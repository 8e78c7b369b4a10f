import type { CancelToken } from 'axios';

type Listener = (reason?: unknown) => void;

/**
 * A `CancelToken` as axios' adapters use one, without the cost of axios' own: a promise and an array for each request, and
 * an error with its stack for each cancelled request. An `AbortSignal` is made at the first read.
 */
export class Cancellation implements CancelToken {
  reason?: Error;
  #listener: Listener | undefined;
  #moreListeners: Set<Listener> | undefined;
  #controller: AbortController | undefined;

  cancel(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    this.#listener?.(reason);
    for (const listener of this.#moreListeners ?? []) listener(reason);
    this.#controller?.abort();
  }

  throwIfRequested(): void {
    if (this.reason) throw this.reason;
  }

  subscribe(listener: Listener): void {
    if (this.reason) listener(this.reason);
    else if (this.#listener === undefined) this.#listener = listener;
    else (this.#moreListeners ??= new Set()).add(listener);
  }

  unsubscribe(listener: Listener): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#moreListeners?.delete(listener);
  }

  get promise(): Promise<Error> {
    return new Promise((resolve) => this.subscribe(() => resolve(this.reason as Error)));
  }

  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason) this.#controller.abort();
    return this.#controller.signal;
  }
}
