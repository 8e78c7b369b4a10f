import type { FactoryProvider, ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import type { ProviderService } from './provider-service.js';

/*
 * A registration can be replaced: another module of the application then provides its settings and its service. Only a module
 * that is given to `overrideModule(ProviderAuthModule)` of @nestjs/testing does so.
 *
 * `overrideModule(X)` replaces X only where X itself is imported. An application imports the dynamic module that `forRoot`
 * returns, which is another object. So every registration also imports `RegistrationCheckModule`, which imports the class
 * `ProviderAuthModule`. The module that replaces this class provides a `Replacement`, and each registration of the same
 * provider takes its settings and its service from there.
 *
 * A registration searches the modules for its replacement, and does not inject it. Nest looks for an optional provider that
 * does not exist in the imports of all imports: with 400 global modules, that takes seconds.
 */

/** The settings of a registration. @internal */
export interface Registered {
  readonly settings: Settings;
  /** Undefined if the registration makes its own. */
  readonly service?: ProviderService<string, string>;
}

/** The settings and the service of all registrations of a provider. @internal */
export type Replaced = Required<Registered>;

/** Replaces every registration of a provider. The options of the application are then not read. @internal */
export class Replacement {
  /**
   * @param provider the name of the provider. No other provider is replaced.
   * @param replacedIn gives the settings and the service for one application.
   */
  constructor(
    readonly provider: string,
    readonly replacedIn: (modules: ModulesContainer) => Promise<Replaced>,
  ) {}
}

const REPLACEMENT = 'PROVIDER_AUTH:REPLACEMENT';

/** @internal */
export function replacementOf(replacement: Replacement): ValueProvider<Replacement> {
  return { provide: REPLACEMENT, useValue: replacement };
}

/**
 * Reads something from all modules of an application. The result is kept while the number of modules is the same: hundreds of
 * registrations may ask, and each would search hundreds of modules (B31).
 *
 * @internal
 */
export function oncePerModules<Result>(
  read: (modules: ModulesContainer) => Result,
): (modules: ModulesContainer) => Result {
  const known = new WeakMap<ModulesContainer, { readonly size: number; readonly result: Result }>();
  return (modules) => {
    const { size } = modules;
    const before = known.get(modules);
    if (before?.size === size) return before.result;
    const result = read(modules);
    known.set(modules, { size, result });
    return result;
  };
}

const replacementsIn = oncePerModules((modules): ReadonlyMap<string, Replacement> => {
  const found = [...modules.values()].map(({ providers }) => providers.get(REPLACEMENT)?.instance);
  return new Map(found.filter((one) => one instanceof Replacement).map((one) => [one.provider, one]));
});

/** The replacement of a provider in an application, if there is one. @internal */
export function replacementIn(
  modules: ModulesContainer,
  { name }: Pick<Catalogue, 'name'>,
): Replacement | undefined {
  return replacementsIn(modules).get(name);
}

/**
 * The provider of the settings of a registration. Only this provider injects the modules: Nest searches hundreds of imports
 * for them (B31). The service of a replacement comes with its settings.
 *
 * @internal
 */
export function replaceable(
  catalogue: Catalogue,
  { provide, inject = [] }: Pick<FactoryProvider, 'provide' | 'inject'>,
  create: (modules: ModulesContainer, ...injected: unknown[]) => Promise<Settings>,
): FactoryProvider<Registered> {
  return {
    provide,
    inject: [ModulesContainer, ...inject],
    useFactory: async (modules: ModulesContainer, ...injected: unknown[]) =>
      replacementIn(modules, catalogue)?.replacedIn(modules) ?? {
        settings: await create(modules, ...injected),
      },
  };
}
