import type { Settings } from '../config/options/profile.js';
import { sameSecretProblem } from '../errors/remedies.js';
import { SafeLogger } from '../logging/safe-logger.js';

/** Warns at boot if two environments of an interface have the same client secret: one line for each interface (S5, B29). */
export function warnOfSharedSecrets(
  { profiles }: Pick<Settings, 'profiles'>,
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): void {
  const warned = new Set<string>();
  for (const profile of profiles.toReversed()) {
    const problem = sameSecretProblem(profile);
    if (problem === undefined || warned.has(profile.interface)) continue;
    warned.add(profile.interface);
    logger.warn(problem);
  }
}
