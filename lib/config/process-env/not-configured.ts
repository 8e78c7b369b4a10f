import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { settingsOf, settingsOfEnvironment } from './variable-names.js';

/**
 * Somebody uses a pair that has no configuration: names the settings that it lacks, as options and as variables. A token
 * URL that serves all environments is there already when `configured` holds another environment of the interface.
 */
export function notConfigured(
  pair: ProviderPair,
  configured: readonly ProviderPair[] = [],
): ProviderAuthConfigError {
  const hasOther = configured.some(({ interface: name }) => name === pair.interface);
  const lacking = hasOther ? settingsOfEnvironment(pair) : settingsOf(pair);
  return new ProviderAuthConfigError(
    'NOT_CONFIGURED',
    lacking.map(({ path, variable }) =>
      Object.freeze({
        path,
        env: variable,
        message: `is missing: ${pair.interface} ${pair.environment} was used, but is not configured.`,
      }),
    ),
  );
}
