import type { NamedPair } from '../../errors/setting-names.js';
import type { ClientTls } from '../../net/client-tls.js';
import type { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import type { HttpOptions, TokenOptions } from './provider-auth-options.js';
import type { TokenStore } from './token-store.js';

/** One configured interface in one environment, validated: what a token provider and an HTTP client are made from. */
export interface Profile extends NamedPair {
  /** Whether the plain injections of its interface mean this environment. */
  readonly active: boolean;
  readonly tokenUrl: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The client id is a credential too (S10). */
  readonly clientId: Secret;
  readonly clientSecret: SecretSource;
  /** Undefined for the authorities of the system, and no client certificate. */
  readonly tls?: ClientTls | undefined;
}

/** `TokenOptions` with every default filled in. */
export type TokenSettings = Readonly<Required<TokenOptions>>;

/** `HttpOptions` with those defaults filled in that have one. */
export interface HttpSettings extends Readonly<
  Required<Pick<HttpOptions, 'timeoutMs' | 'retryUnauthorized' | 'maxRedirects'>>
> {
  readonly httpsAgent: HttpOptions['httpsAgent'] | undefined;
  readonly proxy: HttpOptions['proxy'] | undefined;
  readonly headers: HttpOptions['headers'] | undefined;
  readonly transport: HttpOptions['transport'] | undefined;
}

/** The validated configuration: all that the rest of the library knows of the options. */
export interface Settings {
  readonly profiles: readonly Profile[];
  readonly token: TokenSettings;
  readonly http: HttpSettings;
  readonly store?: TokenStore | undefined;
}
