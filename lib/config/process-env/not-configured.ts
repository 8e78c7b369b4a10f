import { type AnyPair, type Catalogue, pairName } from '../../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { settingsOf, settingsOfEnvironment } from './variable-names.js';

/**
 * The error for the use of a pair without settings. It names the missing settings, as options and as variables. If
 * `configured` has another environment of the interface, a shared token URL is not missing.
 */
export function notConfigured(
  catalogue: Catalogue,
  pair: AnyPair,
  configured: readonly AnyPair[] = [],
): ProviderAuthConfigError {
  const hasOther = configured.some(({ interface: name }) => name === pair.interface);
  const missing = hasOther ? settingsOfEnvironment(catalogue, pair) : settingsOf(catalogue, pair);
  return new ProviderAuthConfigError(
    'NOT_CONFIGURED',
    missing.map(({ path, variable }) =>
      Object.freeze({
        path,
        env: variable,
        message: `is missing: ${pairName(pair)} was used, but is not configured.`,
      }),
    ),
    catalogue.name,
  );
}
