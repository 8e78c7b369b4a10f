import type { Inject, Type } from '@nestjs/common';
import type { ConfigFactory, ConfigFactoryKeyHost } from '@nestjs/config';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import type { AssertionTerms } from '../catalogue/catalogue.js';
import type {
  InterfaceDefinition,
  ProviderDefinition,
  ProviderOptions,
} from '../config/options/provider-definition.js';
import { readDefinition } from '../config/read-definition.js';
import { createConfig, createModuleClass, type ProviderModuleClass } from './module-definition.js';
import { injectionOf, PARTS, type ProviderParts } from './parts.js';
import { ProviderService } from './provider-service.js';

type Definitions = Readonly<Record<string, InterfaceDefinition>>;

/** A member that is no member of a definition must be absent, so that a misspelt member is a compile error. */
type Only<Known, Given> = { readonly [Member in Exclude<keyof Given, keyof Known>]: never };

type OnlyKnown<Interfaces> = {
  readonly [Name in keyof Interfaces]: Only<InterfaceDefinition, Interfaces[Name]> &
    (Interfaces[Name] extends { readonly assertion: infer Assertion }
      ? { readonly assertion: Only<AssertionTerms, Assertion> }
      : unknown);
};

/** The interfaces, with the assertion of the definition where they do not replace it. */
type WithAssertion<Interfaces extends Definitions, Assertion> = [Assertion] extends [AssertionTerms]
  ? {
      readonly [Name in keyof Interfaces]: Interfaces[Name] extends { readonly assertion: AssertionTerms }
        ? Interfaces[Name]
        : Interfaces[Name] & { readonly assertion: Assertion };
    }
  : Interfaces;

/** Your own provider, as `defineProvider` returns it: its module, its configuration, and what you inject. */
export interface DefinedProvider<Interfaces extends Definitions, Environment extends string> {
  /** The definition's name. */
  readonly name: string;
  /** Every pair of interface and environment. */
  readonly pairs: readonly ProviderPair<keyof Interfaces & string, Environment>[];
  /** Import it with `forRoot` or `forRootAsync`, like `ProviderAuthModule`. */
  readonly Module: ProviderModuleClass<ProviderOptions<Interfaces, Environment>>;
  /** Reads the options from variables, like `providerAuthConfig`. They begin with the provider's name in capitals. */
  readonly config: ConfigFactory<ProviderOptions<Interfaces, Environment>> &
    ConfigFactoryKeyHost<ProviderOptions<Interfaces, Environment>> &
    (() => ProviderOptions<Interfaces, Environment>);
  /** The class to inject for the token providers and the status of this provider. */
  readonly Service: Type<ProviderService<keyof Interfaces & string, Environment>>;

  /** Injects the HTTP client of an interface. If you omit the environment, you get the active one. */
  readonly InjectHttp: (
    of: keyof Interfaces & string,
    environment?: Environment,
  ) => ReturnType<typeof Inject>;
  /** Injects the `fetch` of an interface. If you omit the environment, you get the active one. */
  readonly InjectFetch: (
    of: keyof Interfaces & string,
    environment?: Environment,
  ) => ReturnType<typeof Inject>;
  /** Injects the token provider of an interface. If you omit the environment, you get the active one. */
  readonly InjectTokenProvider: (
    of: keyof Interfaces & string,
    environment?: Environment,
  ) => ReturnType<typeof Inject>;
  /** The injection token of an HTTP client. If you omit the environment, you get the active one. */
  readonly httpToken: (of: keyof Interfaces & string, environment?: Environment) => string;
  /** The injection token of a `fetch`. If you omit the environment, you get the active one. */
  readonly fetchToken: (of: keyof Interfaces & string, environment?: Environment) => string;
  /** The injection token of a token provider. If you omit the environment, you get the active one. */
  readonly tokenProviderToken: (of: keyof Interfaces & string, environment?: Environment) => string;
}

/**
 * Defines a provider of your own: tokens, HTTP clients, `fetch`, status, health and metrics for its interfaces. A wrong
 * definition throws a `ProviderAuthConfigError`.
 *
 * @example
 * export const warehouse = defineProvider({
 *   name: 'warehouse',
 *   environments: ['test', 'live'],
 *   interfaces: {
 *     stock: { scope: 'stock.read' },
 *     bankOrders: { tokenUrlPer: 'interface', audience: 'https://orders.example', clientAuth: 'basic' },
 *   },
 * });
 *
 * imports: [warehouse.Module.forRootAsync(warehouse.config.asProvider())]
 * constructor(@warehouse.InjectHttp('stock') private readonly stock: HttpService) {}
 */
export function defineProvider<
  const Interfaces extends Definitions,
  const Environment extends string,
  const Assertion extends AssertionTerms | undefined = undefined,
>(
  definition: Omit<ProviderDefinition, 'environments' | 'interfaces' | 'assertion'> & {
    readonly assertion?: Assertion & Only<AssertionTerms, Assertion>;
    readonly environments: readonly [Environment, ...Environment[]];
    readonly interfaces: Interfaces & OnlyKnown<Interfaces>;
  },
): DefinedProvider<WithAssertion<Interfaces, Assertion>, Environment> {
  const catalogue = readDefinition(definition);
  const { name, pairs } = catalogue;
  const parts: ProviderParts = {
    catalogue,
    moduleName: `${name}.Module`,
    Service: named(`${titleOf(name)}AuthService`, class extends ProviderService {}),
    httpServices: {},
  };
  const defined = {
    name,
    pairs: Object.freeze(
      pairs.map((pair) => Object.freeze({ interface: pair.interface, environment: pair.environment })),
    ),
    Module: named(`${titleOf(name)}AuthModule`, createModuleClass(parts)),
    config: createConfig(catalogue),
    Service: parts.Service,
    ...injectionOf(catalogue),
  };
  // For the simulator, the testing module and the doctor.
  Object.defineProperty(defined, PARTS, { value: parts });
  return Object.freeze(defined) as object as DefinedProvider<
    WithAssertion<Interfaces, Assertion>,
    Environment
  >;
}

/** Nest shows the names of classes in logs and errors. */
function named<Class extends object>(name: string, target: Class): Class {
  return Object.defineProperty(target, 'name', { value: name });
}

/** `bankOrders` and `bank-orders` are `BankOrders`. */
function titleOf(name: string): string {
  return name.replaceAll(/(?:^|[-_])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
