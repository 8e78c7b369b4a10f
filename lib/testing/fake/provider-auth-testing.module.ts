import { type DynamicModule, Global, Module, type Provider, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { definedCatalogues } from '../../catalogue/catalogue.js';
import { validateOptions } from '../../config/validate-options.js';
import { BUILT_IN } from '../../module/built-in.js';
import { exportsOf, type ProviderParts, providersOf, type Replaced } from '../../module/parts.js';
import { cataloguesIn, replaceable, replacementOf } from '../../module/registration.js';
import { injectionToken } from '../../module/injection-tokens.js';
import { isObject } from '../../values/is-object.js';
import { oncePer } from '../../values/once-per.js';
import {
  type AnyProvider,
  type EnvironmentOf,
  type InterfaceOf,
  type OptionsOf,
  requiredPartsOf,
} from '../any-provider.js';
import { fakeAddresses } from './fake-addresses.js';
import { FakeTokenEndpoint } from './fake-token-endpoint.js';
import { isMock } from './no-network.js';
import { fakeOptions, type ProviderAuthTestingOptions } from './provider-auth-testing-options.js';

function replacement(
  parts: ProviderParts,
  create: (modules: ModulesContainer) => Promise<Replaced>,
): Provider {
  // One for each application, because two applications can import the same module.
  return replacementOf(parts, oncePer(create));
}

async function fake(
  { catalogue, Service, httpServices }: ProviderParts,
  options: object = {},
): Promise<Replaced> {
  // A test without a network does not depend on the variables of its process.
  const settings = await validateOptions(catalogue, fakeOptions(catalogue, options), {});
  const issued = new Map<string, number>();
  const service = new Service(settings, httpServices, {
    endpointOf: (pair) => new FakeTokenEndpoint(pair, issued),
    isMock,
  });
  return { settings, service };
}

async function real(
  { catalogue, Service, httpServices }: ProviderParts,
  options: object,
  modules: ModulesContainer,
): Promise<Replaced> {
  const registered = cataloguesIn(modules);
  const settings = await validateOptions(catalogue, options, process.env, { registered });
  return { settings, service: new Service(settings, httpServices) };
}

/** What the testing module of a provider provides in addition to the replacement. */
function testProvidersOf(parts: ProviderParts): Provider[] {
  const { catalogue } = parts;
  const provide = injectionToken(catalogue.name, 'SETTINGS');
  const settings = replaceable(catalogue, { provide }, () =>
    Promise.reject(new Error('This module is made with its replacement.')),
  );
  return [settings, ...providersOf(parts)];
}

/** The testing module of each definition. In one class Nest would mix the injections of two providers. */
const testingModuleOf = oncePer((parts: ProviderParts): Type => {
  @Global()
  @Module({
    providers: testProvidersOf(parts),
    exports: exportsOf(providersOf(parts)),
  })
  class ProviderAuthTestingModule {}

  return ProviderAuthTestingModule;
});

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
 * Test.createTestingModule({ imports: [AppModule] })
 *   .overrideModule(ProviderAuthModule)
 *   .useModule(ProviderAuthTestingModule.forRoot());
 */
@Global()
@Module({
  providers: [replacement(BUILT_IN, () => fake(BUILT_IN)), ...testProvidersOf(BUILT_IN)],
  exports: exportsOf(providersOf(BUILT_IN)),
})
export class ProviderAuthTestingModule {
  /**
   * The same for your own provider. Without `environment`, its first environment is active.
   *
   * @example
   * Test.createTestingModule({ imports: [AppModule] })
   *   .overrideModule(warehouse.Module)
   *   .useModule(ProviderAuthTestingModule.forRoot({ provider: warehouse }));
   */
  static forRoot<Provider extends AnyProvider>(
    options: ProviderAuthTestingOptions<
      EnvironmentOf<Provider> | { [Interface in InterfaceOf<Provider>]?: EnvironmentOf<Provider> }
    > & {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): DynamicModule;
  /** Returns the module, which is always global. Without options, the sandbox is active. */
  static forRoot(options?: ProviderAuthTestingOptions): DynamicModule;
  static forRoot(options: object & { provider?: AnyProvider } = {}): DynamicModule {
    const { provider, ...rest } = options;
    return moduleFor(provider, (parts) => fake(parts, rest));
  }

  /** As below, for your own provider. */
  static withOptions<Provider extends AnyProvider>(
    options: OptionsOf<Provider>,
    of: {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): DynamicModule;
  /**
   * Makes real token requests and API requests, with these options instead of your app's. Use it with a `ProviderSimulator`,
   * here `provider`. For your own provider, pass its definition too.
   *
   * @example
   * Test.createTestingModule({ imports: [AppModule] })
   *   .overrideModule(ProviderAuthModule)
   *   .useModule(ProviderAuthTestingModule.withOptions(provider.options()));
   */
  static withOptions(options: ProviderAuthOptions): DynamicModule;
  static withOptions(options: object, { provider }: { provider?: AnyProvider } = {}): DynamicModule {
    if (provider === undefined) refuseOptionsOfDefinition(options);
    return moduleFor(provider, (parts, modules) => real(parts, options, modules));
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
    const { catalogue } = provider === undefined ? BUILT_IN : requiredPartsOf(provider);
    return fakeAddresses(catalogue).baseUrl({ interface: name, environment });
  }
}

/** Their check would only list the interfaces that the built-in provider has. */
function refuseOptionsOfDefinition(options: object): void {
  const { interfaces } = options as { interfaces?: unknown };
  const names = isObject(interfaces) ? Object.keys(interfaces) : [];
  const owner = definedCatalogues().find(
    (one) => names.length > 0 && names.every((name) => one.interfaces.includes(name)),
  );
  if (owner === undefined || owner === BUILT_IN.catalogue) return;
  throw new TypeError(
    `withOptions() got options for ${owner.name}. Pass { provider } as the second argument, with what defineProvider() returned.`,
  );
}

function moduleFor(
  provider: AnyProvider | undefined,
  create: (parts: ProviderParts, modules: ModulesContainer) => Promise<Replaced>,
): DynamicModule {
  const parts = provider === undefined ? BUILT_IN : requiredPartsOf(provider);
  return {
    module: provider === undefined ? ProviderAuthTestingModule : testingModuleOf(parts),
    providers: [replacement(parts, (modules) => create(parts, modules))],
  };
}
