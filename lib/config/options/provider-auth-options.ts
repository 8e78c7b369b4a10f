import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import type {
  PROVIDER_CATALOGUE,
  ProviderEnvironment,
  ProviderInterface,
} from '../../catalogue/provider-catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import type { ProviderTransport } from './provider-transport.js';
import type { TokenStore } from './token-store.js';

/** The credentials from the account representative, for one environment of one interface. */
export interface Credentials {
  /** The client id. */
  clientId: string;
  /**
   * The client secret. A function is called for each token request, so a rotated secret needs no restart. It has
   * `token.timeoutMs` to answer. The text of its errors is not shown.
   *
   * @example
   * clientSecret: () => vault.read('provider/easy/sandbox')
   */
  clientSecret: string | Secret | (() => string | Promise<string>);
}

/**
 * How the TLS connections of one interface in one environment are made, for its API and its token requests. A function can
 * give other certificates later, without a restart. For the same from files there are variables, such as
 * `PROVIDER_EASY_SANDBOX_CA_FILE`.
 *
 * @example
 * tls: { ca: readFileSync('authority.pem'), cert: readFileSync('client.pem'), key: readFileSync('client-key.pem') }
 */
export interface TlsOptions {
  /** PEM of the authorities to trust, in place of those of the system. */
  ca?: string | Buffer;
  /** PEM of the client certificate. The authorities between it and the root may follow it. */
  cert?: string | Buffer;
  /** PEM of the private key of `cert`, without a passphrase. */
  key?: string | Buffer | Secret;
}

/** What each environment has in addition to its credentials. */
export interface ApiOptions {
  /** Authorized requests go to addresses under this URL and nowhere else. */
  baseUrl: string;
  /**
   * A private authority, a client certificate. A function is called at boot, at most every 30 s while requests are made, and
   * after a TLS failure. It has 5 s to answer.
   *
   * @default the authorities of the system, no client certificate
   */
  tls?: TlsOptions | (() => TlsOptions | Promise<TlsOptions>);
}

/** Where the token URL belongs: next to the base URL, or next to the environments that share it. */
export interface TokenUrlOptions {
  /** The address of the token endpoint. */
  tokenUrl: string;
}

/** The same options for each environment. */
export type Environments<Options, Environment extends string = ProviderEnvironment> = {
  [Name in Environment]?: Options;
};

/**
 * The addresses and credentials of one interface. The provider's document decides the shape: originations has one token
 * URL for both environments, and easy has one token URL for each.
 *
 * @example
 * const easy: InterfaceOptions<'easy'> = { sandbox: { tokenUrl, baseUrl, clientId, clientSecret } };
 * const originations: InterfaceOptions<'originations'> = { tokenUrl, sandbox: { baseUrl, clientId, clientSecret } };
 */
export type InterfaceOptions<Interface extends ProviderInterface> =
  (typeof PROVIDER_CATALOGUE)[Interface]['tokenUrlPer'] extends 'interface'
    ? TokenUrlOptions & Environments<ApiOptions & Credentials>
    : Environments<TokenUrlOptions & ApiOptions & Credentials>;

/** How tokens are obtained. */
export interface TokenOptions {
  /** Milliseconds for one attempt at the token endpoint, to its last byte. @default 5000 */
  timeoutMs?: number;
  /** Attempts within one renewal. Only transient failures are tried again. @default 3 */
  maxAttempts?: number;
  /** How many milliseconds before its expiry a token counts as expired; capped at half of its lifetime. @default 0 */
  expiryLeewayMs?: number;
  /** How many milliseconds before its expiry a token is renewed in the background; 0 = never; capped at half of its lifetime. @default 0 */
  renewAheadMs?: number;
  /**
   * Whether the boot asks for a token of each active pair: `no`; `try`, which logs one warning for a pair that fails and goes
   * on; or `require`, which fails the boot. @default 'no'
   */
  atBoot?: 'no' | 'try' | 'require';
  /** How many tokens of accounts and scopes each pair keeps. The one that was not used for longest goes first. @default 1000 */
  maxAccounts?: number;
}

/** The credentials of one account: the members that the interface demands from its own client. */
export interface AccountCredentials {
  /** The client id. Optional if an assertion names the client. */
  clientId?: string;
  /** The client secret. */
  clientSecret?: string | Secret;
  /** The private key, for `private_key_jwt`. */
  clientKey?: unknown;
  /** The id under which the provider knows the public key. */
  keyId?: string;
  /** PEM text of the certificate of the key. */
  clientCertificate?: string | Buffer | Secret;
  /** An assertion that another system has signed, for `client_assertion`. */
  clientAssertion?: string | Secret;
}

/** Returns the credentials of an account for an interface and environment, or `undefined` if it has none. */
export type AccountLoader = (
  account: string,
  pair: { readonly interface: string; readonly environment: string },
) => AccountCredentials | undefined | Promise<AccountCredentials | undefined>;

/** How API requests are sent. `httpsAgent` and `proxy` apply to token requests, too. */
export interface HttpOptions {
  /**
   * Milliseconds for one call: waiting for a token, the request, and sending it again after a 401. A streamed response is not
   * limited. The `timeout` of a request overrides this setting, and `timeout: 0` means no limit.
   *
   * @default 30000
   */
  timeoutMs?: number;
  /**
   * For limits of sockets, or for TLS settings that `tls` of an environment does not have. It is refused together with
   * `tls`. Without it, the module makes its own keep-alive agent.
   */
  httpsAgent?: Agent;
  /** A proxy in the form of axios, or false for no proxy. @default `HTTPS_PROXY` and `NO_PROXY` of the environment */
  proxy?: AxiosProxyConfig | false;
  /** Sent with each API request. `Authorization` is refused here. */
  headers?: Record<string, string>;
  /** One refresh and one resend after a 401. @default true */
  retryUnauthorized?: boolean;
  /** Redirects followed by API requests. @default 0 */
  maxRedirects?: number;
  /** What sends the requests. @default the http adapter of axios */
  transport?: ProviderTransport;
}

/** The options that do not depend on the provider. */
export interface ProviderCommonOptions {
  /** How tokens are obtained. */
  token?: TokenOptions;
  /** How API requests are sent. */
  http?: HttpOptions;
  /** Where the processes of a fleet share tokens. @default the memory of this process */
  store?: TokenStore;
  /**
   * The credentials of accounts, for `for({ account })`. It is called for each token request, so a rotated secret needs no restart. It
   * has `token.timeoutMs` to answer. The text of its errors is not shown.
   *
   * @example
   * accounts: (account, pair) => merchants.credentialsOf(account, pair)
   */
  accounts?: AccountLoader;
}

/**
 * All options of the module.
 *
 * @example
 * const options: ProviderAuthOptions = {
 *   environment: 'sandbox',
 *   interfaces: { easy: { sandbox: { tokenUrl, baseUrl, clientId, clientSecret } } },
 *   http: { timeoutMs: 10_000 },
 * };
 */
export interface ProviderAuthOptions extends ProviderCommonOptions {
  /** The active environment: one for all interfaces, or one for each configured interface. */
  environment: ProviderEnvironment | Partial<Record<ProviderInterface, ProviderEnvironment>>;
  /** Each interface that the application calls. Other interfaces can be injected, but every call fails. */
  interfaces: { [Interface in ProviderInterface]?: InterfaceOptions<Interface> };
}

/**
 * For `useClass` and `useExisting` of `ProviderAuthModule.forRootAsync()`.
 *
 * @example
 * class FromVault implements ProviderAuthOptionsFactory {
 *   createProviderAuthOptions = () => ({ environment: 'sandbox', interfaces: { … } }) as const;
 * }
 */
export interface ProviderAuthOptionsFactory {
  /** Called once, when the application starts. */
  createProviderAuthOptions(): ProviderAuthOptions | Promise<ProviderAuthOptions>;
}
