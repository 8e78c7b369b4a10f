import { AxiosError, CanceledError, type InternalAxiosRequestConfig } from 'axios';

/** Ends a call with an error. */
export type EndCall = (error: unknown) => void;

/** What ends a call early: its `timeout`, `signal` and `cancelToken`. Costs nothing where none is given. */
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

  /** Calls back at once when the call has ended before it began. */
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

  /** The reader of a stream takes as long as they like (B4). */
  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Lets the caller's signal go. */
  release(): void {
    if (this.#timer) this.stopTimer();
    if (this.#byToken) this.#config.cancelToken?.unsubscribe(this.#byToken);
    if (this.#bySignal) this.#config.signal?.removeEventListener?.('abort', this.#bySignal);
  }
}

function timeoutError(config: InternalAxiosRequestConfig, request: object): AxiosError {
  const { timeout, timeoutErrorMessage, transitional } = config;
  const code = transitional?.clarifyTimeoutError ? AxiosError.ETIMEDOUT : AxiosError.ECONNABORTED;
  return new AxiosError(timeoutErrorMessage || `timeout of ${timeout}ms exceeded`, code, config, request);
}
