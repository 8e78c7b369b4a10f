import { type DynamicModule, Global, Module, type Provider, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { validateOptions } from '../../config/validate-options.js';
import { exportsOf, type ProviderParts, providersOf, type Registered } from '../../module/parts.js';
import { cataloguesIn, registrationOf } from '../../module/registration.js';
import { injectionToken } from '../../module/parts.js';
import { oncePer } from '../../values/once-per.js';
import {
  type AnyProvider,
  type EnvironmentOf,
  type EnvironmentsOf,
  type InterfaceOf,
  type OptionsOf,
  requiredPartsOf,
} from '../any-provider.js';
import {
  fakeAddresses,
  fakeOptions,
  fakeTokenRequests,
  type ProviderAuthTestingOptions,
} from './fake-provider.js';
import { isMock } from './no-network.js';

/** Clients and token providers without a network. One service for each application: two may import the same module. */
function fake(
  { catalogue, Service, httpServices }: ProviderParts,
  options: object,
): (modules: ModulesContainer) => Promise<Registered> {
  return oncePer(async () => {
    // A test without a network does not depend on the variables of its process.
    const settings = await validateOptions(catalogue, fakeOptions(catalogue, options), { variables: {} });
    const issued = new Map<string, number>();
    const service = new Service(settings, {
      httpServices,
      endpointOf: (pair) => fakeTokenRequests(pair, issued),
      isMock,
    });
    return { settings, service };
  });
}

function settingsOf({ catalogue }: ProviderParts): string {
  return injectionToken(catalogue.name, 'SETTINGS');
}

/** The providers of a testing module: those of the real one, with other settings. */
function testProvidersOf(parts: ProviderParts, options: object = {}): Provider[] {
  return [
    registrationOf(parts),
    { provide: settingsOf(parts), inject: [ModulesContainer], useFactory: fake(parts, options) },
    ...providersOf(parts),
  ];
}

/** The testing module of each definition. In one class Nest would mix the injections of two providers. */
const testingModuleOf = oncePer((parts: ProviderParts): Type => {
  @Global()
  @Module({ exports: exportsOf(providersOf(parts)) })
  class ProviderAuthTestingModule {}

  return ProviderAuthTestingModule;
});

/** The part of Nest's `TestingModuleBuilder` that `replaceIn` uses. @hidden */
export interface ReplacingBuilder<Builder> {
  /** Begins the replacement of a provider. */
  overrideProvider(token: string): {
    /** Ends the replacement of a provider. */
    useFactory(replacement: { factory: (...given: never[]) => unknown; inject?: unknown[] }): Builder;
  };
}

/** What replaces the module of an application. */
export interface ReplacingOptions<Environment, Options> extends ProviderAuthTestingOptions<Environment> {
  /** Options that lead to a simulator: real requests are sent there. @default no network: tokens are fake, and your mocks answer */
  options?: Options | undefined;
}

/**
 * Replaces `ProviderAuthModule` in tests without a network. Every injection works, tokens look like `fake-easy-sandbox-1`, and
 * your mocks answer the requests. A request that no mock matches fails at once, with any axios adapter. Your app's variables
 * and options aren't read.
 *
 * Import it with the service under test, or replace the module in a whole app:
 *
 * @example
 * Test.createTestingModule({ imports: [ProviderAuthTestingModule.forRoot()], providers: [CheckoutService] });
 *
 * ProviderAuthTestingModule.replaceIn(Test.createTestingModule({ imports: [AppModule] }));
 */
@Global()
@Module({ providers: testProvidersOf(requiredPartsOf()), exports: exportsOf(providersOf(requiredPartsOf())) })
export class ProviderAuthTestingModule {
  /**
   * The same for your own provider. Without `environment`, its first environment is active.
   *
   * @example
   * Test.createTestingModule({ imports: [ProviderAuthTestingModule.forRoot({ provider: warehouse })] });
   */
  static forRoot<Provider extends AnyProvider>(
    options: ProviderAuthTestingOptions<EnvironmentsOf<Provider>> & {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): DynamicModule;
  /** Returns the module, which is always global. Without options, the sandbox is active. */
  static forRoot(options?: ProviderAuthTestingOptions): DynamicModule;
  static forRoot(options: object & { provider?: AnyProvider } = {}): DynamicModule {
    const { provider, ...rest } = options;
    const parts = requiredPartsOf(provider);
    return {
      module: provider === undefined ? ProviderAuthTestingModule : testingModuleOf(parts),
      providers: testProvidersOf(parts, rest),
    };
  }

  /**
   * The same for your own provider.
   *
   * @example
   * ProviderAuthTestingModule.replaceIn(Test.createTestingModule({ imports: [AppModule] }), { provider: warehouse });
   */
  static replaceIn<Builder extends ReplacingBuilder<Builder>, Provider extends AnyProvider>(
    builder: Builder,
    options: ReplacingOptions<EnvironmentsOf<Provider>, OptionsOf<Provider>> & {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): Builder;
  /**
   * Replaces the settings of the module in a whole app, wherever the app registers it. To send real requests to a
   * `ProviderSimulator`, pass its options.
   *
   * @example
   * const app = await ProviderAuthTestingModule.replaceIn(
   *   Test.createTestingModule({ imports: [AppModule] }),
   *   { options: simulator.options() },
   * ).compile();
   */
  static replaceIn<Builder extends ReplacingBuilder<Builder>>(
    builder: Builder,
    options?: ReplacingOptions<ProviderAuthOptions['environment'], ProviderAuthOptions>,
  ): Builder;
  static replaceIn<Builder extends ReplacingBuilder<Builder>>(
    builder: Builder,
    given: { readonly provider?: AnyProvider; readonly options?: object | undefined } = {},
  ): Builder {
    const { provider, options, ...rest } = given;
    const parts = requiredPartsOf(provider);
    const real = async (modules: ModulesContainer): Promise<Registered> => ({
      settings: await validateOptions(parts.catalogue, options, {
        registered: cataloguesIn(modules),
      }),
    });
    return builder.overrideProvider(settingsOf(parts)).useFactory({
      factory: options === undefined ? fake(parts, rest) : oncePer(real),
      inject: [ModulesContainer],
    });
  }

  /** As below, for your own provider. */
  static baseUrl<Provider extends AnyProvider>(
    name: InterfaceOf<Provider>,
    environment: EnvironmentOf<Provider>,
    of: {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): string;
  /** The base URL of a client, for mocks that need a host: `https://easy.sandbox.invalid`. */
  static baseUrl(name: ProviderInterface, environment?: ProviderEnvironment): string;
  static baseUrl(
    name: string,
    environment = 'sandbox',
    { provider }: { provider?: AnyProvider } = {},
  ): string {
    const { catalogue } = requiredPartsOf(provider);
    return fakeAddresses(catalogue).baseUrl({ interface: name, environment });
  }
}
