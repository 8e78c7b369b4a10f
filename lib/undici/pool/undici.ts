// Keep this import first: it saves the dispatcher that undici 8 replaces.
import { hostFetchIsOnUndici8, restoreDispatcherOfHost } from './global-dispatcher.js';
import { buildConnector, Client, Pool } from 'undici';
import { SafeLogger } from '../../logging/safe-logger.js';

/** The parts of undici that this entry uses. No other file imports values from undici. */
export const undici = {
  buildConnector,
  Client,
  Pool,
  replacesDispatcherOfHost: restoreDispatcherOfHost(),
};

/** Warns where undici 8 runs on a Node whose own `fetch` it breaks (B27). */
export function warnOfUndici8(
  isBadPair = undici.replacesDispatcherOfHost || hostFetchIsOnUndici8(),
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): void {
  if (!isBadPair) return;
  logger.warn(
    "undici 8 replaces the dispatcher of this Node's own fetch (nodejs/undici#5500): then requests that set " +
      'Content-Length fail. The import of nestjs-provider-auth/undici puts the old dispatcher back, other imports do not. ' +
      'Install undici@7.',
  );
}
