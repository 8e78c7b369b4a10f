import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  type FactoryProvider,
  Module,
  type Provider,
} from '@nestjs/common';
import { registerAs } from '@nestjs/config';
import { ModulesContainer } from '@nestjs/core';
import type { Catalogue } from '../catalogue/catalogue.js';
import { readEnvironmentVariables } from '../config/process-env/read-variables.js';
import { OptionsWithIsGlobal, validateCreated } from '../config/validate-options.js';
import { exportsOf, injectionToken, type ProviderParts, providersOf, type Registered } from './parts.js';
import { bareImportOf, cataloguesIn, RegistrationCheckModule, registrationOf } from './registration.js';
import { systemClock } from '../time/clock.js';
import { TokenOrigins } from '../token/token-origins.js';
import { oncePer } from '../values/once-per.js';
import { safely } from '../values/safely.js';

/** @hidden */
export interface ModuleExtras {
  /** One import in the root module, injection everywhere. @default true */
  isGlobal?: boolean | undefined;
}

/** The argument of `forRootAsync`: a factory, a class or an existing provider that returns the options. */
export type ProviderModuleAsyncOptions<Options> = ConfigurableModuleAsyncOptions<
  Options,
  'createProviderAuthOptions'
> &
  ModuleExtras;

/** The module class of one provider. */
export interface ProviderModuleClass<Options> {
  new (): object;
  /** Takes the options directly. The module is global unless `isGlobal` is false. */
  forRoot(options: Options & ModuleExtras): DynamicModule;
  /** Takes the options from a factory, a class or an existing provider. The module is global unless `isGlobal` is false. */
  forRootAsync(options: ProviderModuleAsyncOptions<Options> | AsProvider<Options>): DynamicModule;
}

/** A configuration such as `providerAuthConfig`. @hidden */
export interface AsProvider<Options> {
  asProvider(): ProviderModuleAsyncOptions<Options>;
}

/** The options of a provider from environment variables, for `ConfigModule` and `forRootAsync`. */
export function createConfig<Options extends object>(catalogue: Catalogue) {
  return registerAs(
    `${catalogue.name}Auth`,
    // The public type, so that an application can spread and override the options. The module validates them at boot.
    () => readEnvironmentVariables(catalogue, process.env) as object as Options,
  );
}

/** All registrations of an application share the places of their token requests, by origin. */
const originsOf = oncePer<ModulesContainer, TokenOrigins>(() => new TokenOrigins(systemClock));

/**
 * Makes the module of a provider: the built-in one, or one of the application.
 *
 * The builder would keep the options in Nest's container unchanged, with their secrets. So the provider of the options is
 * replaced by a provider of validated `Settings`. The options cannot be reached from the container (S10).
 *
 * `alwaysTransient` gives each registration its own identity. Otherwise Nest compares hashes, and two registrations that
 * differ only in a secret would be one module.
 */
export function createModuleClass<Options>(parts: ProviderParts): ProviderModuleClass<Options> {
  const { catalogue } = parts;
  const settings = injectionToken(catalogue.name, 'SETTINGS');

  // Only this provider injects the modules: Nest searches hundreds of imports for them.
  const sealed = (provider: Provider): Provider =>
    isFactoryOf(settings, provider)
      ? {
          provide: settings,
          inject: [ModulesContainer, ...(provider.inject ?? [])],
          useFactory: async (modules: ModulesContainer, ...args: unknown[]): Promise<Registered> => ({
            settings: await validateCreated(catalogue, () => provider.useFactory(...args), {
              registered: cataloguesIn(modules),
            }),
            origins: originsOf(modules),
          }),
        }
      : provider;

  const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<Options>({
    moduleName: 'ProviderAuth',
    optionsInjectionToken: settings,
    alwaysTransient: true,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createProviderAuthOptions')
    .setExtras<ModuleExtras>({ isGlobal: true }, (definition, { isGlobal }): DynamicModule => ({
      ...definition,
      global: isGlobal ?? true,
    }))
    .build();

  @Module({ providers: [bareImportOf(parts)] })
  class ProviderModule extends ConfigurableModuleClass {
    static override forRoot(options: Options & ModuleExtras): DynamicModule {
      // A factory, because Nest's container would keep a value unchanged, with its secrets (S10).
      const given: unknown = new OptionsWithIsGlobal(options);
      return this.forRootAsync({
        isGlobal: safely(() => options.isGlobal, undefined) ?? true,
        useFactory: () => given as Options,
      });
    }

    static override forRootAsync(
      given: ProviderModuleAsyncOptions<Options> | AsProvider<Options>,
    ): DynamicModule {
      const options = 'asProvider' in given ? given.asProvider() : given;
      const { imports = [], providers = [], ...definition } = super.forRootAsync(options);
      const own = providersOf(parts);
      return {
        ...definition,
        imports: [...imports, RegistrationCheckModule],
        providers: [...providers.map(sealed), registrationOf(parts), ...own],
        exports: exportsOf(own),
      };
    }
  }
  return ProviderModule;
}

function isFactoryOf(token: string, provider: Provider): provider is FactoryProvider<unknown> {
  return typeof provider === 'object' && provider.provide === token && 'useFactory' in provider;
}
