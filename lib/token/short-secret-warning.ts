import { pairName } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { SafeLogger } from '../logging/safe-logger.js';

/** A random secret of letters and digits that is this long cannot be guessed by trying all values. */
const SHORTEST_SAFE_SECRET = 16;

/**
 * Warns of short client secrets if a store shares the tokens. The key of the entries is made from the client secret. A
 * reader of the store who knows the client id can therefore try secrets without sending a request (B11). There
 * is no warning if the option `clientSecret` is a function: it is called for token requests only (B8), so its length is
 * unknown at boot.
 */
export function warnOfShortSecrets(
  { profiles, store }: Pick<Settings, 'profiles' | 'store'>,
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): void {
  if (store === undefined) return;
  for (const profile of profiles) {
    const { clientSecret } = profile;
    if ((clientSecret.atBoot?.reveal().length ?? SHORTEST_SAFE_SECRET) >= SHORTEST_SAFE_SECRET) continue;
    logger.warn(
      `The client secret of ${pairName(profile)} has fewer than ${SHORTEST_SAFE_SECRET} characters. ` +
        'Entries in the token store are sealed with a key made from it, so a reader of the store can guess it. ' +
        'Ask the provider for a longer secret, or make sure that only this application can read the store.',
    );
  }
}
