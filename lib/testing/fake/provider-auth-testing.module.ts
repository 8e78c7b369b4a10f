import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { validateOptions } from '../../config/validate-options.js';
import { loadValidator } from '../../config/validator.js';
import { PROVIDER_AUTH_SETTINGS } from '../../provider-auth.constants.js';
import { PROVIDER_AUTH_EXPORTS, PROVIDER_AUTH_PROVIDERS } from '../../provider-auth.providers.js';
import { ProviderAuthService } from '../../provider-auth.service.js';
import { StandIn } from '../../provider-auth.stand-in.js';
import { FAKE_ADDRESSES } from './fake-addresses.js';
import { FakeTokenEndpoint } from './fake-token-endpoint.js';
import { keepOffTheNetwork } from './no-network.js';
import { fakeOptions, type ProviderAuthTestingOptions } from './provider-auth-testing-options.js';

function standIn(create: () => StandIn): FactoryProvider<StandIn> {
  return {
    provide: StandIn,
    async useFactory() {
      await loadValidator();
      return create();
    },
  };
}

function fake(options: ProviderAuthTestingOptions = {}): StandIn {
  // The environment of the process is no business of a test that stays within it.
  const settings = validateOptions(fakeOptions(options), {});
  const service = new ProviderAuthService(settings, (pair) => new FakeTokenEndpoint(pair));
  for (const { interface: name, environment } of service.providers()) {
    keepOffTheNetwork(service.client(name, environment).http.axiosRef);
  }
  return new StandIn(settings, service);
}

function real(options: ProviderAuthOptions): StandIn {
  const settings = validateOptions(options);
  return new StandIn(settings, new ProviderAuthService(settings));
}

const settings: FactoryProvider = {
  provide: PROVIDER_AUTH_SETTINGS,
  useFactory: ({ settings }: StandIn) => settings,
  inject: [StandIn],
};

/**
 * `ProviderAuthModule` without a network: everything can be injected, tokens read `fake-easy-sandbox-1`, requests go to
 * your mocks, and one that no mock takes fails at once, whatever adapter of axios it names. Configuration, from the
 * environment or otherwise, is not read.
 *
 * Beside the service under test, or in place of the module in a whole application:
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
  providers: [standIn(fake), settings, ...PROVIDER_AUTH_PROVIDERS],
  exports: [StandIn, ...PROVIDER_AUTH_EXPORTS],
})
export class ProviderAuthTestingModule {
  /** The module's stand-in; without options everything is in the sandbox. Always global. */
  static forRoot(options: ProviderAuthTestingOptions = {}): DynamicModule {
    return { module: ProviderAuthTestingModule, providers: [standIn(() => fake(options))] };
  }

  /**
   * The real module with these options in place of the application's: to lead a whole application to a simulator.
   *
   * @example
   * Test.createTestingModule({ imports: [AppModule] })
   *   .overrideModule(ProviderAuthModule)
   *   .useModule(ProviderAuthTestingModule.withOptions(provider.options()));
   */
  static withOptions(options: ProviderAuthOptions): DynamicModule {
    return { module: ProviderAuthTestingModule, providers: [standIn(() => real(options))] };
  }

  /** Above all addresses that the client calls: `https://easy.sandbox.invalid`, for mocks that ask for a host. */
  static baseUrl(name: ProviderInterface, environment: ProviderEnvironment = 'sandbox'): string {
    return FAKE_ADDRESSES.baseUrl({ interface: name, environment });
  }
}
