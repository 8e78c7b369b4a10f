import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  type FactoryProvider,
  type Provider,
} from '@nestjs/common';
import { sealOptions } from './config/seal-options.js';
import type { Settings } from './config/options/profile.js';
import type { ProviderAuthOptions } from './config/options/provider-auth-options.js';
import { PROVIDER_AUTH_SETTINGS } from './provider-auth.constants.js';
import { replaceableInTests } from './provider-auth.test-override.js';

interface ModuleExtras {
  /** One import in the root module, injection everywhere. @default true */
  isGlobal?: boolean;
}

/**
 * The builder would keep the options in Nest's container unchanged, with their secrets. So the provider of the options is
 * replaced by a provider of validated `Settings`. The options cannot be reached from the container (S10).
 *
 * `alwaysTransient` gives each registration its own identity. Otherwise Nest compares hashes, and two registrations that
 * differ only in a secret would be one module.
 */
export const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<ProviderAuthOptions>({
    moduleName: 'ProviderAuth',
    optionsInjectionToken: PROVIDER_AUTH_SETTINGS,
    alwaysTransient: true,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createProviderAuthOptions')
    .setExtras<ModuleExtras>({ isGlobal: true }, (definition, { isGlobal }): DynamicModule => ({
      ...definition,
      global: isGlobal ?? true,
      providers: definition.providers?.map(sealed) ?? [],
    }))
    .build();

function sealed(provider: Provider): Provider {
  if (!isOptionsFactory(provider)) return provider;
  return replaceableInTests<Settings>(
    { ...provider, useFactory: sealOptions(provider.useFactory) },
    ({ settings }) => settings,
  );
}

function isOptionsFactory(provider: Provider): provider is FactoryProvider<ProviderAuthOptions> {
  return (
    typeof provider === 'object' && provider.provide === PROVIDER_AUTH_SETTINGS && 'useFactory' in provider
  );
}
