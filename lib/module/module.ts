import { type DynamicModule, Module } from '@nestjs/common';
import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { BUILT_IN } from './built-in.js';
import { type AsProvider, createModuleClass, type ProviderModuleAsyncOptions } from './module-definition.js';

/**
 * Provides access tokens and authorized HTTP clients for each of the provider's interfaces and environments. Import it once, in
 * your root module.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 */
@Module({})
export class ProviderAuthModule extends createModuleClass<ProviderAuthOptions>(BUILT_IN) {
  /**
   * Takes the options directly. The module is global unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox: { … } } } })
   */
  static override forRoot(options: ProviderAuthOptions & { isGlobal?: boolean | undefined }): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Takes the options from a factory, or from a class or existing provider that implements `ProviderAuthOptionsFactory`. The
   * module is global unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRootAsync({
   *   imports: [ConfigModule.forFeature(providerAuthConfig)],
   *   inject: [providerAuthConfig.KEY],
   *   useFactory: (fromEnvironment: ProviderAuthOptions) => ({ ...fromEnvironment, http: { timeoutMs: 10_000 } }),
   * })
   */
  static override forRootAsync(
    options: ProviderModuleAsyncOptions<ProviderAuthOptions> | AsProvider<ProviderAuthOptions>,
  ): DynamicModule {
    return super.forRootAsync(options);
  }
}
