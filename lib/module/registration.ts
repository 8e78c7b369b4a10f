import { type FactoryProvider, Inject, Module, type OnModuleInit, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import { requiredOf } from '../config/process-env/variable-names.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { oncePer } from '../values/once-per.js';
import { headerTracing, reportBoot } from './boot-report.js';
import type { AskedPair } from './client.js';
import { clientsOf, exportsOf, injectionToken, type ProviderParts, type Registered } from './parts.js';
import type { ProviderService } from './provider-service.js';

type OneOf<Container> = Container extends Map<string, infer One> ? One : never;
type NestModule = OneOf<ModulesContainer>;

/** A provider that an application has registered, and the module of the registration. */
type Registration = ProviderParts & { readonly module: NestModule };

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration. Replaces the provider of `bareImportOf`. */
export function registrationOf(parts: ProviderParts): ValueProvider<ProviderParts> {
  return { provide: REGISTRATION, useValue: parts };
}

/** An import of the class alone provides nothing, and Nest would only say that it cannot resolve a dependency. */
export function bareImportOf({ moduleName, catalogue }: ProviderParts): FactoryProvider<never> {
  const config = catalogue.name === BUILT_IN_NAME ? 'providerAuthConfig' : `${catalogue.name}.config`;
  const message = `was imported without forRoot() or forRootAsync(). Import ${moduleName}.forRootAsync(${config}.asProvider()) once, in the root module.`;
  return {
    provide: REGISTRATION,
    useFactory() {
      throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: moduleName, message }]);
    },
  };
}

function registrationsIn(modules: ModulesContainer): Registration[] {
  return [...modules.values()].flatMap((module) => {
    const parts = module.providers.get(REGISTRATION)?.instance as ProviderParts | undefined;
    return parts ? [{ ...parts, module }] : [];
  });
}

/** The providers of all modules of an application, also of those that are not created yet. Each of hundreds may ask for them. */
export const cataloguesIn = oncePer((modules: ModulesContainer): readonly Catalogue[] =>
  registrationsIn(modules).map(({ catalogue }) => catalogue),
);

/** The services of all providers of an application. If a test replaces several registrations, they share one service. */
export function servicesIn(modules: ModulesContainer): ProviderService[] {
  const services = registrationsIn(modules).map(
    ({ module, catalogue }) => module.providers.get(injectionToken(catalogue.name, 'SERVICE'))?.instance,
  );
  return [...new Set(services)].filter((one): one is ProviderService => one !== undefined);
}

/**
 * The configured pairs of an application, as health and metrics ask about them. A test may have replaced the class of the service
 * with an object that has only some of the public members, or with a mock whose members return nothing.
 */
export function pairsIn(modules: ModulesContainer): AskedPair[] {
  const services = registrationsIn(modules).map(({ module, catalogue, Service }) => {
    const [given, own] = [Service, injectionToken(catalogue.name, 'SERVICE')].map(
      (token) => module.providers.get(token)?.instance as Partial<ProviderService> | undefined,
    );
    const isReplaced = given !== own && Array.isArray(given?.status?.());
    return [isReplaced ? given : own, catalogue.name] as const;
  });
  return [...new Map(services)].flatMap(
    ([service, provider]): readonly AskedPair[] =>
      service?.askedPairs ??
      service
        ?.status?.()
        .map((status) => ({ provider, status: () => status, isInUse: () => status.active })) ??
      [],
  );
}

/** Every registration imports this module, and Nest creates it once for an application. So it sees all registrations. */
@Module({})
export class RegistrationCheckModule implements OnModuleInit {
  constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {}

  onModuleInit(): void {
    const registrations = registrationsIn(this.modules);
    const problems = [...sameNames(registrations), ...requestScopes(registrations)];
    if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
    const logger = new SafeLogger();
    const warnings = [
      ...headerTracing(process.env),
      ...secondRegistrations(registrations),
      ...unconfigured(registrations, this.modules),
    ];
    for (const warning of warnings) logger.warn(warning);
    // A test may give all registrations the same settings.
    for (const settings of new Set(registrations.flatMap((one) => registeredIn(one).settings ?? [])))
      reportBoot(settings);
  }
}

/** Two definitions with one name would have the same variables, injection tokens and metrics. */
function sameNames(registrations: readonly Registration[]): ConfigProblem[] {
  const byName = new Map<string, Registration>();
  return registrations.flatMap((one) => {
    const { name } = one.catalogue;
    const first = byName.get(capitals(name)) ?? one;
    byName.set(capitals(name), first);
    // Two copies of this package may be in an application. Both have the built-in provider.
    if (one.catalogue === first.catalogue || name === BUILT_IN_NAME) return [];
    const message = `has the same name as another definition in this application (${first.catalogue.name}). Give each its own name.`;
    return [{ path: `defineProvider(${name})`, message }];
  });
}

function settingsIn({ module, catalogue }: Registration) {
  return module.providers.get(injectionToken(catalogue.name, 'SETTINGS'));
}

function registeredIn(registration: Registration): Partial<Registered> {
  return settingsIn(registration)?.instance ?? {};
}

/** Nest makes what depends on a request again for each request: its options are not checked at boot, and it shares no token. */
function requestScopes(registrations: readonly Registration[]): ConfigProblem[] {
  const scoped = registrations.filter((one) => settingsIn(one)?.isDependencyTreeStatic() === false);
  return scoped.map(({ moduleName }) => ({
    path: `${moduleName}.forRootAsync`,
    message:
      'depends on a request-scoped provider, so each request or tenant would request its own token. Inject only singletons. For the credentials of each customer, set accounts.',
  }));
}

function secondRegistrations(registrations: readonly Registration[]): string[] {
  // A test gives all registrations the same service.
  const own = registrations.filter((one) => registeredIn(one).service === undefined);
  return own.flatMap((one) => {
    const all = own.filter(({ moduleName }) => moduleName === one.moduleName);
    if (all.length === 1 || all[0] !== one) return [];
    return `${one.moduleName} is registered ${all.length} times in this application. Each registration has its own clients and requests its own tokens. Call forRoot or forRootAsync once, in the root module.`;
  });
}

/** Without a warning, a client without settings would only be missed with the first call. */
function unconfigured(registrations: readonly Registration[], modules: ModulesContainer): string[] {
  const injected = new Set([...modules.values()].flatMap(injectedIn));
  return registrations.flatMap((registration) => {
    const { catalogue } = registration;
    const { profiles = [] } = registeredIn(registration).settings ?? {};
    const [first = ''] = catalogue.environments;
    const { environment = first } = profiles.find(({ active }) => active) ?? {};
    const missing = catalogue.interfaces.filter(
      (name) =>
        profiles.every((profile) => profile.interface !== name) &&
        exportsOf(clientsOf(registration, name)).some((token) => injected.has(token)),
    );
    return missing.map((name) => {
      const variables = requiredOf(catalogue, { interface: name, environment }).map((one) => one.name);
      return `A client of ${name} is injected, but ${name} is not configured, so its calls will fail. Set ${variables.join(', ')}, or the options interfaces.${name}. (NOT_CONFIGURED)`;
    });
  });
}

/** What the classes and factories of a module inject. */
function injectedIn({ providers, controllers, injectables }: NestModule): unknown[] {
  const all = [providers, controllers, injectables].flatMap((some) => [...some.values()]);
  return all.flatMap((one) => [
    ...(one.getCtorMetadata() ?? []).map(({ token }) => token),
    ...(one.getPropertiesMetadata() ?? []).map(({ wrapper }) => wrapper.token),
  ]);
}
