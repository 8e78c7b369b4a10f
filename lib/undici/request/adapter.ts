import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { ReceivedBody } from '../../wire/received-body.js';
import { streamOfReceived } from '../../wire/sealed-readable.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { CallerLimits } from './caller-limits.js';
import { generalRequest } from './general-request.js';
import { UndiciExchange } from './undici-exchange.js';

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
