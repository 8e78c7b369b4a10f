import { pairName } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { SafeLogger } from '../logging/safe-logger.js';

/**
 * Logs one line for each active pair. So the log answers the question "Does this process talk to production?" (B29).
 * The line shows hosts only, because a path or a query may hold more than a log should show.
 */
export function reportActivePairs(
  { profiles, store }: Pick<Settings, 'profiles' | 'store'>,
  logger: Pick<SafeLogger, 'log'> = new SafeLogger(),
): void {
  const shared = store === undefined ? '' : ', tokens shared by a store';
  for (const profile of profiles) {
    const { active, baseUrl, tokenUrl } = profile;
    if (!active) continue;
    const [api, tokens] = [new URL(baseUrl).host, new URL(tokenUrl).host];
    logger.log(`${pairName(profile)} is active (API: ${api}, token URL: ${tokens}${shared}).`);
  }
}
