import { AxiosError, CanceledError, type CancelToken, type InternalAxiosRequestConfig } from 'axios';
import type { Clock } from '../time/clock.js';
import { onAbort } from '../values/abortable.js';

type Listener = (reason?: unknown) => void;

/**
 * A `CancelToken` as axios' adapters use one, without the cost of axios' own: a promise and an array for each request, and an
 * error with its stack for each cancelled request.
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

type LimitedConfig = Pick<
  InternalAxiosRequestConfig,
  'timeout' | 'signal' | 'cancelToken' | 'timeoutErrorMessage' | 'transitional'
>;

const doNothing = (): void => undefined;

/**
 * The time of one call: `timeout` limits the wait for a token and both attempts together. The caller's `signal` and
 * `cancelToken` end the call at once.
 */
export class CallBudget {
  /**
   * Ends the request. The caller's own token and signal are never passed on: axios' fetch adapter writes its config into their
   * `reason`, which other calls see.
   */
  readonly cancellation = new Cancellation();
  readonly #config: LimitedConfig;
  readonly #shown: () => unknown;
  readonly #stopTimer: () => void;
  readonly #unsubscribe: () => void;
  #error?: Error;
  #reject: ((error: Error) => void) | undefined;
  #isStreaming = false;
  #whileWaiting = '';
  #unansweredMs: number | undefined;

  /** @param shown gives what errors show as the request. */
  constructor(config: LimitedConfig, clock: Clock, shown: () => unknown = doNothing) {
    this.#config = config;
    this.#shown = shown;
    const ms = timeoutOf(config);
    this.#stopTimer = ms > 0 ? clock.after(ms, () => this.#timeOut(ms)) : doNothing;
    this.#unsubscribe = config.signal || config.cancelToken ? this.#follow(config) : doNothing;
  }

  get ended(): boolean {
    return this.#error !== undefined;
  }

  /** The time limit of the call, if the limit ended a request that was under way. */
  get unansweredMs(): number | undefined {
    return this.#unansweredMs;
  }

  /**
   * The outcome of work that calls back, or the end of the budget if that comes first. If the budget has ended, the work does
   * not begin: an adapter may send a request also if it was cancelled before.
   *
   * @param whileWaiting ends the message of a timeout.
   */
  run<T>(
    work: (resolve: (result: T) => void, reject: (error: Error) => void) => void,
    whileWaiting = '',
  ): Promise<T> {
    this.#whileWaiting = whileWaiting;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#error) reject(this.#error);
      else work(resolve, reject);
    });
  }

  /** The same for work that is not sending. */
  wait<T>(begin: () => Promise<T>, whileWaiting: string): Promise<T> {
    return this.run((resolve, reject) => void begin().then(resolve, reject), whileWaiting);
  }

  /** The reader of a stream has no time limit. The reader or the caller's signal ends the stream. */
  lastsWithStream(): void {
    this.#stopTimer();
    this.#isStreaming = true;
  }

  /** The call is over, unless a stream is still being read. */
  settle(): void {
    if (!this.#isStreaming) this.finish();
  }

  finish(): void {
    this.#stopTimer();
    this.#unsubscribe();
  }

  /** With the error that axios makes, but a message of the module says what the call has waited for. */
  #timeOut(ms: number): void {
    if (this.#whileWaiting === '') this.#unansweredMs = ms;
    const { timeout, timeoutErrorMessage, transitional } = this.#config;
    const message = timeoutErrorMessage || `timeout of ${timeout}ms exceeded${this.#whileWaiting}`;
    const code = transitional?.clarifyTimeoutError ? AxiosError.ETIMEDOUT : AxiosError.ECONNABORTED;
    this.#endWith(new AxiosError(message, code, this.#config as InternalAxiosRequestConfig, this.#shown()));
  }

  #endWith(error: Error): void {
    this.#error ??= error;
    this.#stopTimer();
    this.#reject?.(error);
    // Adapters reject with the reason and may add their config to it, so no caller sees this reason.
    this.cancellation.cancel(new CanceledError());
  }

  #follow({ signal, cancelToken }: LimitedConfig): () => void {
    const byToken = (reason?: unknown): void => this.#endWith(reason as Error);
    const bySignal = (): void =>
      this.#endWith(new CanceledError(undefined, this.#config as InternalAxiosRequestConfig, this.#shown()));
    if (signal?.aborted) bySignal();
    const unsubscribe = signal ? onAbort(signal, bySignal) : doNothing;
    cancelToken?.subscribe(byToken);
    return () => {
      unsubscribe();
      cancelToken?.unsubscribe(byToken);
    };
  }
}

/** As axios reads a timeout. Throws the error of axios if it is none: that call would have no limit. */
function timeoutOf(config: LimitedConfig): number {
  const { timeout } = config;
  if (!timeout) return 0;
  if (Number.isFinite(timeout)) return Math.trunc(timeout);
  const ms = Number.parseInt(String(timeout), 10);
  if (!Number.isNaN(ms)) return ms;
  throw new AxiosError(
    'error trying to parse `config.timeout` to int',
    AxiosError.ERR_BAD_OPTION_VALUE,
    config as InternalAxiosRequestConfig,
  );
}
