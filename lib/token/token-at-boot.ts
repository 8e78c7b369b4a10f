import type { TokenSettings } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { TokenProvider } from './token-provider.js';

/**
 * Asks for a token of each active pair while the application boots (B29), for all pairs at the same time. The log has a line for
 * each pair that fails. With `require` this rejects with the error of the first pair among them, once all have ended.
 */
export async function obtainTokensAtBoot(
  providers: readonly TokenProvider<string, string>[],
  atBoot: TokenSettings['atBoot'],
): Promise<void> {
  if (atBoot === 'no') return;
  const active = providers.filter((provider) => provider.active);
  const results = await Promise.allSettled(active.map((provider) => provider.getToken()));
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const reason: unknown = result.reason;
    if (atBoot === 'require' || !(reason instanceof TokenRequestError)) throw reason;
  }
}
