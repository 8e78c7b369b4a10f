import { registerAs } from '@nestjs/config';
import type { ProviderAuthOptions } from '../options/provider-auth-options.js';
import { readEnvironmentVariables } from './read-variables.js';

/**
 * The options, from environment variables: for `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`.
 *
 * ConfigModule keeps what this returns, and ConfigService hands it out, so it holds no readable credential: client ids and
 * secrets are `Secret`s, files are named by objects that show nothing. It may be spread and overridden:
 * `{ ...providerAuthConfig(), http: { … } }`. Nothing is judged here; the module tells everything in one error at boot.
 */
export const providerAuthConfig = registerAs(
  'providerAuth',
  // The public type, so that an application can spread and override the options. The module validates them at boot.
  () => readEnvironmentVariables(process.env) as ProviderAuthOptions,
);
