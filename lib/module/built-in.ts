import { BUILT_IN_NAME, createCatalogue } from '../catalogue/catalogue.js';
import { PROVIDER_CATALOGUE, PROVIDER_ENVIRONMENTS } from '../catalogue/provider-catalogue.js';
import { PROVIDER_HTTP_SERVICES } from '../http/provider-http-services.js';
import type { ProviderParts } from './parts.js';
import { ProviderAuthService } from './provider-service.js';

/** The provider of the document: a definition as any other, with classes for its HTTP clients. */
export const BUILT_IN: ProviderParts = {
  catalogue: createCatalogue(BUILT_IN_NAME, PROVIDER_ENVIRONMENTS, PROVIDER_CATALOGUE),
  moduleName: 'ProviderAuthModule',
  Service: ProviderAuthService,
  httpServices: PROVIDER_HTTP_SERVICES,
};
