import { pairName } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { sameSecretProblem } from '../errors/remedies.js';
import { hasOwnKey } from '../errors/setting-names.js';
import { warnOfHeaderTracing } from '../logging/header-tracing-warning.js';
import { SafeLogger } from '../logging/safe-logger.js';

type Reported = Pick<Settings, 'profiles' | 'store' | 'unknownVariables'>;

/** A random secret of letters and digits that is this long cannot be guessed by trying all values. */
const SHORTEST_SAFE_SECRET = 16;

export function reportBoot(settings: Reported): void {
  const logger = new SafeLogger();
  reportActivePairs(settings, logger);
  warnOfHeaderTracing();
  warnOfShortSecrets(settings, logger);
  warnOfSharedSecrets(settings, logger);
  for (const { tls } of settings.profiles) tls?.warnOfEnd();
  warnOfUnknownVariables(settings, logger);
}

/**
 * Logs one line for each active pair. So the log answers the question "Does this process talk to production?" (B29).
 * The line shows hosts only, because a path or a query may hold more than a log should show.
 */
function reportActivePairs({ profiles, store }: Reported, logger: Pick<SafeLogger, 'log'>): void {
  const shared = store === undefined ? '' : ', tokens shared by a store';
  for (const profile of profiles) {
    const { active, baseUrl, tokenUrl } = profile;
    if (!active) continue;
    const [api, tokens] = [new URL(baseUrl).host, new URL(tokenUrl).host];
    logger.log(`${pairName(profile)} is active (API: ${api}, token URL: ${tokens}${shared}).`);
  }
}

/**
 * Warns of short client secrets if a store shares the tokens: the key of its entries is made from the client secret, so a reader
 * of the store can try secrets without sending a request (B11). The secret of a function is not known at boot.
 */
export function warnOfShortSecrets({ profiles, store }: Reported, logger: Pick<SafeLogger, 'warn'>): void {
  if (store === undefined) return;
  for (const profile of profiles) {
    const { clientSecret } = profile;
    if (
      !hasOwnKey(profile) ||
      (clientSecret.atBoot?.reveal().length ?? SHORTEST_SAFE_SECRET) >= SHORTEST_SAFE_SECRET
    )
      continue;
    logger.warn(
      `The client secret of ${pairName(profile)} has fewer than ${SHORTEST_SAFE_SECRET} characters. ` +
        'Entries in the token store are sealed with a key made from it, so a reader of the store can guess it. ' +
        'Ask the provider for a longer secret, or make sure that only this application can read the store.',
    );
  }
}

/** Warns if two environments of an interface have the same client secret: one line for each interface (S5, B29). */
function warnOfSharedSecrets({ profiles }: Reported, logger: Pick<SafeLogger, 'warn'>): void {
  const warned = new Set<string>();
  for (const profile of profiles.toReversed()) {
    const problem = sameSecretProblem(profile);
    if (problem === undefined || warned.has(profile.interface)) continue;
    warned.add(profile.interface);
    logger.warn(problem);
  }
}

/** Warns once of variables that look like ours: a setting that is not read would be missed only in an outage (B35). */
function warnOfUnknownVariables({ unknownVariables = [] }: Reported, logger: Pick<SafeLogger, 'warn'>): void {
  if (unknownVariables.length === 0) return;
  logger.warn(
    `The module does not know these variables, and does not read them: ${unknownVariables.join(', ')}. Correct or remove them.`,
  );
}
