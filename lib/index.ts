export type { ProviderEnvironment, ProviderInterface, ProviderPair } from './catalogue/provider-catalogue.js';
export type { AssertionTerms, ClientAuth, ProviderTerms } from './catalogue/catalogue.js';
export type {
  AccountCredentials,
  ClientAssertionCredentials,
  ClientJwk,
  ClientKey,
  ClientKeyCredentials,
  ClientKeyParts,
  Credentials,
  TlsClientCredentials,
  TlsOptions,
} from './config/options/environment-options.js';
export type {
  InterfaceDefinition,
  InterfaceOptionsOf,
  ProviderDefinition,
  ProviderOptions,
} from './config/options/provider-definition.js';
export { defineProvider, type DefinedProvider } from './module/define.js';
export type { ProviderModuleAsyncOptions, ProviderModuleClass } from './module/module-definition.js';
export type {
  AccountLoader,
  HttpOptions,
  InterfaceOptions,
  ProviderAuthOptions,
  ProviderAuthOptionsFactory,
  ProviderCommonOptions,
  TokenOptions,
} from './config/options/provider-auth-options.js';
export type { ProviderTransport } from './config/options/provider-transport.js';
export type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from './config/options/token-store.js';
export {
  type ConfigProblem,
  ProviderAuthConfigError,
  type ProviderAuthConfigErrorCode,
} from './errors/provider-auth-config.error.js';
export { ProviderAuthError } from './errors/provider-auth.error.js';
export { RequestRefusedError, type RequestRefusedErrorCode } from './errors/request-refused.error.js';
export { TokenRequestError, type TokenRequestErrorCode } from './errors/token-request.error.js';
export type {
  HttpUnauthorizedEvent,
  ProviderEvent,
  ProviderAuthEvents,
  ProviderStateEvent,
  RenewalReason,
  StoreStateEvent,
  TokenCacheEvent,
  TokenRequestEvent,
} from './events/provider-auth-events.js';
export type { ProviderHttpService } from './http/provider-http.service.js';
export type { ProviderFetch } from './http/fetch/provider-fetch.js';
export { EasyHttpService, OriginationsHttpService } from './http/provider-http-services.js';
export {
  getProviderFetchToken,
  getProviderHttpToken,
  getTokenProviderToken,
  InjectProviderFetch,
  InjectProviderHttp,
  InjectTokenProvider,
  ProviderAuthModule,
  providerAuthConfig,
} from './module/built-in.js';
export { ProviderAuthExceptionFilter } from './module/exception-filter.js';
export { ProviderAuthService, type ProviderService } from './module/provider-service.js';
export { AccessToken } from './secrets/access-token.js';
export { Secret } from './secrets/secret.js';
export type { ApiError } from './http/api-report.js';
export type { ProviderStatus } from './module/client.js';
export type { TokenTarget } from './token/token-identity.js';
export { TokenProvider, type TokenCallOptions, type TokenStatus } from './token/token-provider.js';
