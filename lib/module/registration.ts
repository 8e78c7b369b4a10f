import {
  type FactoryProvider,
  Module,
  type OnModuleInit,
  type Type,
  type ValueProvider,
} from '@nestjs/common';
import { LazyModuleLoader, ModulesContainer } from '@nestjs/core';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { variablesOf } from '../config/process-env/variable-names.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { systemClock } from '../time/clock.js';
import { TokenOrigins } from '../token/token-origins.js';
import { oncePer } from '../values/once-per.js';
import { injectionToken } from './injection-tokens.js';
import type { ProviderParts, Registered, Replaced } from './parts.js';

/*
 * A registration can be replaced: another module of the application then provides its settings and its service. Only a module
 * that is given to `overrideModule(ProviderAuthModule)` of @nestjs/testing does so.
 *
 * `overrideModule(X)` replaces X only where X itself is imported. An application imports the dynamic module that `forRoot`
 * returns, which is another object. So every registration also imports `RegistrationCheckModule`, which imports the class
 * `ProviderAuthModule`. What replaces this class is a registration with `REPLACED_IN`, and the others of the same provider take
 * their settings and their service from there.
 *
 * A registration searches the modules for its replacement, and does not inject it. Nest looks for an optional provider that
 * does not exist in the imports of all imports: with 400 global modules, that takes seconds.
 */

/** Gives what all registrations of a provider use in one application. Their options are then not read. */
type ReplacedIn = (modules: ModulesContainer) => Promise<Replaced>;

/** Another copy of this package has another symbol: a module replaces only the registrations of the same copy. */
const REPLACED_IN: unique symbol = Symbol('replaced in');

/** One import of a module in an application. */
interface Registration extends Pick<ProviderParts, 'catalogue' | 'moduleName'> {
  /** What a test can replace. Undefined if the registration is itself a replacement. */
  readonly moduleClass?: Type;
  readonly [REPLACED_IN]?: ReplacedIn;
}

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration. */
export function registrationOf(
  { catalogue, moduleName }: ProviderParts,
  moduleClass: Type,
): ValueProvider<Registration> {
  if (!replaceableClasses.includes(moduleClass)) replaceableClasses.push(moduleClass);
  return { provide: REGISTRATION, useValue: { catalogue, moduleName, moduleClass } };
}

/** Marks a module that replaces every registration of a provider, and of no other provider. */
export function replacementOf(
  { catalogue, moduleName }: ProviderParts,
  replacedIn: ReplacedIn,
): ValueProvider<Registration> {
  return { provide: REGISTRATION, useValue: { catalogue, moduleName, [REPLACED_IN]: replacedIn } };
}

/**
 * The classes that an application of this process has registered. `overrideModule` of @nestjs/testing replaces such a class
 * only where the class itself is imported.
 */
const replaceableClasses: Type[] = [];

/**
 * Every registration imports this module, and Nest creates it once for an application. So it can see that there are two
 * registrations (B29). They do not import their own class: Nest does not end if a module imports the module that it replaces.
 */
@Module({
  imports: replaceableClasses,
  providers: [
    {
      provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
      useFactory: (modules: ModulesContainer, loader: LazyModuleLoader): OnModuleInit => {
        checkRegistrations(modules, overriddenIn(loader));
        // The scopes are known when Nest has created everything.
        return { onModuleInit: () => refuseRequestScope(modules) };
      },
      inject: [ModulesContainer, LazyModuleLoader],
    },
  ],
})
export class RegistrationCheckModule {}

/** Such an import provides nothing, and Nest would only say that it cannot resolve a dependency (B40). */
export function refuseBareImport(
  modules: ModulesContainer,
  moduleClass: unknown,
  { moduleName, catalogue }: ProviderParts,
): void {
  if (!foundIn(modules).bareImports.has(moduleClass)) return;
  const config = catalogue.name === BUILT_IN_NAME ? 'providerAuthConfig' : `${catalogue.name}.config`;
  const message = `was imported without forRoot() or forRootAsync(). Import ${moduleName}.forRootAsync(${config}.asProvider()) once, in the root module.`;
  throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: moduleName, message }]);
}

interface Found {
  readonly size: number;
  readonly registrations: readonly Registration[];
  readonly catalogues: readonly Catalogue[];
  readonly replacements: ReadonlyMap<string, Registration>;
  /** Classes that a module of the application imports without a registration. */
  readonly bareImports: ReadonlySet<unknown>;
}

const known = new WeakMap<ModulesContainer, Found>();

/**
 * Looked up once while the number of modules is the same: hundreds of registrations may ask, and each would search hundreds of
 * modules (B31).
 */
function foundIn(modules: ModulesContainer): Found {
  const before = known.get(modules);
  if (before?.size === modules.size) return before;
  const registrations = [...modules.values()].flatMap((module) => registrationIn(module) ?? []);
  const replacements = registrations.filter((one) => one[REPLACED_IN] !== undefined);
  const found = {
    size: modules.size,
    registrations,
    catalogues: registrations.map(({ catalogue }) => catalogue),
    replacements: new Map(replacements.map((one) => [one.catalogue.name, one])),
    bareImports: new Set(
      [...modules.values()]
        .filter(({ metatype }) => metatype !== RegistrationCheckModule)
        .flatMap(({ imports }) => [...imports].filter((one) => !one.providers.has(REGISTRATION)))
        .map(({ metatype }) => metatype),
    ),
  };
  known.set(modules, found);
  return found;
}

function registrationIn({ providers }: OneOf<ModulesContainer>): Registration | undefined {
  return providers.get(REGISTRATION)?.instance as Registration | undefined;
}

type OneOf<Container> = Container extends Map<string, infer One> ? One : never;

/** The providers of all modules of an application, also of those that are not created yet. */
export function cataloguesIn(modules: ModulesContainer): readonly Catalogue[] {
  return foundIn(modules).catalogues;
}

/** All registrations of an application share the places of their token requests, by origin. */
const originsOf = oncePer<ModulesContainer, TokenOrigins>(() => new TokenOrigins(systemClock));

/**
 * The provider of the settings of a registration. Only this provider injects the modules: Nest searches hundreds of imports
 * for them (B31). The service of a replacement comes with its settings.
 */
export function replaceable(
  { name }: Catalogue,
  { provide, inject = [] }: Pick<FactoryProvider, 'provide' | 'inject'>,
  create: (modules: ModulesContainer, ...injected: unknown[]) => Promise<Settings>,
): FactoryProvider<Registered> {
  return {
    provide,
    inject: [ModulesContainer, ...inject],
    useFactory: async (modules: ModulesContainer, ...injected: unknown[]) =>
      foundIn(modules).replacements.get(name)?.[REPLACED_IN]?.(modules) ?? {
        settings: await create(modules, ...injected),
        origins: originsOf(modules),
      },
  };
}

/** What a test gave to `overrideModule`. Nest 11 and 12 keep it only here, for modules that are loaded lazily. */
function overriddenIn(loader: LazyModuleLoader): readonly unknown[] {
  const { moduleOverrides = [] } = loader as unknown as { moduleOverrides?: { moduleToReplace: unknown }[] };
  return moduleOverrides.map(({ moduleToReplace }) => moduleToReplace);
}

function checkRegistrations(modules: ModulesContainer, overridden: readonly unknown[]): void {
  const { registrations, replacements } = foundIn(modules);
  const byProvider = new Map<unknown, Registration[]>();
  for (const one of registrations)
    byProvider.set(identityOf(one), [...(byProvider.get(identityOf(one)) ?? []), one]);
  const different = [...byProvider.values()].flatMap((same) => same.slice(0, 1));
  refuseSameNames(different.map(({ catalogue }) => catalogue));
  const real = registrations.filter(({ catalogue }) => !replacements.has(catalogue.name));
  refuseOtherReplacements(real, overridden);
  for (const one of different) {
    const count = byProvider.get(identityOf(one))?.length ?? 0;
    if (count < 2 || replacements.has(one.catalogue.name)) continue;
    new SafeLogger().warn(
      `${one.moduleName} is registered ${count} times in this application. Each registration has its own ` +
        'clients and requests its own tokens. Call forRoot or forRootAsync once, in the root module.',
    );
  }
}

/** Nest makes what depends on a request again for each request: its options are not checked at boot, and it shares no token. */
function refuseRequestScope(modules: ModulesContainer): void {
  const problems = [...modules.values()].flatMap((module): ConfigProblem[] => {
    const { catalogue, moduleName } = registrationIn(module) ?? {};
    const settings = catalogue && module.providers.get(injectionToken(catalogue.name, 'SETTINGS'));
    if (settings?.isDependencyTreeStatic() !== false) return [];
    const message =
      'depends on a request-scoped provider, so each request or tenant would request its own token. Inject only singletons. For the credentials of each customer, set accounts.';
    return [{ path: `${moduleName}.forRootAsync`, message }];
  });
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

/**
 * Another module would not change the registrations: the test would run with the real options without a warning. A class may be
 * missing in the container without a test, too: an asynchronous import registers it after Nest has scanned the others.
 */
function refuseOtherReplacements(
  registrations: readonly Registration[],
  overridden: readonly unknown[],
): void {
  const problems = registrations
    .filter(({ moduleClass }) => moduleClass !== undefined && overridden.includes(moduleClass))
    .map(({ catalogue, moduleName }): ConfigProblem => {
      const advice =
        catalogue.name === BUILT_IN_NAME
          ? 'Use ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real module.'
          : 'Use ProviderAuthTestingModule.forRoot({ provider }), or .withOptions(options, { provider }) for the real module, with what defineProvider() returned.';
      return {
        path: `overrideModule(${moduleName})`,
        message: `was given a module that cannot replace it. ${advice}`,
      };
    });
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

/** The built-in provider is one provider, also if two copies of this package are in the application. */
function identityOf({ catalogue }: Pick<Registration, 'catalogue'>): unknown {
  return catalogue.name === BUILT_IN_NAME ? BUILT_IN_NAME : catalogue;
}

/**
 * Two definitions with one name would have the same variables, injection tokens and metrics. Two names can also give one
 * variable: `bank` with an interface `ordersStock`, and `bankOrders` with an interface `stock`.
 */
function refuseSameNames(catalogues: readonly Catalogue[]): void {
  const problems: ConfigProblem[] = [];
  /** Which of the catalogues before have a variable. An index, because an application may have hundreds of providers. */
  const owners = new Map<string, Catalogue[]>();
  for (const one of catalogues) {
    /** The first variable that each of them shares with this one. */
    const shared = new Map<Catalogue, string>();
    for (const variable of variablesOf(one)) {
      const others = owners.get(variable) ?? [];
      for (const other of others) if (!shared.has(other)) shared.set(other, variable);
      owners.set(variable, [...others, one]);
    }
    if (shared.size > 0)
      problems.push(...catalogues.flatMap((other) => collisionOf(one, other, shared.get(other)) ?? []));
  }
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

function collisionOf(
  one: Catalogue,
  other: Catalogue,
  shared: string | undefined,
): ConfigProblem | undefined {
  if (shared === undefined || one === other) return undefined;
  const path = `defineProvider(${one.name})`;
  const message =
    capitals(one.name) === capitals(other.name)
      ? `has the same name as another definition in this application (${other.name}). Give each its own name.`
      : `uses the variable ${shared}, which ${other.name} uses too. Rename one of the two definitions.`;
  return { path, message };
}
