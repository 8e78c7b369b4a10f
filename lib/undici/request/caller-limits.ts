import { CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { timeoutError } from '../../net/timeout-error.js';
import { Cancellation } from '../../wire/wire-request.js';

/**
 * Ends a request of the general path: at its `timeout`, by its `signal` or by its `cancelToken`.
 *
 * Requests of the module come with a `cancelToken` only, because `lib/http` watches the timeout and the signal of the
 * caller. An adapter of the application may pass a request on with a `timeout` or a `signal` that it has set itself
 * (`test/e2e/undici/caller-limits.spec.ts`).
 */
export class CallerLimits {
  readonly cancellation = new Cancellation();
  readonly #config: InternalAxiosRequestConfig;
  #bySignal: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: InternalAxiosRequestConfig) {
    this.#config = config;
  }

  /** @param shown what an error shows as the request. */
  watch(timeoutMs: number, shown: () => unknown): void {
    const config = this.#config;
    const { signal, cancelToken } = config;
    if (timeoutMs > 0)
      this.#timer = setTimeout(() => this.cancellation.cancel(timeoutError(config, shown())), timeoutMs);
    cancelToken?.subscribe(this.#byToken);
    if (!signal) return;
    this.#bySignal = () => this.cancellation.cancel(new CanceledError(undefined, config, shown()));
    if (signal.aborted) this.#bySignal();
    else signal.addEventListener?.('abort', this.#bySignal);
  }

  /** The timeout does not limit how long a stream is read (B4). */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** Removes the listeners from what belongs to the caller. */
  release(): void {
    this.stopTimer();
    this.#config.cancelToken?.unsubscribe(this.#byToken);
    if (this.#bySignal) this.#config.signal?.removeEventListener?.('abort', this.#bySignal);
  }

  readonly #byToken = (reason?: unknown): void => this.cancellation.cancel(reason as Error);
}
