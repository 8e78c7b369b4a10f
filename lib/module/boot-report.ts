import { pairName } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { sameSecretProblem } from '../errors/troubles.js';
import { hasOwnKey } from '../errors/setting-names.js';
import { headerTracing } from '../logging/header-tracing-warning.js';
import { SafeLogger } from '../logging/safe-logger.js';
import type { Secret } from '../secrets/secret.js';

type Reported = Pick<Settings, 'profiles' | 'store'>;

/** A random secret of letters and digits that is this long cannot be guessed by trying all values. */
const SHORTEST_SAFE_SECRET = 16;

export function reportBoot(settings: Reported): void {
  const logger = new SafeLogger();
  for (const line of activePairs(settings)) logger.log(line);
  const warnings = [...headerTracing(process.env), ...shortSecrets(settings), ...sharedSecrets(settings)];
  for (const warning of warnings) logger.warn(warning);
  for (const { tls } of settings.profiles) tls?.warnOfEnd();
}

/**
 * One line for each active pair. So the log answers the question "Does this process talk to production?".
 * The line shows hosts only, because a path or a query may hold more than a log should show.
 */
function activePairs({ profiles, store }: Reported): string[] {
  const shared = store === undefined ? '' : ', tokens shared by a store';
  return profiles
    .filter(({ active }) => active)
    .map((profile) => {
      const [api, tokens] = [new URL(profile.baseUrl).host, new URL(profile.tokenUrl).host];
      return `${pairName(profile)} is active (API: ${api}, token URL: ${tokens}${shared}).`;
    });
}

/**
 * Short client secrets, if a store shares the tokens: the key of its entries is made from the client secret, so a reader of the
 * store can try secrets without sending a request. The secret of a function is not known at boot.
 */
function shortSecrets({ profiles, store }: Reported): string[] {
  if (store === undefined) return [];
  return profiles
    .filter((profile) => hasOwnKey(profile) && isShort(profile.clientSecret.atBoot))
    .map(
      (profile) =>
        `The client secret of ${pairName(profile)} has fewer than ${SHORTEST_SAFE_SECRET} characters. ` +
        'Entries in the token store are sealed with a key made from it, so a reader of the store can guess it. ' +
        'Ask the provider for a longer secret, or make sure that only this application can read the store.',
    );
}

function isShort(secret: Secret | undefined): boolean {
  return secret !== undefined && secret.reveal().length < SHORTEST_SAFE_SECRET;
}

/** Two environments of an interface with the same client secret: one warning for each interface (S5). */
function sharedSecrets({ profiles }: Reported): string[] {
  const problems = profiles.flatMap((profile) => {
    const problem = sameSecretProblem(profile);
    return problem === undefined ? [] : [[profile.interface, problem] as const];
  });
  return [...new Map(problems).values()].toReversed();
}
