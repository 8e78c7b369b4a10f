import type { FactoryProvider } from '@nestjs/common';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import type { ClientDoubles, HttpServiceClasses, InjectedClient } from './client.js';
import type { TokenOrigins } from '../token/token-origins.js';
import type { ProviderService } from './provider-service.js';
import { PACKAGE } from './package.js';
import { injectionToken } from './injection-tokens.js';
import { isObject } from '../values/objects.js';

/** A provider and the classes that its users inject. The module, the testing module and the doctor are made from it. */
export interface ProviderParts {
  readonly catalogue: Catalogue;
  readonly moduleName: string;
  readonly Service: new (
    settings: Settings,
    httpServices?: HttpServiceClasses,
    doubles?: ClientDoubles,
    origins?: TokenOrigins,
  ) => ProviderService;
  /** Empty if no HTTP client is injected by class. */
  readonly httpServices: HttpServiceClasses;
}

/** What a registration makes of the options. */
export interface Registered {
  readonly settings: Settings;
  readonly origins?: TokenOrigins;
  /** The service of a test. Undefined if the registration makes its own. */
  readonly service?: ProviderService;
}

/** The parts of a definition are under this symbol. It is the same in all copies of this package. */
export const PARTS = Symbol.for(`${PACKAGE.name}:parts`);

/** The parts of a value that `defineProvider` returned. Undefined for any other value. */
export function partsOf(defined: unknown): ProviderParts | undefined {
  return isObject(defined) ? (Reflect.get(defined, PARTS) as ProviderParts | undefined) : undefined;
}

const KINDS = [
  ['HTTP', ({ http }: InjectedClient): unknown => http],
  ['FETCH', ({ http }: InjectedClient): unknown => http.fetch],
  ['TOKEN_PROVIDER', ({ tokens }: InjectedClient): unknown => tokens],
] as const;

/** Everything with which a client of an interface is injected. */
function clientsOf({ catalogue, httpServices }: ProviderParts, of: string): FactoryProvider[] {
  const inject = [serviceToken(catalogue)];
  // For the active environment, and for each environment by name.
  const byName = [undefined, ...catalogue.environments].flatMap((environment) =>
    KINDS.map(([kind, partOf]) => ({
      provide: injectionToken(catalogue.name, kind, of, environment),
      useFactory: (service: ProviderService) => partOf(service.client(of, environment)),
      inject,
    })),
  );
  const provide = httpServices[of];
  const useFactory = (service: ProviderService): unknown => service.client(of).http;
  return provide ? [...byName, { provide, useFactory, inject }] : byName;
}

export function providersOf(parts: ProviderParts): FactoryProvider[] {
  const { catalogue, Service, httpServices } = parts;
  return [
    // No alias: Nest 11 follows it also if a test has replaced it by a factory.
    {
      provide: Service,
      useFactory: (service: ProviderService) => service,
      inject: [serviceToken(catalogue)],
    },
    {
      provide: serviceToken(catalogue),
      useFactory: ({ settings, service, origins }: Registered): unknown =>
        service ?? new Service(settings, httpServices, undefined, origins),
      inject: [injectionToken(catalogue.name, 'SETTINGS')],
    },
    ...catalogue.interfaces.flatMap((name) => clientsOf(parts, name)),
  ];
}

/** Not by its class: a test may replace that with an object that has only the public members. */
export function serviceToken({ name }: Catalogue): string {
  return injectionToken(name, 'SERVICE');
}

export function tokensOf(parts: ProviderParts, name: string): FactoryProvider['provide'][] {
  return exportsOf(clientsOf(parts, name));
}

export function exportsOf(providers: readonly FactoryProvider[]): FactoryProvider['provide'][] {
  return providers.map(({ provide }) => provide);
}
