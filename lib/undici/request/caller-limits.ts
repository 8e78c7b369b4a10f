import { CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { timeoutError } from '../../net/timeout-error.js';

/** Ends a call with an error. */
export type EndCall = (error: unknown) => void;

/**
 * Ends a request early: at its `timeout`, by its `signal` or by its `cancelToken`.
 *
 * Requests of the module come with a `cancelToken` only, because `lib/http` watches the timeout and the signal of the
 * caller. An adapter of the application may pass a request on with a `timeout` or a `signal` that it has set itself
 * (`test/e2e/undici/caller-limits.spec.ts`).
 */
export class CallerLimits {
  readonly #config: InternalAxiosRequestConfig;
  readonly #timeoutMs: number;
  readonly #request: object;
  #byToken: EndCall | undefined;
  #bySignal: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: InternalAxiosRequestConfig, timeoutMs: number, request: object) {
    this.#config = config;
    this.#timeoutMs = timeoutMs;
    this.#request = request;
  }

  /** If the signal or the token has ended the call before, this method calls `end` at once. */
  watch(end: EndCall): void {
    const config = this.#config;
    const request = this.#request;
    const { signal, cancelToken } = config;
    if (this.#timeoutMs > 0) {
      this.#timer = setTimeout(() => end(timeoutError(config, request)), this.#timeoutMs);
    }
    if (cancelToken) cancelToken.subscribe((this.#byToken = end));
    if (!signal) return;
    this.#bySignal = () => end(new CanceledError(undefined, config, request));
    if (signal.aborted) this.#bySignal();
    else signal.addEventListener?.('abort', this.#bySignal);
  }

  /** The timeout does not limit how long a stream is read (B4). */
  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Removes the listeners from the caller's signal and token. */
  release(): void {
    if (this.#timer) this.stopTimer();
    if (this.#byToken) this.#config.cancelToken?.unsubscribe(this.#byToken);
    if (this.#bySignal) this.#config.signal?.removeEventListener?.('abort', this.#bySignal);
  }
}
