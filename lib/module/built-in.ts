import { Module } from '@nestjs/common';
import { BUILT_IN_NAME, createCatalogue } from '../catalogue/catalogue.js';
import {
  PROVIDER_CATALOGUE,
  PROVIDER_ENVIRONMENTS,
  type ProviderEnvironment,
  type ProviderInterface,
} from '../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../config/options/provider-auth-options.js';
import { PROVIDER_HTTP_SERVICES } from '../http/provider-http-services.js';
import { createConfig, createModuleClass } from './module-definition.js';
import { injectionOf, type ProviderParts } from './parts.js';
import { ProviderAuthService } from './provider-service.js';

/** The provider of the document: a definition as any other, with classes for its HTTP clients. */
export const BUILT_IN: ProviderParts = {
  catalogue: createCatalogue(BUILT_IN_NAME, PROVIDER_ENVIRONMENTS, PROVIDER_CATALOGUE),
  moduleName: 'ProviderAuthModule',
  Service: ProviderAuthService,
  httpServices: PROVIDER_HTTP_SERVICES,
};

/**
 * Provides access tokens and authorized HTTP clients for each of the provider's interfaces and environments. Import it once, in
 * your root module.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())]
 *
 * @example
 * ProviderAuthModule.forRootAsync({
 *   imports: [ConfigModule.forFeature(providerAuthConfig)],
 *   inject: [providerAuthConfig.KEY],
 *   useFactory: (fromEnvironment: ProviderAuthOptions) => ({ ...fromEnvironment, http: { timeoutMs: 10_000 } }),
 * })
 */
@Module({})
export class ProviderAuthModule extends createModuleClass<ProviderAuthOptions>(BUILT_IN) {}

/**
 * Reads the options from environment variables, for `ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())`.
 *
 * The options contain no readable credential, because `ConfigService` returns them too: client ids and secrets are `Secret`
 * objects, and the names of secret files are hidden. You can spread and override the options: `{ ...providerAuthConfig(), http:
 * { … } }`. The module validates them at boot.
 */
export const providerAuthConfig = createConfig<ProviderAuthOptions>(BUILT_IN.catalogue);

const injection = injectionOf(BUILT_IN.catalogue);

/**
 * The injection token of an HTTP client. If you omit the environment, you get the active one.
 *
 * @example
 * const drill = app.get<HttpService>(getProviderHttpToken('easy', 'sandbox'));
 */
export function getProviderHttpToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return injection.httpToken(of, environment);
}

/**
 * The injection token of a `fetch`. If you omit the environment, you get the active one.
 *
 * @example
 * const fetch = app.get<ProviderFetch>(getProviderFetchToken('easy', 'sandbox'));
 */
export function getProviderFetchToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return injection.fetchToken(of, environment);
}

/**
 * The injection token of a token provider. If you omit the environment, you get the active one.
 *
 * @example
 * const tokens = app.get<TokenProvider>(getTokenProviderToken('easy', 'sandbox'));
 */
export function getTokenProviderToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return injection.tokenProviderToken(of, environment);
}

/**
 * Injects the HTTP client of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectProviderHttp('easy', 'sandbox') private readonly drill: HttpService) {}
 */
export const InjectProviderHttp = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  injection.InjectHttp(of, environment);

/**
 * Injects the `fetch` of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectProviderFetch('easy', 'sandbox') private readonly fetch: ProviderFetch) {}
 */
export const InjectProviderFetch = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  injection.InjectFetch(of, environment);

/**
 * Injects the token provider of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectTokenProvider('easy') private readonly tokens: TokenProvider) {}
 */
export const InjectTokenProvider = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  injection.InjectTokenProvider(of, environment);
