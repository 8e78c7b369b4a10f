import { Module } from '@nestjs/common';
import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { BUILT_IN } from './built-in.js';
import { createModuleClass } from './module-definition.js';

/**
 * Provides access tokens and authorized HTTP clients for each of the provider's interfaces and environments. Import it once, in
 * your root module.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 *
 * @example
 * ProviderAuthModule.forRootAsync({
 *   imports: [ConfigModule.forFeature(providerAuthConfig)],
 *   inject: [providerAuthConfig.KEY],
 *   useFactory: (fromEnvironment: ProviderAuthOptions) => ({ ...fromEnvironment, http: { timeoutMs: 10_000 } }),
 * })
 */
@Module({})
export class ProviderAuthModule extends createModuleClass<ProviderAuthOptions>(BUILT_IN) {}
