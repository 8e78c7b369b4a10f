import { type FactoryProvider, Inject } from '@nestjs/common';
import { capitals, type Catalogue } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { oneWordOf } from '../config/rules/choice-rules.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { ClientParts, InjectedClient } from './client.js';
import type { TokenOrigins } from '../token/token-origins.js';
import type { ProviderService } from './provider-service.js';
import { PACKAGE } from './package.js';
import { isObject } from '../values/objects.js';

/** A provider and the classes that its users inject. The module, the testing module and the doctor are made from it. */
export interface ProviderParts {
  readonly catalogue: Catalogue;
  readonly moduleName: string;
  readonly Service: new (settings: Settings, parts?: ClientParts) => ProviderService;
  /** Empty if no HTTP client is injected by class. */
  readonly httpServices: Required<ClientParts>['httpServices'];
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

/** What is injected of a client. */
const KINDS = {
  HTTP: ({ http }: InjectedClient): unknown => http,
  FETCH: ({ http }: InjectedClient): unknown => http.fetch,
  TOKEN_PROVIDER: ({ tokens }: InjectedClient): unknown => tokens,
};

type InjectedKind = keyof typeof KINDS;

/** The injection token of one thing of a provider: `PROVIDER_AUTH:HTTP:easy:sandbox`. @internal */
export function injectionToken(
  provider: string,
  kind: InjectedKind | 'SETTINGS' | 'SERVICE',
  of?: string,
  environment?: string,
): string {
  const place = [of, environment].filter((part) => part !== undefined);
  return [`${capitals(provider)}_AUTH`, kind, ...place].join(':');
}

/**
 * The functions with which an application names what it injects. With a name that the provider does not have, Nest would only say
 * that it cannot resolve a dependency.
 */
export function injectionOf({ name, interfaces, environments }: Catalogue) {
  const tokenOf =
    (kind: InjectedKind) =>
    (of: string, environment?: string): string => {
      const flaws = {
        'the injected interface': oneWordOf(interfaces)(of),
        'the injected environment':
          environment === undefined ? undefined : oneWordOf(environments)(environment),
      };
      const problems = Object.entries(flaws).flatMap(([path, message]) =>
        message ? [{ path, message }] : [],
      );
      if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems, name);
      return injectionToken(name, kind, of, environment);
    };
  const decoratorOf =
    (kind: InjectedKind) =>
    (of: string, environment?: string): ReturnType<typeof Inject> =>
      Inject(tokenOf(kind)(of, environment));
  return {
    httpToken: tokenOf('HTTP'),
    fetchToken: tokenOf('FETCH'),
    tokenProviderToken: tokenOf('TOKEN_PROVIDER'),
    InjectHttp: decoratorOf('HTTP'),
    InjectFetch: decoratorOf('FETCH'),
    InjectTokenProvider: decoratorOf('TOKEN_PROVIDER'),
  };
}

/** Everything with which a client of an interface is injected. */
export function clientsOf({ catalogue, httpServices }: ProviderParts, of: string): FactoryProvider[] {
  const inject = [injectionToken(catalogue.name, 'SERVICE')];
  // For the active environment, and for each environment by name.
  const byName = [undefined, ...catalogue.environments].flatMap((environment) =>
    Object.entries(KINDS).map(([kind, partOf]) => ({
      provide: injectionToken(catalogue.name, kind as InjectedKind, of, environment),
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
  // Not its class: a test may replace that with an object that has only the public members.
  const token = injectionToken(catalogue.name, 'SERVICE');
  return [
    // No alias: Nest 11 follows it also if a test has replaced it by a factory.
    {
      provide: Service,
      useFactory: (service: ProviderService) => service,
      inject: [token],
    },
    {
      provide: token,
      useFactory: ({ settings, service, origins }: Registered): unknown =>
        service ?? new Service(settings, { httpServices, origins }),
      inject: [injectionToken(catalogue.name, 'SETTINGS')],
    },
    ...catalogue.interfaces.flatMap((name) => clientsOf(parts, name)),
  ];
}

export function exportsOf(providers: readonly FactoryProvider[]): FactoryProvider['provide'][] {
  return providers.map(({ provide }) => provide);
}
