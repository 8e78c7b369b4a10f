import {
  type AxiosAdapter,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
  isAxiosError,
  CanceledError,
} from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { ReceivedBody } from '../../wire/received-body.js';
import { streamOfReceived } from '../../wire/sealed-readable.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { generalRequest } from './general-request.js';
import { UndiciExchange } from './undici-exchange.js';
import { timeoutError } from '../../net/timeout-error.js';
import { Cancellation } from '../../wire/wire-request.js';

interface Transport {
  readonly base: BaseAddress;
  readonly pool: ConnectionPool;
  /** Sends what the pool cannot send. */
  readonly others: { send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> };
  readonly speaksH2: boolean;
  readonly hasProxy: boolean;
}

/** An axios adapter. It decides before anything is sent whether undici's pool or axios' own adapter sends a request. */
export function createAdapter({ base, pool, others, speaksH2, hasProxy }: Transport): AxiosAdapter {
  return (config) => {
    const plan = generalRequest(config, base, { speaksH2, hasProxy });
    if (plan === undefined) return others.send(config);
    return new Promise((resolve, reject) => {
      const limits = new CallerLimits(config);
      const handOn = (response: AxiosResponse): void => {
        limits.stopTimer();
        if (!(response.data instanceof ReceivedBody)) return limits.release();
        const stream = streamOfReceived(response.data, () => limits.release());
        // Also after the whole body has come: the caller may abort before it reads.
        limits.cancellation.subscribe((reason) => stream.destroy(reason as Error));
        response.data = stream;
      };
      const exchange = new UndiciExchange(
        base,
        { ...plan, config, cancellation: limits.cancellation },
        {
          resolve(response) {
            handOn(response);
            resolve(response);
          },
          reject(error: Error) {
            const response = isAxiosError(error) ? error.response : undefined;
            if (response) handOn(response);
            else limits.release();
            reject(error);
          },
        },
      );
      limits.watch(plan.timeoutMs, () => exchange.shown);
      exchange.start(pool);
    });
  };
}

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
