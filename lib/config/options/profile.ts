import type { Catalogue } from '../../catalogue/catalogue.js';
import type { NamedPair } from '../../errors/setting-names.js';
import type { ClientTls } from '../../net/client-tls.js';
import type { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import type { Filled } from '../setting.js';
import type { AccountLoader, HttpOptions, TokenOptions } from './provider-auth-options.js';
import type { TokenStore } from './token-store.js';

/** The validated settings of one interface and environment. A token provider and an HTTP client are created from them. */
export interface Profile extends NamedPair {
  readonly active: boolean;
  readonly tokenUrl: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The client id is a credential too (S10). Undefined if only the assertion names the client. */
  readonly clientId: Secret | undefined;
  /** The client secret, or what the client has instead: the PEM text of its private key, its assertion, its certificate. */
  readonly clientSecret: SecretSource;
  /** The audience of client assertions. Undefined if they are for the token URL. */
  readonly issuer?: string | undefined;
  /** Undefined for the authorities of the system, and no client certificate. */
  readonly tls?: ClientTls | undefined;
}

export type TokenSettings = Filled<TokenOptions>;

export type HttpSettings = Filled<HttpOptions>;

/** The validated configuration. No other code of this package reads the options. */
export interface Settings {
  readonly catalogue: Catalogue;
  readonly profiles: readonly Profile[];
  readonly token: TokenSettings;
  readonly http: HttpSettings;
  readonly store?: TokenStore | undefined;
  readonly accounts?: AccountLoader<string, string> | undefined;
}
