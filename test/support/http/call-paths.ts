import { AsyncLocalStorage } from 'node:async_hooks';
import { Axios, type AxiosInstance } from 'axios';
import type {
  ProviderConnection,
  ProviderTransport,
} from '../../../lib/config/options/provider-transport.js';
import type { DirectConnection } from '../../../lib/wire/wire-request.js';
import { HttpsExchange } from '../../../lib/wire/https-exchange.js';

/** The calls that axios itself has made, by the interceptors of their instance. */
const callsByAxios = new WeakMap<object, number>();

/** The method in which axios merges the config of a call. The express path never calls this method of its instance. */
const MERGING = '_request';
const merging = Reflect.get(Axios.prototype, MERGING) as (...given: unknown[]) => unknown;
Reflect.set(Axios.prototype, MERGING, function counted(this: Axios, ...given: unknown[]) {
  callsByAxios.set(this.interceptors, (callsByAxios.get(this.interceptors) ?? 0) + 1);
  return Reflect.apply(merging, this, given);
});

/** How many calls of an instance took the general path (B16), as axios sees them. */
export function generalCallsOf({ interceptors }: AxiosInstance): number {
  return callsByAxios.get(interceptors) ?? 0;
}

const direct = new AsyncLocalStorage<{ requests: number }>();

/** How many requests of a call went past all adapters (B21). On undici, only those of `countingTransport`. */
export async function directRequestsOf(call: () => Promise<unknown>): Promise<number> {
  const count = { requests: 0 };
  await direct.run(count, call);
  return count.requests;
}

function countDirect(): void {
  const count = direct.getStore();
  if (count) count.requests += 1;
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
const { start } = HttpsExchange.prototype;
HttpsExchange.prototype.start = function counted(...given) {
  countDirect();
  start.apply(this, given);
};

/** The same transport. Its direct requests are counted. */
export function countingTransport(transport: ProviderTransport): ProviderTransport {
  return {
    ...transport,
    open(settings) {
      const connection: ProviderConnection & DirectConnection = transport.open(settings);
      const { directSender } = connection;
      if (directSender === undefined) return connection;
      const counting: DirectConnection['directSender'] = {
        ...directSender,
        send(request, result) {
          countDirect();
          directSender.send(request, result);
        },
      };
      return Object.assign(connection, { directSender: counting });
    },
  };
}
