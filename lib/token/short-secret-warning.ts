import type { Profile, Settings } from '../config/options/profile.js';
import { SecretFunction } from '../config/secret-sources.js';
import { SafeLogger } from '../logging/safe-logger.js';

/** At random from letters and digits, so many characters cannot be guessed by trying all. */
const SHORTEST_SAFE_SECRET = 16;

/**
 * Warns of short client secrets where tokens are shared: entries are sealed with a key made from the client secret, so
 * who can read the store and knows the client id can try secrets without asking anybody (B11). A function is not asked: it
 * is called for token requests only (B8).
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
        'Ask the provider for a longer secret, or let nobody else read the store.',
    );
  }
}

async function hasShortSecret({ clientSecret }: Profile): Promise<boolean> {
  if (clientSecret instanceof SecretFunction) return false;
  try {
    const secret = await clientSecret.read();
    return secret.reveal().length < SHORTEST_SAFE_SECRET;
  } catch {
    // A file that has just gone is reported by the token request that needs it.
    return false;
  }
}
