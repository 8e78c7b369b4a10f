import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { systemClock } from '../../time/clock.js';
import { CallBudget, Cancellation } from '../../wire/call-budget.js';
import { ReceivedBody } from '../../wire/received-body.js';
import { streamOfReceived } from '../../wire/sealed-readable.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { generalRequest } from './general-request.js';
import { UndiciExchange } from './undici-exchange.js';

interface Transport {
  readonly base: BaseAddress;
  readonly pool: ConnectionPool;
  readonly others: { send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> };
  readonly hasProxy: boolean;
}

/** An axios adapter. It decides before anything is sent whether undici's pool or axios' own adapter sends a request. */
export function createAdapter({ base, pool, others, hasProxy }: Transport): AxiosAdapter {
  return (config) => {
    const plan = generalRequest(config, base, hasProxy);
    if (plan === undefined) return others.send(config);
    return new Promise((resolve, reject) => {
      const cancellation = new Cancellation();
      const handOn = (response: AxiosResponse): void => {
        if (!(response.data instanceof ReceivedBody)) return budget.finish();
        budget.lastsWithStream();
        const stream = streamOfReceived(response.data, () => budget.finish());
        // Also after the whole body has come: the caller may abort before it reads.
        cancellation.subscribe((reason) => stream.destroy(reason as Error));
        response.data = stream;
      };
      const exchange = new UndiciExchange(
        base,
        pool,
        { ...plan, config, cancellation },
        {
          resolve(response) {
            handOn(response);
            resolve(response);
          },
          reject(error: Error) {
            const response = isAxiosError(error) ? error.response : undefined;
            if (response) handOn(response);
            else budget.finish();
            reject(error);
          },
        },
      );
      // Requests of the module come with a `cancelToken` only. An adapter of the application may pass a request on with a
      // `timeout` or a `signal` that it has set itself (`test/e2e/undici/caller-limits.spec.ts`).
      const budget = new CallBudget(config, systemClock, () => exchange.shown, cancellation);
      exchange.start();
    });
  };
}
