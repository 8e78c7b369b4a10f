import type { FactoryProvider } from '@nestjs/common';
import { PROVIDER_ENVIRONMENTS, PROVIDER_INTERFACES } from './catalogue/provider-catalogue.js';
import type { Settings } from './config/options/profile.js';
import { PROVIDER_HTTP_SERVICES } from './http/provider-http-services.js';
import { PROVIDER_AUTH_SETTINGS } from './provider-auth.constants.js';
import { getProviderHttpToken, getTokenProviderToken } from './provider-auth.injection.js';
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

/** Everything that can be injected for one interface: by class, for the active environment, for each environment. */
const injections = PROVIDER_INTERFACES.flatMap((name): FactoryProvider[] => [
  {
    provide: PROVIDER_HTTP_SERVICES[name],
    useFactory: (service: ProviderAuthService) => service.client(name).http,
    inject: [ProviderAuthService],
  },
  ...[undefined, ...PROVIDER_ENVIRONMENTS].flatMap((environment): FactoryProvider[] => [
    {
      provide: getProviderHttpToken(name, environment),
      useFactory: (service: ProviderAuthService) => service.client(name, environment).http,
      inject: [ProviderAuthService],
    },
    {
      provide: getTokenProviderToken(name, environment),
      useFactory: (service: ProviderAuthService) => service.client(name, environment).tokens,
      inject: [ProviderAuthService],
    },
  ]),
]);

export const PROVIDER_AUTH_PROVIDERS = [service, ...injections];

export const PROVIDER_AUTH_EXPORTS = [ProviderAuthService, ...injections.map(({ provide }) => provide)];
