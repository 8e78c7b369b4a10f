import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { validateOptions } from '../../config/validate-options.js';
import { PROVIDER_AUTH_SETTINGS } from '../../provider-auth.constants.js';
import { PROVIDER_AUTH_EXPORTS, PROVIDER_AUTH_PROVIDERS } from '../../provider-auth.providers.js';
import { ProviderAuthService } from '../../provider-auth.service.js';
import { TestReplacement } from '../../provider-auth.test-override.js';
import { FAKE_ADDRESSES } from './fake-addresses.js';
import { FakeTokenEndpoint } from './fake-token-endpoint.js';
import { keepOffTheNetwork, offlineAdapter } from './no-network.js';
import { fakeOptions, type ProviderAuthTestingOptions } from './provider-auth-testing-options.js';

function replacement(create: () => Promise<TestReplacement>): FactoryProvider<TestReplacement> {
  return { provide: TestReplacement, useFactory: create };
}

async function fake(options: ProviderAuthTestingOptions = {}): Promise<TestReplacement> {
  // A test without a network does not depend on the variables of its process.
  const settings = await validateOptions(fakeOptions(options), {});
  const service = new ProviderAuthService(settings, {
    endpointOf: (pair) => new FakeTokenEndpoint(pair),
    fetchAdapter: offlineAdapter,
  });
  for (const { interface: name, environment } of service.providers()) {
    keepOffTheNetwork(service.client(name, environment).http.axiosRef);
  }
  return new TestReplacement(settings, service);
}

async function real(options: ProviderAuthOptions): Promise<TestReplacement> {
  const settings = await validateOptions(options);
  return new TestReplacement(settings, new ProviderAuthService(settings));
}

const settings: FactoryProvider = {
  provide: PROVIDER_AUTH_SETTINGS,
  useFactory: ({ settings }: TestReplacement) => settings,
  inject: [TestReplacement],
};

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
  providers: [replacement(fake), settings, ...PROVIDER_AUTH_PROVIDERS],
  exports: [TestReplacement, ...PROVIDER_AUTH_EXPORTS],
})
export class ProviderAuthTestingModule {
  /** The fake module, always global. Without options the active environment is the sandbox. */
  static forRoot(options: ProviderAuthTestingOptions = {}): DynamicModule {
    return { module: ProviderAuthTestingModule, providers: [replacement(() => fake(options))] };
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
    return { module: ProviderAuthTestingModule, providers: [replacement(() => real(options))] };
  }

  /** The base URL of a client, for mocks that need a host: `https://easy.sandbox.invalid`. */
  static baseUrl(name: ProviderInterface, environment: ProviderEnvironment = 'sandbox'): string {
    return FAKE_ADDRESSES.baseUrl({ interface: name, environment });
  }
}
