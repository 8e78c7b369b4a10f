import type { ProviderTransport } from '../config/options/provider-transport.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { checkTransportOptions, type UndiciTransportOptions } from './options.js';
import { isBesideOldFetch } from './pool.js';
import { UndiciSource } from './undici-source.js';

/**
 * Sends API requests over undici's connections: more requests per second, and less CPU time. Set it as `http.transport`. Each
 * interface and environment has its own connections, which close with your app.
 *
 * @example
 * http: { transport: undiciTransport({ connections: 64 }) }
 */
export function undiciTransport(options: UndiciTransportOptions = {}): ProviderTransport {
  checkTransportOptions(options);
  const { connections } = options;
  let isOpened = false;
  return {
    usesTls: true,
    open({ tls, proxy, ...pair }) {
      if (!isOpened) warnOfUndici8();
      isOpened = true;
      return new UndiciSource({ pair, tls, proxy, connections });
    },
  };
}

function warnOfUndici8(): void {
  if (!isBesideOldFetch) return;
  new SafeLogger().warn(
    "undici 8 replaces the dispatcher of this Node's own fetch (nodejs/undici#5500): then requests that set " +
      'Content-Length fail. The import of nestjs-provider-auth/undici puts the old dispatcher back, other imports do not. ' +
      'Install undici@7.',
  );
}
