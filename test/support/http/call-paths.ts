import { Axios, type AxiosInstance } from 'axios';
import type {
  ProviderConnection,
  ProviderTransport,
} from '../../../lib/config/options/provider-transport.js';
import type { DirectConnection } from '../../../lib/wire/wire-request.js';
import { HttpsExchange } from '../../../lib/http/adapter/https-sender.js';

/** The calls that axios itself has made, by the interceptors of their instance. */
const callsByAxios = new WeakMap<object, number>();

/** The method in which axios merges the config of a call. The direct path never calls this method of its instance. */
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

/**
 * The requests that went past all adapters (B21), by host and first segment of the path. No `AsyncLocalStorage` finds the call of a
 * request: with it, promises have numbers, which the comparisons of results would see.
 */
const directRequests = new Map<string, number>();

function countDirect(host: string, path: string): void {
  const key = keyOf(host, path);
  directRequests.set(key, (directRequests.get(key) ?? 0) + 1);
}

function keyOf(host: string, path: string): string {
  return `${host}/${path.split('/')[1]}`;
}

/** Another simulator of this process may have had the same port before. */
export function forgetDirectRequests(): void {
  directRequests.clear();
}

/** How many requests to a base URL went past all adapters. On undici, only those of `countingTransport`. */
export function directRequestsTo(baseUrl: string): number {
  const { host, pathname } = new URL(baseUrl);
  return directRequests.get(keyOf(host, pathname)) ?? 0;
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
const { start } = HttpsExchange.prototype;
HttpsExchange.prototype.start = function counted(...given) {
  start.apply(this, given);
  if (this.shown) countDirect(String(this.shown.getHeader('host')), this.shown.path);
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
          countDirect(new URL(settings.baseUrl).host, request.path);
          directSender.send(request, result);
        },
      };
      return Object.assign(connection, { directSender: counting });
    },
  };
}
