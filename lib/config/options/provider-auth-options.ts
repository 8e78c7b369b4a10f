import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import type {
  PROVIDER_CATALOGUE,
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import type { ProviderTransport } from './provider-transport.js';
import type { TokenStore } from './token-store.js';

/** The credentials for one interface in one environment. You get them from the provider. */
export interface Credentials {
  /** The client id. */
  clientId: string;
  /**
   * The client secret. A function is called for each token request, so a rotated secret needs no restart. It has
   * `token.timeoutMs` to answer. The module never shows its error messages.
   *
   * @example
   * clientSecret: () => vault.read('provider/easy/sandbox')
   */
  clientSecret: string | Secret | (() => string | Secret | Promise<string | Secret>);
}

/**
 * TLS settings for one interface in one environment, for API and token requests. A function can return other certificates
 * later, without a restart. To read files instead, set variables such as `PROVIDER_EASY_SANDBOX_CA_FILE`.
 *
 * @example
 * tls: { ca: readFileSync('authority.pem'), cert: readFileSync('client.pem'), key: readFileSync('client-key.pem') }
 */
export interface TlsOptions {
  /** The authorities to trust, as PEM. They replace Node's own. @default Node's authorities */
  ca?: string | Buffer | undefined;
  /** The client certificate as PEM, optionally followed by its intermediate certificates. @default none */
  cert?: string | Buffer | undefined;
  /** The private key for `cert` as PEM, without a passphrase. @default none */
  key?: string | Buffer | Secret | undefined;
}

/** What each environment needs in addition to credentials. */
export interface ApiOptions {
  /** The API's address. Requests with the token only go to addresses under it. */
  baseUrl: string;
  /**
   * A private authority or a client certificate. The module calls a function at boot, at most every 30 s while your app makes
   * requests, and after a TLS failure. The function has 5 s to answer.
   *
   * @default Node's authorities, and no client certificate
   */
  tls?: TlsOptions | (() => TlsOptions | Promise<TlsOptions>) | undefined;
}

/** Where the token URL belongs: next to the base URL, or next to the environments that share it. */
export interface TokenUrlOptions {
  /** The address of the token endpoint. */
  tokenUrl: string;
}

/** The same options for each environment. */
export type Environments<Options, Environment extends string = ProviderEnvironment> = {
  [Name in Environment]?: Options | undefined;
};

/**
 * The addresses and credentials of one interface. Originations has one token URL for both environments, and easy has one for
 * each.
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
  /** Time limit in milliseconds for one attempt at the token endpoint, up to its last byte. @default 5000 */
  timeoutMs?: number | undefined;
  /** How many attempts a renewal may take. Only transient failures are retried. @default 3 */
  maxAttempts?: number | undefined;
  /** How many milliseconds before its expiry a token counts as expired; capped at half of its lifetime. @default 0 */
  expiryLeewayMs?: number | undefined;
  /**
   * How many milliseconds before its expiry a call starts a renewal in the background; 0 = never; capped at half of the token's
   * lifetime. @default 0
   */
  renewAheadMs?: number | undefined;
  /**
   * Whether to request a token for each active pair at boot: `no`; `try`, which logs a warning for each pair that fails; or
   * `require`, which fails the boot. @default 'no'
   */
  atBoot?: 'no' | 'try' | 'require' | undefined;
  /** How many tokens of accounts and scopes each pair keeps. The least recently used one is dropped first. @default 1000 */
  maxAccounts?: number | undefined;
}

/**
 * The credentials of one account: the same members that the interface needs for its own client. All but the ids may be
 * functions.
 */
export interface AccountCredentials {
  /** The client id. Optional if an assertion names the client. */
  clientId?: string | undefined;
  /** The client secret. */
  clientSecret?: Credentials['clientSecret'] | undefined;
  /** The private key, for `private_key_jwt`. */
  clientKey?: unknown;
  /** The id of the public key at the provider. */
  keyId?: string | undefined;
  /** The key's certificate as PEM text. */
  clientCertificate?:
    string | Buffer | Secret | (() => string | Buffer | Promise<string | Buffer>) | undefined;
  /** An assertion that another system has signed, for `client_assertion`. */
  clientAssertion?: Credentials['clientSecret'] | undefined;
}

/** Returns an account's credentials for an interface and environment, or `undefined` if there's no such account. */
export type AccountLoader<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> = (
  account: string,
  pair: ProviderPair<Interface, Environment>,
) => AccountCredentials | undefined | Promise<AccountCredentials | undefined>;

/** How API requests are sent. `httpsAgent` and `proxy` also apply to token requests. With `transport`, `httpsAgent` applies only to those. */
export interface HttpOptions {
  /**
   * Time limit in milliseconds for one call: the wait for a token, the request, and the resend after a 401. It doesn't limit a
   * streamed response. A request's own `timeout` overrides it, and `timeout: 0` means no limit.
   *
   * @default 30000
   */
  timeoutMs?: number | undefined;
  /**
   * Set it to limit sockets, or for TLS settings that `tls` doesn't offer. You can't use it together with `tls`, and closing it
   * is up to you. @default a keep-alive agent for each interface and environment
   */
  httpsAgent?: Agent | undefined;
  /** A proxy, as in axios, or `false` for no proxy. @default the variables `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` */
  proxy?: AxiosProxyConfig | false | undefined;
  /** Headers to send with each API request. `Authorization` and headers of the connection aren't allowed here. @default none */
  headers?: Record<string, string> | undefined;
  /** Whether to renew the token and resend the request once after a 401. @default true */
  retryUnauthorized?: boolean | undefined;
  /** How many redirects an API request follows. @default 0 */
  maxRedirects?: number | undefined;
  /** Sends the requests, for example `undiciTransport()`. @default axios' http adapter */
  transport?: ProviderTransport | undefined;
}

/** The options that all providers share. */
export interface ProviderCommonOptions<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** How tokens are obtained. */
  token?: TokenOptions | undefined;
  /** How API requests are sent. */
  http?: HttpOptions | undefined;
  /** Where several processes share their tokens. @default this process's memory */
  store?: TokenStore | undefined;
  /**
   * Returns an account's credentials, for `for({ account })`. The module calls it for each token request, so a rotated secret needs
   * no restart. It has `token.timeoutMs` to answer. The module never shows its error messages.
   *
   * @example
   * accounts: (account, pair) => merchants.credentialsOf(account, pair)
   * @default none: calls for an account fail
   */
  accounts?: AccountLoader<Interface, Environment> | undefined;
}

/**
 * All options of `ProviderAuthModule`.
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
  environment: ProviderEnvironment | Partial<Record<ProviderInterface, ProviderEnvironment | undefined>>;
  /** The interfaces that your app calls. You can inject others, but every call then fails. */
  interfaces: { [Interface in ProviderInterface]?: InterfaceOptions<Interface> | undefined };
}

/**
 * Implement this for `useClass` and `useExisting` in `ProviderAuthModule.forRootAsync()`.
 *
 * @example
 * class FromVault implements ProviderAuthOptionsFactory {
 *   createProviderAuthOptions = () => ({ environment: 'sandbox', interfaces: { … } }) as const;
 * }
 */
export interface ProviderAuthOptionsFactory {
  /** Returns the options. Called once, when your app starts. */
  createProviderAuthOptions(): ProviderAuthOptions | Promise<ProviderAuthOptions>;
}
