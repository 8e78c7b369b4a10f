import type { ProviderTransport } from '../config/options/provider-transport.js';
import { readOptions, Refused, Whole } from '../config/setting.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { isBesideOldFetch } from './pool.js';
import { UndiciSource } from './undici-source.js';

/** Options of `undiciTransport()`. */
export class UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  @Whole(1)
  readonly connections?: number | undefined;

  /** @internal */
  @Refused(
    'is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out. Certificates come from tls.',
  )
  readonly allowH2?: never;

  /** @internal */
  @Refused(
    'is not an option any more. Set certificates, a passphrase, servername, minVersion and ciphers in tls of the environment. ' +
      'For lookup and family, use the default transport with http.httpsAgent: new https.Agent({ lookup, family }).',
  )
  readonly connect?: never;
}

/**
 * Sends API requests over undici's connections: more requests per second, and less CPU time. Set it as `http.transport`. Each
 * interface and environment has its own connections, which close with your app.
 *
 * @example
 * http: { transport: undiciTransport({ connections: 64 }) }
 */
export function undiciTransport(options: UndiciTransportOptions = {}): ProviderTransport {
  // Wrong options fail the boot, and not the first request.
  readOptions(UndiciTransportOptions, options, 'http.transport');
  const { connections } = options;
  let isOpened = false;
  return {
    open({ tls, proxy }) {
      if (!isOpened) warnOfUndici8();
      isOpened = true;
      return new UndiciSource({ tls, proxy, connections });
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
