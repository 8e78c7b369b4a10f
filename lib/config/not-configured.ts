import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { settingsOf } from './environment-variables.js';

/** Somebody uses a pair that has no configuration: names all that it needs, under both names. */
export function notConfigured(pair: ProviderPair): ProviderAuthConfigError {
  return new ProviderAuthConfigError(
    'NOT_CONFIGURED',
    settingsOf(pair).map(({ path, variable }) =>
      Object.freeze({
        path,
        env: variable,
        message: `is missing for ${pair.interface} ${pair.environment}.`,
      }),
    ),
  );
}
