import { registerAs } from '@nestjs/config';
import type { ProviderAuthOptions } from '../options/provider-auth-options.js';
import { readEnvironmentVariables } from './read-variables.js';

/**
 * The options from environment variables, for `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`.
 *
 * ConfigModule keeps these options, and ConfigService returns them. So they contain no readable credential: client ids and
 * secrets are `Secret` objects, and the names of secret files are hidden. You can spread and override the options:
 * `{ ...providerAuthConfig(), http: { … } }`. The module validates them at boot.
 */
export const providerAuthConfig = registerAs(
  'providerAuth',
  // The public type, so that an application can spread and override the options. The module validates them at boot.
  () => readEnvironmentVariables(process.env) as ProviderAuthOptions,
);
