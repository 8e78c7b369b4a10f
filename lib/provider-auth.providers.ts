import type { FactoryProvider } from '@nestjs/common';
import {
  PROVIDER_INTERFACES,
  PROVIDER_PAIRS,
  type ProviderEnvironment,
  type ProviderInterface,
} from './catalogue/provider-catalogue.js';
import type { Settings } from './config/options/profile.js';
import { PROVIDER_HTTP_SERVICES } from './http/provider-http-services.js';
import { PROVIDER_AUTH_SETTINGS } from './provider-auth.constants.js';
import {
  getProviderFetchToken,
  getProviderHttpToken,
  getTokenProviderToken,
} from './provider-auth.injection.js';
import { ProviderAuthService } from './provider-auth.service.js';
import { replaceableInTests } from './provider-auth.test-override.js';

const service = replaceableInTests<ProviderAuthService>(
  {
    provide: ProviderAuthService,
    useFactory: (settings: Settings) => new ProviderAuthService(settings),
    inject: [PROVIDER_AUTH_SETTINGS],
  },
  (replacement) => replacement.service,
);

/** What is injected by name: for one environment, or for the active environment. */
function injectionsByName(name: ProviderInterface, environment?: ProviderEnvironment): FactoryProvider[] {
  return [
    {
      provide: getProviderHttpToken(name, environment),
      useFactory: (service: ProviderAuthService) => service.client(name, environment).http,
      inject: [ProviderAuthService],
    },
    {
      provide: getProviderFetchToken(name, environment),
      useFactory: (service: ProviderAuthService) => service.client(name, environment).http.fetch,
      inject: [ProviderAuthService],
    },
    {
      provide: getTokenProviderToken(name, environment),
      useFactory: (service: ProviderAuthService) => service.client(name, environment).tokens,
      inject: [ProviderAuthService],
    },
  ];
}

const injections: readonly FactoryProvider[] = [
  ...PROVIDER_INTERFACES.flatMap((name) => [
    {
      provide: PROVIDER_HTTP_SERVICES[name],
      useFactory: (service: ProviderAuthService) => service.client(name).http,
      inject: [ProviderAuthService],
    },
    ...injectionsByName(name),
  ]),
  ...PROVIDER_PAIRS.flatMap((pair) => injectionsByName(pair.interface, pair.environment)),
];

export const PROVIDER_AUTH_PROVIDERS = [service, ...injections];

export const PROVIDER_AUTH_EXPORTS = [ProviderAuthService, ...injections.map(({ provide }) => provide)];
