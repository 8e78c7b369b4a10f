import type { ProviderTransport } from '../config/options/provider-transport.js';
import { AxiosFallback } from './axios-fallback.js';
import { BaseAddress } from '../net/base-address.js';
import { ConnectionPool } from './pool/connection-pool.js';
import {
  checkedConnectOptions,
  checkTransportOptions,
  type UndiciTransportOptions,
} from './transport-options.js';
import { warnOfUndici8 } from './pool/undici-8-warning.js';
import { createAdapter } from './undici-adapter.js';

/**
 * Requests on undici's connection pools instead of axios' http adapter (B14): for `http.transport`. Each interface and
 * environment has a pool of its own, which ends with the application.
 *
 * @example
 * http: { transport: undiciTransport({ connections: 64 }) }
 */
export function undiciTransport(options: UndiciTransportOptions = {}): ProviderTransport {
  checkTransportOptions(options);
  const connect = checkedConnectOptions(options);
  let isOpened = false;
  return {
    open({ baseUrl }) {
      if (!isOpened) warnOfUndici8();
      isOpened = true;
      const base = new BaseAddress(baseUrl);
      const pool = new ConnectionPool(base.origin, { ...options, connect });
      const axiosFallback = new AxiosFallback(connect);
      return {
        adapter: createAdapter({ base, pool, axiosFallback, speaksH2: options.allowH2 === true }),
        actsAsHttp: true,
        async close() {
          await pool.close();
          axiosFallback.close();
        },
      };
    },
  };
}
