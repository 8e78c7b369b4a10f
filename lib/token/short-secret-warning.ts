import type { Profile, Settings } from '../config/options/profile.js';
import { SecretFunction } from '../config/secret-sources/secret-sources.js';
import { SafeLogger } from '../logging/safe-logger.js';

/** A random secret of letters and digits that is this long cannot be guessed by trying all values. */
const SHORTEST_SAFE_SECRET = 16;

/**
 * Warns of short client secrets if a store shares the tokens. The key of the entries is made from the client secret. A
 * reader of the store who knows the client id can therefore try secrets without sending a request (B11). A secret function
 * is not called here: it is called for token requests only (B8).
 */
export async function warnOfShortSecrets(
  { profiles, store }: Pick<Settings, 'profiles' | 'store'>,
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): Promise<void> {
  if (store === undefined) return;
  for (const profile of profiles) {
    if (!(await hasShortSecret(profile))) continue;
    logger.warn(
      `The client secret of ${profile.interface} ${profile.environment} has fewer than ${SHORTEST_SAFE_SECRET} characters. ` +
        'Entries in the token store are sealed with a key made from it, so a reader of the store can guess it. ' +
        'Ask the provider for a longer secret, or make sure that only this application can read the store.',
    );
  }
}

async function hasShortSecret({ clientSecret }: Profile): Promise<boolean> {
  if (clientSecret instanceof SecretFunction) return false;
  try {
    const secret = await clientSecret.read();
    return secret.reveal().length < SHORTEST_SAFE_SECRET;
  } catch {
    // The file has just disappeared. The token request that needs the file reports this.
    return false;
  }
}
