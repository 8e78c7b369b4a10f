import { type DynamicModule, Module } from '@nestjs/common';
import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { BUILT_IN } from './built-in.js';
import { createModuleClass, type ProviderModuleAsyncOptions } from './module-definition.js';

/**
 * Access tokens and authorized HTTP clients for each interface and environment of the provider.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 */
@Module({})
export class ProviderAuthModule extends createModuleClass<ProviderAuthOptions>(BUILT_IN) {
  /**
   * For options that are known when the module is declared. The module is global, unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox: { … } } } })
   */
  static override forRoot(options: ProviderAuthOptions & { isGlobal?: boolean }): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * For options from a factory, a class or an existing provider that implements `ProviderAuthOptionsFactory`. The module is
   * global, unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRootAsync({
   *   imports: [ConfigModule.forFeature(providerAuthConfig)],
   *   inject: [providerAuthConfig.KEY],
   *   useFactory: (fromEnvironment: ProviderAuthOptions) => ({ ...fromEnvironment, http: { timeoutMs: 10_000 } }),
   * })
   */
  static override forRootAsync(options: ProviderModuleAsyncOptions<ProviderAuthOptions>): DynamicModule {
    return super.forRootAsync(options);
  }
}
