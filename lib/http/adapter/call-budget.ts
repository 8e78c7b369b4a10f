import { AxiosError, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import type { Clock } from '../../time/clock.js';
import { Cancellation } from './cancellation.js';
import type { CallTrace } from '../redaction/call-trace.js';
import { snapshotOfCall } from '../redaction/request-snapshot.js';

const nothing = (): void => undefined;

/**
 * What one call may take: `timeout` is one budget over the wait for a token and both attempts (B4); the caller's
 * `signal` and `cancelToken` end it at once (B5).
 */
export class CallBudget {
  /**
   * For the adapter. The caller's own token and signal are never handed on: axios' fetch adapter writes its config into
   * the `reason` that they share with others (B12).
   */
  readonly cancellation = new Cancellation();
  readonly #trace: Pick<CallTrace, 'config' | 'address'>;
  readonly #stopTimer: () => void;
  readonly #unsubscribe: () => void;
  /** What the caller is told when the budget ends. */
  #end?: Error;
  #reject: ((error: Error) => void) | undefined;
  #isStreaming = false;

  constructor(trace: Pick<CallTrace, 'config' | 'address'>, clock: Clock) {
    const { config } = trace;
    this.#trace = trace;
    const ms = timeoutOf(config);
    this.#stopTimer =
      ms > 0 ? clock.after(ms, () => this.#finishWith(this.#timeoutError()), 'awaited') : nothing;
    this.#unsubscribe = config.signal || config.cancelToken ? this.#follow(config) : nothing;
  }

  /** Whether time is limited here, so that no adapter needs a timer of its own. */
  get isTimed(): boolean {
    return this.#stopTimer !== nothing;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  get signal(): AbortSignal {
    return this.cancellation.toAbortSignal();
  }

  /** The work's outcome, or the end of the budget if that comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#end) reject(this.#end);
      work.then(resolve, reject);
    });
  }

  /** The answer is a stream: its reader takes as long as they like, until they or the caller's signal end it. */
  lastsWithStream(): void {
    this.#stopTimer();
    this.#isStreaming = true;
  }

  /** The call is over, unless a stream is still being read. */
  settle(): void {
    if (!this.#isStreaming) this.finish();
  }

  /** Nothing of the call is left: the caller's signal is let go. */
  finish(): void {
    this.#stopTimer();
    this.#unsubscribe();
  }

  #finishWith(error: Error): void {
    this.#end ??= error;
    this.#stopTimer();
    this.#reject?.(error);
    // Adapters reject with the reason, and may hang their config on it: they get one that no caller sees (B12). With a
    // type, as an event has, axios' http adapter makes an error that shows the request, and so what came back for it.
    this.cancellation.cancel(Object.assign(new CanceledError(), { type: 'abort' }));
  }

  #follow({ signal, cancelToken }: InternalAxiosRequestConfig): () => void {
    const byToken = (reason?: unknown): void => this.#finishWith(reason as Error);
    const bySignal = (): void =>
      this.#finishWith(new CanceledError(undefined, this.#trace.config, this.#request));
    if (signal?.aborted) bySignal();
    signal?.addEventListener?.('abort', bySignal);
    cancelToken?.subscribe(byToken);
    return () => {
      signal?.removeEventListener?.('abort', bySignal);
      cancelToken?.unsubscribe(byToken);
    };
  }

  #timeoutError(): Error {
    const { timeout, timeoutErrorMessage, transitional } = this.#trace.config;
    const message = timeoutErrorMessage || `timeout of ${timeout}ms exceeded`;
    const code = transitional?.clarifyTimeoutError ? AxiosError.ETIMEDOUT : AxiosError.ECONNABORTED;
    return new AxiosError(message, code, this.#trace.config, this.#request);
  }

  get #request(): unknown {
    return this.#trace.address && snapshotOfCall(this.#trace);
  }
}

/** As axios reads it. What it cannot read stays in the config for axios to complain about. */
function timeoutOf({ timeout }: InternalAxiosRequestConfig): number {
  if (!timeout) return 0;
  return typeof timeout === 'number' && Number.isFinite(timeout)
    ? Math.trunc(timeout)
    : Number.parseInt(String(timeout), 10) || 0;
}
