import { type FactoryProvider, Module, type OptionalFactoryDependency, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Catalogue } from './catalogue/catalogue.js';
import type { Settings } from './config/options/profile.js';
import { ProviderAuthConfigError } from './errors/provider-auth-config.error.js';
import type { ProviderService } from './provider-auth.provider-service.js';
import { injectionToken } from './provider-auth.tokens.js';

/*
 * This file makes `overrideModule(ProviderAuthModule)` work in tests. `overrideModule(X)` of @nestjs/testing replaces X
 * only where X itself is imported. An application imports the dynamic module that `forRoot` returns, which is another
 * object. So every registration also imports an empty module, which imports the class `ProviderAuthModule`. A test replaces
 * that class by `ProviderAuthTestingModule`, which is global and exports a `TestReplacement`. Each registration then takes
 * its settings and its service from there. Each provider has its own injection token for it, so that the replacement of one
 * provider replaces no other.
 */

/**
 * Replaces the settings and the service of every registration in a test. The options of the application are then not read.
 *
 * @internal
 */
export class TestReplacement {
  constructor(
    readonly settings: Settings,
    readonly service: ProviderService<string, string>,
  ) {}
}

/** @internal */
export function replacementToken({ name }: Pick<Catalogue, 'name'>): string {
  return injectionToken(name, 'TEST_REPLACEMENT');
}

function optionalReplacement(catalogue: Catalogue): OptionalFactoryDependency {
  return { token: replacementToken(catalogue), optional: true };
}

/** A provider that injects a part of the `TestReplacement`, if a test has one. @internal */
export function replaceableInTests<Value>(
  catalogue: Catalogue,
  provider: FactoryProvider<Value>,
  fromReplacement: (replacement: TestReplacement) => Value,
): FactoryProvider<Value> {
  return {
    ...provider,
    inject: [optionalReplacement(catalogue), ...(provider.inject ?? [])],
    useFactory: (replacement: unknown, ...injected: unknown[]) =>
      isReplacement(replacement) ? fromReplacement(replacement) : provider.useFactory(...injected),
  };
}

/**
 * A module that imports the class `replaceable`. It is a separate module, because Nest does not end if a module imports
 * the module that it replaces.
 *
 * @param moduleName the name of the class in messages.
 * @internal
 */
export function overrideModuleFor(replaceable: Type, catalogue: Catalogue, moduleName: string): Type {
  const settings = injectionToken(catalogue.name, 'SETTINGS');

  /** Another module would not change the registrations: the test would run with the real options without a warning. */
  function refuseOtherReplacements(modules: ModulesContainer, replacement: unknown): void {
    // If two modules export the same token, the version of Nest decides which is injected. So the modules are searched.
    const isNotReplaced = [...modules.values()].some(
      (module) => module.metatype === replaceable && !module.hasProvider(settings),
    );
    if (isNotReplaced || isReplacement(replacement)) return;
    throw new ProviderAuthConfigError('CONFIG_INVALID', [
      {
        path: `overrideModule(${moduleName})`,
        message:
          'was given a module that cannot replace it. Use ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real module.',
      },
    ]);
  }

  @Module({
    imports: [replaceable],
    providers: [
      {
        provide: injectionToken(catalogue.name, 'OVERRIDE_CHECK'),
        useFactory: refuseOtherReplacements,
        inject: [ModulesContainer, optionalReplacement(catalogue)],
      },
    ],
  })
  class ProviderAuthOverrideModule {}

  return ProviderAuthOverrideModule;
}

/** With `useMocker`, Nest injects a mock where an optional provider is missing. A mock does not count. */
function isReplacement(injected: unknown): injected is TestReplacement {
  return injected instanceof TestReplacement;
}
