import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { validateOptions } from '../../config/validate-options.js';
import { BUILT_IN } from '../../provider-auth.built-in.js';
import { exportsOf, type ProviderParts, providersOf } from '../../provider-auth.parts.js';
import { replacementToken, TestReplacement } from '../../provider-auth.test-override.js';
import { injectionToken } from '../../provider-auth.tokens.js';
import { fakeAddresses } from './fake-addresses.js';
import { FakeTokenEndpoint } from './fake-token-endpoint.js';
import { keepOffTheNetwork, offlineAdapter } from './no-network.js';
import { fakeOptions, type ProviderAuthTestingOptions } from './provider-auth-testing-options.js';

function replacement(
  { catalogue }: ProviderParts,
  create: () => Promise<TestReplacement>,
): FactoryProvider<TestReplacement> {
  return { provide: replacementToken(catalogue), useFactory: create };
}

async function fake(
  { catalogue, Service, httpServices }: ProviderParts,
  options: ProviderAuthTestingOptions = {},
): Promise<TestReplacement> {
  // A test without a network does not depend on the variables of its process.
  const settings = await validateOptions(catalogue, fakeOptions(catalogue, options), {});
  const service = new Service(settings, httpServices, {
    endpointOf: (pair) => new FakeTokenEndpoint(pair),
    fetchAdapter: offlineAdapter,
  });
  for (const { interface: name, environment } of service.providers()) {
    keepOffTheNetwork(service.client(name, environment).http.axiosRef);
  }
  return new TestReplacement(settings, service);
}

async function real(
  { catalogue, Service, httpServices }: ProviderParts,
  options: object,
): Promise<TestReplacement> {
  const settings = await validateOptions(catalogue, options);
  return new TestReplacement(settings, new Service(settings, httpServices));
}

/** What the testing module of a provider provides beside the replacement. */
function testProvidersOf(parts: ProviderParts): FactoryProvider[] {
  const { catalogue } = parts;
  const settings: FactoryProvider = {
    provide: injectionToken(catalogue.name, 'SETTINGS'),
    useFactory: (replaced: TestReplacement) => replaced.settings,
    inject: [replacementToken(catalogue)],
  };
  return [settings, ...providersOf(parts)];
}

/**
 * `ProviderAuthModule` without a network. Everything can be injected, tokens are `fake-easy-sandbox-1` and so on, and your
 * mocks answer requests. A request without a mock fails at once, with every adapter of axios. No variables and no options of
 * the application are read.
 *
 * Import it with the service under test, or replace the module of a whole application:
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
  exports: [replacementToken(BUILT_IN.catalogue), ...exportsOf(BUILT_IN)],
})
export class ProviderAuthTestingModule {
  /** The fake module, always global. Without options the active environment is the sandbox. */
  static forRoot(options: ProviderAuthTestingOptions = {}): DynamicModule {
    return {
      module: ProviderAuthTestingModule,
      providers: [replacement(BUILT_IN, () => fake(BUILT_IN, options))],
    };
  }

  /**
   * Real tokens and real requests, with these options instead of the options of the application. Use it with a
   * `ProviderSimulator`, called `provider` here.
   *
   * @example
   * Test.createTestingModule({ imports: [AppModule] })
   *   .overrideModule(ProviderAuthModule)
   *   .useModule(ProviderAuthTestingModule.withOptions(provider.options()));
   */
  static withOptions(options: ProviderAuthOptions): DynamicModule {
    return {
      module: ProviderAuthTestingModule,
      providers: [replacement(BUILT_IN, () => real(BUILT_IN, options))],
    };
  }

  /** The base URL of a client, for mocks that need a host: `https://easy.sandbox.invalid`. */
  static baseUrl(name: ProviderInterface, environment: ProviderEnvironment = 'sandbox'): string {
    return fakeAddresses(BUILT_IN.catalogue).baseUrl({ interface: name, environment });
  }
}
