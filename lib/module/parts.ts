import type { FactoryProvider } from '@nestjs/common';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import type { ClientDoubles, HttpServiceClasses, ProviderClient } from './client.js';
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
  { kind: 'HTTP', partOf: ({ http }: ProviderClient): unknown => http },
  { kind: 'FETCH', partOf: ({ http }: ProviderClient): unknown => http.fetch },
  { kind: 'TOKEN_PROVIDER', partOf: ({ tokens }: ProviderClient): unknown => tokens },
] as const;

export function providersOf({ catalogue, Service, httpServices }: ProviderParts): FactoryProvider[] {
  const { name: provider, interfaces, pairs } = catalogue;
  // Not by its class: a test may replace that with an object that has only the public members.
  const serviceToken = injectionToken(provider, 'SERVICE');
  const inject = [serviceToken];
  const madeOf = (
    provide: FactoryProvider['provide'],
    part: (service: ProviderService) => unknown,
  ): FactoryProvider => ({ provide, useFactory: part, inject });

  /** What is injected by name: for one environment, or for the active environment. */
  const byName = (name: string, environment?: string): FactoryProvider[] =>
    KINDS.map(({ kind, partOf }) =>
      madeOf(injectionToken(provider, kind, name, environment), (service) =>
        partOf(service.client(name, environment)),
      ),
    );

  return [
    // No alias: Nest 11 follows it also if a test has replaced it by a factory.
    madeOf(Service, (service) => service),
    {
      provide: serviceToken,
      useFactory: ({ settings, service, origins }: Registered): unknown =>
        service ?? new Service(settings, httpServices, undefined, origins),
      inject: [injectionToken(provider, 'SETTINGS')],
    },
    ...Object.entries(httpServices).map(([name, HttpServiceOfInterface]) =>
      madeOf(HttpServiceOfInterface, (service) => service.client(name).http),
    ),
    ...interfaces.flatMap((name) => byName(name)),
    ...pairs.flatMap((pair) => byName(pair.interface, pair.environment)),
  ];
}

/** Everything with which a client of an interface is injected. */
export function tokensOf(
  { catalogue, httpServices }: Pick<ProviderParts, 'catalogue' | 'httpServices'>,
  name: string,
): unknown[] {
  const byName = [undefined, ...catalogue.environments].flatMap((environment) =>
    KINDS.map(({ kind }) => injectionToken(catalogue.name, kind, name, environment)),
  );
  return [...byName, httpServices[name]].filter((token) => token !== undefined);
}

export function exportsOf(providers: readonly FactoryProvider[]): FactoryProvider['provide'][] {
  return providers.map(({ provide }) => provide);
}
