import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { BUILT_IN } from './built-in.js';
import { createConfig } from './create-config.js';

/**
 * The options from environment variables, for `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`.
 *
 * ConfigModule keeps these options, and ConfigService returns them. So they contain no readable credential: client ids and
 * secrets are `Secret` objects, and the names of secret files are hidden. You can spread and override the options:
 * `{ ...providerAuthConfig(), http: { … } }`. The module validates them at boot.
 */
export const providerAuthConfig = createConfig<ProviderAuthOptions>(BUILT_IN.catalogue);
