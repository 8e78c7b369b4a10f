import { type DynamicModule, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { ProviderAuthOptions } from './config/options/provider-auth-options.js';
import { safely } from './values/safely.js';
import { OptionsWithIsGlobal } from './config/seal-options.js';
import { ProviderAuthConfigError } from './errors/provider-auth-config.error.js';
import { PROVIDER_AUTH_SETTINGS } from './provider-auth.constants.js';
import { type ASYNC_OPTIONS_TYPE, ConfigurableModuleClass } from './provider-auth.module-definition.js';
import { PROVIDER_AUTH_EXPORTS, PROVIDER_AUTH_PROVIDERS } from './provider-auth.providers.js';
import { OPTIONAL_STAND_IN, standInOf } from './provider-auth.stand-in.js';

/**
 * Access tokens and authorized HTTP clients for each interface and environment of the provider.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 */
@Module({})
export class ProviderAuthModule extends ConfigurableModuleClass {
  /**
   * Options known when the module is declared. Global unless `isGlobal` is false.
   *
   * @example
   * ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox: { … } } } })
   */
  static override forRoot(options: ProviderAuthOptions & { isGlobal?: boolean }): DynamicModule {
    // By way of a factory: a value would stand in Nest's container as it came, secrets included.
    const given: unknown = new OptionsWithIsGlobal(options);
    return this.forRootAsync({
      isGlobal: safely(() => options.isGlobal, undefined) ?? true,
      useFactory: () => given as ProviderAuthOptions,
    });
  }

  /**
   * Options from a factory, a class or an existing provider that implements `ProviderAuthOptionsFactory`; global unless
   * `isGlobal` is false.
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
      imports: [...(definition.imports ?? []), ProviderAuthOverrideModule],
      providers: [...(definition.providers ?? []), ...PROVIDER_AUTH_PROVIDERS],
      exports: PROVIDER_AUTH_EXPORTS,
    };
  }
}

/**
 * Nest replaces a module in a test where it finds the very thing that was named, and what a registration returns has no
 * name. So each imports, by way of this one, the bare class: what `overrideModule(ProviderAuthModule)` puts in its place
 * comes in by this door, and is global. A module of its own: Nest walks for ever round a replacement that imports what it
 * replaces.
 */
@Module({
  imports: [ProviderAuthModule],
  providers: [
    {
      provide: 'PROVIDER_AUTH:OVERRIDE_CHECK',
      useFactory: refuseIdleReplacement,
      inject: [ModulesContainer, OPTIONAL_STAND_IN],
    },
  ],
})
class ProviderAuthOverrideModule {}

/**
 * One that the registrations do not heed: a test would go on with the real options, and nobody would notice. The modules
 * are asked, not what can be injected: where two export the same, versions of Nest differ in whose they take.
 */
function refuseIdleReplacement(modules: ModulesContainer, standIn: unknown): void {
  if (standInOf(standIn)) return;
  const bareStands = [...modules.values()].some(
    (module) => module.metatype === ProviderAuthModule && !module.hasProvider(PROVIDER_AUTH_SETTINGS),
  );
  if (bareStands) return;
  throw new ProviderAuthConfigError('CONFIG_INVALID', [
    {
      path: 'overrideModule(ProviderAuthModule)',
      message:
        'was given a module that cannot take its place. Give it ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real thing.',
    },
  ]);
}
