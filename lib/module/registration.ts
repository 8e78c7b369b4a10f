import { Module, type OnModuleInit, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import { settingsOf } from '../config/process-env/variable-names.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { injectionToken } from './injection-tokens.js';
import { type ProviderParts, type Registered, tokensOf } from './parts.js';

type Registration = Pick<ProviderParts, 'catalogue' | 'moduleName' | 'httpServices'>;

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration. */
export function registrationOf(parts: ProviderParts): ValueProvider<Registration> {
  return { provide: REGISTRATION, useValue: parts };
}

type OneOf<Container> = Container extends Map<string, infer One> ? One : never;
type NestModule = OneOf<ModulesContainer>;

interface Found {
  readonly size: number;
  /** The registrations of an application, each with its module. */
  readonly registrations: readonly (Registration & { readonly module: NestModule })[];
  readonly catalogues: readonly Catalogue[];
  /** The classes of the modules that are no registrations. */
  readonly others: ReadonlySet<unknown>;
}

const known = new WeakMap<ModulesContainer, Found>();

/** Looked up once while the number of modules is the same: hundreds of registrations may ask, and each would search all modules. */
function foundIn(modules: ModulesContainer): Found {
  const before = known.get(modules);
  if (before?.size === modules.size) return before;
  const all = [...modules.values()];
  const registrations = all.flatMap((module) => {
    const registration = module.providers.get(REGISTRATION)?.instance as Registration | undefined;
    return registration ? [{ ...registration, module }] : [];
  });
  const found = {
    size: modules.size,
    registrations,
    catalogues: registrations.map(({ catalogue }) => catalogue),
    others: new Set(all.filter(({ providers }) => !providers.has(REGISTRATION)).map((one) => one.metatype)),
  };
  known.set(modules, found);
  return found;
}

/** The providers of all modules of an application, also of those that are not created yet. */
export function cataloguesIn(modules: ModulesContainer): readonly Catalogue[] {
  return foundIn(modules).catalogues;
}

/** Such an import provides nothing, and Nest would only say that it cannot resolve a dependency. */
export function refuseBareImport(
  modules: ModulesContainer,
  moduleClass: unknown,
  { moduleName, catalogue }: ProviderParts,
): void {
  if (!foundIn(modules).others.has(moduleClass)) return;
  const config = catalogue.name === BUILT_IN_NAME ? 'providerAuthConfig' : `${catalogue.name}.config`;
  const message = `was imported without forRoot() or forRootAsync(). Import ${moduleName}.forRootAsync(${config}.asProvider()) once, in the root module.`;
  throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: moduleName, message }]);
}

/** Every registration imports this module, and Nest creates it once for an application. So it sees all registrations. */
@Module({
  providers: [
    {
      provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
      useFactory: (modules: ModulesContainer): OnModuleInit => {
        refuseSameNames(modules);
        // The scopes and the settings are known when Nest has created everything.
        return {
          onModuleInit() {
            refuseRequestScope(modules);
            warnOfSecondRegistrations(modules);
            warnOfUnconfigured(modules);
          },
        };
      },
      inject: [ModulesContainer],
    },
  ],
})
export class RegistrationCheckModule {}

function warnOfSecondRegistrations(modules: ModulesContainer): void {
  const byProvider = new Map<unknown, Registration[]>();
  for (const one of foundIn(modules).registrations) {
    // A test gives all registrations the same service.
    if (registeredIn(one).service) continue;
    byProvider.set(identityOf(one), [...(byProvider.get(identityOf(one)) ?? []), one]);
  }
  for (const [first, ...others] of byProvider.values())
    if (first && others.length > 0)
      new SafeLogger().warn(
        `${first.moduleName} is registered ${others.length + 1} times in this application. Each registration has its own ` +
          'clients and requests its own tokens. Call forRoot or forRootAsync once, in the root module.',
      );
}

/** The built-in provider is one provider, also if two copies of this package are in the application. */
function identityOf({ catalogue }: Pick<Registration, 'catalogue'>): unknown {
  return catalogue.name === BUILT_IN_NAME ? BUILT_IN_NAME : catalogue;
}

/** Two definitions with one name would have the same variables, injection tokens and metrics. */
function refuseSameNames(modules: ModulesContainer): void {
  const byName = new Map<string, Registration>();
  const problems: ConfigProblem[] = [];
  for (const one of foundIn(modules).registrations) {
    const { name } = one.catalogue;
    const other = byName.get(capitals(name));
    if (other === undefined) byName.set(capitals(name), one);
    else if (identityOf(other) !== identityOf(one))
      problems.push({
        path: `defineProvider(${name})`,
        message: `has the same name as another definition in this application (${other.catalogue.name}). Give each its own name.`,
      });
  }
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

function settingsIn({ module, catalogue }: { module: NestModule; catalogue: Catalogue }) {
  return module.providers.get(injectionToken(catalogue.name, 'SETTINGS'));
}

function registeredIn(registration: { module: NestModule; catalogue: Catalogue }): Partial<Registered> {
  return settingsIn(registration)?.instance ?? {};
}

/** Nest makes what depends on a request again for each request: its options are not checked at boot, and it shares no token. */
function refuseRequestScope(modules: ModulesContainer): void {
  const problems = foundIn(modules)
    .registrations.filter((one) => settingsIn(one)?.isDependencyTreeStatic() === false)
    .map(({ moduleName }) => ({
      path: `${moduleName}.forRootAsync`,
      message:
        'depends on a request-scoped provider, so each request or tenant would request its own token. Inject only singletons. For the credentials of each customer, set accounts.',
    }));
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

/** Without a warning, a client without settings would only be missed with the first call. */
function warnOfUnconfigured(modules: ModulesContainer): void {
  const injected = new Set([...modules.values()].flatMap(injectedIn));
  for (const registration of foundIn(modules).registrations) {
    const { catalogue } = registration;
    const { settings } = registeredIn(registration);
    const { profiles = [] } = settings ?? {};
    const environment = profiles.find(({ active }) => active)?.environment ?? catalogue.environments[0];
    for (const name of catalogue.interfaces) {
      const isConfigured = profiles.some((profile) => profile.interface === name);
      if (!settings || isConfigured || !tokensOf(registration, name).some((token) => injected.has(token)))
        continue;
      const variables = settingsOf(catalogue, { interface: name, environment: environment ?? '' });
      new SafeLogger().warn(
        `A client of ${name} is injected, but ${name} is not configured, so its calls will fail. Set ` +
          `${variables.map(({ variable }) => variable).join(', ')}, or the options interfaces.${name}. (NOT_CONFIGURED)`,
      );
    }
  }
}

/** What the classes and factories of a module inject, as Nest's decorators note it. */
function injectedIn({ providers, controllers, injectables }: NestModule): unknown[] {
  return [providers, controllers, injectables].flatMap((all) =>
    [...all.values()].flatMap(({ metatype, inject }): unknown[] => {
      if (inject) return inject.map((one: unknown) => (isOptional(one) ? one.token : one));
      if (typeof metatype !== 'function') return [];
      const noted = (key: string) => (Reflect.getMetadata(key, metatype) ?? []) as Record<string, unknown>[];
      return [
        ...noted('design:paramtypes'),
        ...noted('self:paramtypes').map(({ param }) => param),
        ...noted('self:properties_metadata').map(({ type }) => type),
      ];
    }),
  );
}

function isOptional(one: unknown): one is { readonly token: unknown } {
  return typeof one === 'object' && one !== null && 'token' in one;
}
