import type { Catalogue, InterfaceEntry } from '../../catalogue/catalogue.js';
import type { NamedPair } from '../../errors/setting-names.js';
import type { ClientTls } from '../../net/client-tls.js';
import type { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import type { HttpOptions, TokenOptions } from './provider-auth-options.js';
import type { TokenStore } from './token-store.js';

/** What the provider demands of a token request, in addition to what all token requests have. */
interface TokenRequestTerms extends Pick<InterfaceEntry, 'clientAuth' | 'scope' | 'audience' | 'resource'> {
  /** The `kid` of client assertions. */
  readonly keyId?: string | undefined;
}

/** The validated settings of one interface and environment. A token provider and an HTTP client are created from them. */
export interface Profile extends NamedPair {
  /** Whether this is the active environment of the interface. */
  readonly active: boolean;
  readonly tokenUrl: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The client id is a credential too (S10). */
  readonly clientId: Secret;
  /** The client secret. With `private_key_jwt`, the PEM text of the private key. */
  readonly clientSecret: SecretSource;
  /** Undefined for the form of the provider's document (S2). */
  readonly tokenRequest?: TokenRequestTerms | undefined;
  /** Undefined for the authorities of the system, and no client certificate. */
  readonly tls?: ClientTls | undefined;
}

/** `TokenOptions` with every default filled in. */
export type TokenSettings = Readonly<Required<TokenOptions>>;

/** `HttpOptions` with every default filled in. */
export interface HttpSettings extends Readonly<
  Required<Pick<HttpOptions, 'timeoutMs' | 'retryUnauthorized' | 'maxRedirects'>>
> {
  readonly httpsAgent: HttpOptions['httpsAgent'] | undefined;
  readonly proxy: HttpOptions['proxy'] | undefined;
  readonly headers: HttpOptions['headers'] | undefined;
  readonly transport: HttpOptions['transport'] | undefined;
}

/** The validated configuration. No other code of this package reads the options. */
export interface Settings {
  /** The provider that the options are for. */
  readonly catalogue: Catalogue;
  readonly profiles: readonly Profile[];
  readonly token: TokenSettings;
  readonly http: HttpSettings;
  readonly store?: TokenStore | undefined;
}
