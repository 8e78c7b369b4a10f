import { CanceledError, type CancelToken, type InternalAxiosRequestConfig } from 'axios';
import { timeoutError } from '../../net/timeout-error.js';

/** Ends a call with an error. */
export type EndCall = (error: unknown) => void;

/** What ends a request early. */
export interface RequestLimits {
  /** If the call has ended before, this method calls `end` at once. */
  watch(end: EndCall, request: () => object): void;
  /** The timeout does not limit how long a stream is read (B4). */
  stopTimer(): void;
  /** Removes the listeners from what belongs to the caller. */
  release(): void;
}

/** Ends the request of an ordinary call. Its time, its `signal` and its `cancelToken` are watched by `lib/http`. */
export class CancellationOnly implements RequestLimits {
  #end: EndCall | undefined;

  constructor(private readonly cancellation: CancelToken) {}

  watch(end: EndCall): void {
    this.cancellation.subscribe((this.#end = end));
  }

  /** There is no timer. */
  stopTimer(): void {}

  release(): void {
    if (this.#end) this.cancellation.unsubscribe(this.#end);
  }
}

/**
 * Ends a request early: at its `timeout`, by its `signal` or by its `cancelToken`.
 *
 * Requests of the module come with a `cancelToken` only, because `lib/http` watches the timeout and the signal of the
 * caller. An adapter of the application may pass a request on with a `timeout` or a `signal` that it has set itself
 * (`test/e2e/undici/caller-limits.spec.ts`).
 */
export class CallerLimits implements RequestLimits {
  readonly #config: InternalAxiosRequestConfig;
  readonly #timeoutMs: number;
  #byToken: EndCall | undefined;
  #bySignal: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: InternalAxiosRequestConfig, timeoutMs: number) {
    this.#config = config;
    this.#timeoutMs = timeoutMs;
  }

  watch(end: EndCall, request: () => object): void {
    const config = this.#config;
    const { signal, cancelToken } = config;
    if (this.#timeoutMs > 0) {
      this.#timer = setTimeout(() => end(timeoutError(config, request())), this.#timeoutMs);
    }
    if (cancelToken) cancelToken.subscribe((this.#byToken = end));
    if (!signal) return;
    this.#bySignal = () => end(new CanceledError(undefined, config, request()));
    if (signal.aborted) this.#bySignal();
    else signal.addEventListener?.('abort', this.#bySignal);
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  release(): void {
    if (this.#timer) this.stopTimer();
    if (this.#byToken) this.#config.cancelToken?.unsubscribe(this.#byToken);
    if (this.#bySignal) this.#config.signal?.removeEventListener?.('abort', this.#bySignal);
  }
}
