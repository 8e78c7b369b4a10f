import { type FactoryProvider, Module, type Type, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { ProviderService } from './provider-service.js';
import { injectionToken } from './injection-tokens.js';

/*
 * A registration can be replaced: another module of the application then provides its settings and its service. Only a module
 * that is given to `overrideModule(ProviderAuthModule)` of @nestjs/testing does so.
 *
 * `overrideModule(X)` replaces X only where X itself is imported. An application imports the dynamic module that `forRoot`
 * returns, which is another object. So every registration also imports an empty module, which imports the class
 * `ProviderAuthModule`. The module that replaces this class provides a `Replacement`, and each registration takes its settings
 * and its service from there. Each provider has its own injection token for it, so that the replacement of one provider
 * replaces no other.
 *
 * A registration searches the modules for its replacement, and does not inject it. Nest looks for an optional provider that
 * does not exist in the imports of all imports: with 400 global modules, that takes seconds.
 */

/** The settings and the service of all registrations of a provider. @internal */
export interface Replaced {
  readonly settings: Settings;
  readonly service: ProviderService<string, string>;
}

/** Replaces every registration of a provider. The options of the application are then not read. @internal */
export class Replacement {
  /** @param replacedIn gives the settings and the service for one application. */
  constructor(readonly replacedIn: (modules: ModulesContainer) => Promise<Replaced>) {}
}

function replacementToken({ name }: Pick<Catalogue, 'name'>): string {
  return injectionToken(name, 'REPLACEMENT');
}

/** @internal */
export function replacementOf(catalogue: Catalogue, replacement: Replacement): ValueProvider {
  return { provide: replacementToken(catalogue), useValue: replacement };
}

/** The replacement of a provider in an application, if there is one. @internal */
export function replacementIn(modules: ModulesContainer, catalogue: Catalogue): Replacement | undefined {
  const token = replacementToken(catalogue);
  for (const { providers } of modules.values()) {
    const found: unknown = providers.get(token)?.instance;
    if (found instanceof Replacement) return found;
  }
  return undefined;
}

/** A provider that is a part of the `Replacement`, if there is one. @internal */
export function replaceable<Value>(
  catalogue: Catalogue,
  provider: FactoryProvider<Value>,
  fromReplacement: (replaced: Replaced) => Value,
): FactoryProvider<Value> {
  return {
    ...provider,
    inject: [ModulesContainer, ...(provider.inject ?? [])],
    useFactory: async (modules: ModulesContainer, ...injected: unknown[]) => {
      const replacement = replacementIn(modules, catalogue);
      return replacement === undefined
        ? provider.useFactory(...injected)
        : fromReplacement(await replacement.replacedIn(modules));
    },
  };
}

/**
 * A module that imports the class `moduleClass`. It is a separate module, because Nest does not end if a module imports
 * the module that it replaces.
 *
 * @param moduleName the name of the class in messages.
 * @internal
 */
export function overrideModuleFor(moduleClass: Type, catalogue: Catalogue, moduleName: string): Type {
  const settings = injectionToken(catalogue.name, 'SETTINGS');

  /** Another module would not change the registrations: the test would run with the real options without a warning. */
  function refuseOtherReplacements(modules: ModulesContainer): void {
    const isNotReplaced = [...modules.values()].some(
      (module) => module.metatype === moduleClass && !module.hasProvider(settings),
    );
    if (isNotReplaced || replacementIn(modules, catalogue) !== undefined) return;
    throw new ProviderAuthConfigError('CONFIG_INVALID', [
      {
        path: `overrideModule(${moduleName})`,
        message:
          'was given a module that cannot replace it. Use ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real module.',
      },
    ]);
  }

  @Module({
    imports: [moduleClass],
    providers: [
      {
        provide: injectionToken(catalogue.name, 'OVERRIDE_CHECK'),
        useFactory: refuseOtherReplacements,
        inject: [ModulesContainer],
      },
    ],
  })
  class ProviderAuthOverrideModule {}

  return ProviderAuthOverrideModule;
}
