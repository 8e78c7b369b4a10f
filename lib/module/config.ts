import { registerAs } from '@nestjs/config';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { readEnvironmentVariables } from '../config/process-env/read-variables.js';
import { BUILT_IN } from './built-in.js';

/** The options of a provider from environment variables, for `ConfigModule` and `forRootAsync`. */
export function createConfig<Options extends object>(catalogue: Catalogue) {
  return registerAs(
    `${catalogue.name}Auth`,
    // The public type, so that an application can spread and override the options. The module validates them at boot.
    () => readEnvironmentVariables(catalogue, process.env) as object as Options,
  );
}

/**
 * Reads the options from environment variables, for `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`.
 *
 * The options contain no readable credential, because `ConfigService` returns them too: client ids and secrets are `Secret`
 * objects, and the names of secret files are hidden. You can spread and override the options: `{ ...providerAuthConfig(), http:
 * { … } }`. The module validates them at boot.
 */
export const providerAuthConfig = createConfig<ProviderAuthOptions>(BUILT_IN.catalogue);
