import { type DynamicModule, Module } from '@nestjs/common';
import type { ProviderAuthOptions } from './config/options/provider-auth-options.js';
import { OptionsWithIsGlobal } from './config/seal-options.js';
import { type ASYNC_OPTIONS_TYPE, ConfigurableModuleClass } from './provider-auth.module-definition.js';
import { PROVIDER_AUTH_EXPORTS, PROVIDER_AUTH_PROVIDERS } from './provider-auth.providers.js';
import { RegistrationCheckModule } from './provider-auth.registration-check.js';
import { overrideModuleFor } from './provider-auth.test-override.js';
import { safely } from './values/safely.js';

/**
 * Access tokens and authorized HTTP clients for each interface and environment of the provider.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 */
@Module({})
export class ProviderAuthModule extends ConfigurableModuleClass {
  /**
   * For options that are known when the module is declared. The module is global, unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox: { … } } } })
   */
  static override forRoot(options: ProviderAuthOptions & { isGlobal?: boolean }): DynamicModule {
    // A factory, because Nest's container would keep a value unchanged, with its secrets (S10).
    const given: unknown = new OptionsWithIsGlobal(options);
    return this.forRootAsync({
      isGlobal: safely(() => options.isGlobal, undefined) ?? true,
      useFactory: () => given as ProviderAuthOptions,
    });
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
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const definition = super.forRootAsync(options);
    return {
      ...definition,
      imports: [...(definition.imports ?? []), ProviderAuthOverrideModule, RegistrationCheckModule],
      providers: [...(definition.providers ?? []), ...PROVIDER_AUTH_PROVIDERS],
      exports: PROVIDER_AUTH_EXPORTS,
    };
  }
}

const ProviderAuthOverrideModule = overrideModuleFor(ProviderAuthModule);
