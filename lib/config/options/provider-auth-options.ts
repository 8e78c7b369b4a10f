import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import type {
  PROVIDER_CATALOGUE,
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import { isObject, isPlainInAnyRealm } from '../../values/objects.js';
import { flawOfEnvironment, oneOf, oneWordOf, wholeNumber } from '../rules/choice-rules.js';
import {
  flawOfAgent,
  flawOfHostName,
  flawOfStore,
  flawOfTransport,
  LONGEST_TIMEOUT_MS,
} from '../rules/http-rules.js';
import { type Flaw, flawOfText, kindOf } from '../../secrets/text-rules.js';
import { flawOfObject, Milliseconds, Refused, Setting, Whole } from '../setting.js';
import type {
  AccountCredentials,
  ApiOptions,
  Credentials,
  Environments,
  TokenUrlOptions,
} from './environment-options.js';
import type { ProviderTransport } from './provider-transport.js';
import type { TokenStore } from './token-store.js';

/*
 * A decorated property is everything that the module knows of a setting: its type, its default, its rule, its variables, and the
 * comment that an editor shows. The first paragraph of the comment is also the text in `.env.example` and in
 * `docs/configuration.md`: `npx vitest run test/package/settings-pages.spec.ts -u` writes both again after a change. The problems
 * of the boot are in the order of the properties.
 */

/** How tokens are obtained. */
export class TokenOptions {
  /** The time limit for one attempt at the token endpoint, up to its last byte. @default 5_000 */
  @Milliseconds(1, LONGEST_TIMEOUT_MS)
  timeoutMs?: number | undefined = 5_000;

  /** How many attempts a renewal may take. Only transient failures are retried. @default 3 */
  @Whole(1, 10)
  maxAttempts?: number | undefined = 3;

  /**
   * How long before its expiry a token counts as expired.
   *
   * At most half of the token's lifetime counts.
   *
   * @default 0
   */
  @Milliseconds(0)
  expiryLeewayMs?: number | undefined = 0;

  /**
   * How long before its expiry the module renews a token in the background. 0 means never.
   *
   * At most half of the token's lifetime counts.
   *
   * @default 0
   */
  @Milliseconds(0)
  renewAheadMs?: number | undefined = 0;

  /**
   * Whether to request a token for each active pair at boot: `no`, `try` or `require`.
   *
   * `try` logs a warning for each pair that fails. `require` fails the boot.
   *
   * @default 'no'
   */
  @Setting(oneWordOf(['no', 'try', 'require'], 'no, try or require'), { variable: 'text' })
  atBoot?: 'no' | 'try' | 'require' | undefined = 'no';

  /** How many tokens of accounts and scopes each pair keeps. The least recently used one is dropped first. @default 1_000 */
  @Whole(1, 1_000_000)
  maxAccounts?: number | undefined = 1_000;
}

class ProxyCredentials {
  @Setting((value) => flawOfText(value), { need: 'required' })
  username!: string;

  @Setting((value) => (value === '' ? undefined : flawOfText(value)), { need: 'required' })
  password!: string;
}

/** `http.proxy`, in the form of axios. */
class ProxyOptions {
  @Setting(flawOfHostName, { need: 'required' })
  host!: string;

  @Setting(wholeNumber(1, 65_535), { need: 'required' })
  port!: number;

  @Setting(oneOf(['http', 'https', 'http:', 'https:'], 'http or https'))
  protocol?: string | undefined;

  @Setting(flawOfObject, { members: ProxyCredentials })
  auth?: AxiosProxyConfig['auth'];
}

/** How API requests are sent. `httpsAgent` and `proxy` also apply to token requests. */
export class HttpOptions {
  /**
   * The time limit for one call: the wait for a token, and both attempts.
   *
   * It doesn't limit a streamed response. A request's own `timeout` overrides it, and `timeout: 0` means no limit.
   *
   * @default 30_000
   */
  @Milliseconds(1, LONGEST_TIMEOUT_MS)
  timeoutMs?: number | undefined = 30_000;

  /** Whether to renew the token and send the request once more after a 401. @default true */
  @Setting(oneOf([true, false]))
  retryUnauthorized?: boolean | undefined = true;

  /** How many redirects an API request follows. @default 0 */
  @Whole(0, 20)
  maxRedirects?: number | undefined = 0;

  /**
   * The agent that sets how API and token requests connect.
   *
   * Set it to limit sockets, or for TLS settings that `tls` doesn't offer. You can't use it together with `tls` or
   * `undiciTransport()`, and closing it is up to you.
   *
   * @default a keep-alive agent for each interface and environment
   */
  @Setting(flawOfAgent)
  httpsAgent?: Agent | undefined;

  /**
   * What sends the requests.
   *
   * For example `undiciTransport()`.
   *
   * @default `node:https`
   */
  @Setting(flawOfTransport)
  transport?: ProviderTransport | undefined;

  /**
   * The proxy for API requests and token requests.
   *
   * As in axios, or `false` for no proxy.
   *
   * @default the variables `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`
   */
  @Setting(flawOfProxy, { members: ProxyOptions })
  proxy?: AxiosProxyConfig | false | undefined;

  /**
   * Headers to send with each API request.
   *
   * `Authorization` and headers of the connection aren't allowed here.
   *
   * @default none
   */
  @Setting(flawOfHeaders)
  headers?: Record<string, string> | undefined;
}

function flawOfProxy(value: unknown): Flaw {
  if (isObject(value)) return flawOfObject(value);
  return value === false ? undefined : `must be false or an object with host and port, not ${kindOf(value)}.`;
}

/** A Headers or a Map object has no members: its headers would be lost without an error. */
function flawOfHeaders(value: unknown): Flaw {
  const flaw = flawOfObject(value);
  return flaw === undefined && isObject(value) && !isPlainInAnyRealm(value) && Object.keys(value).length === 0
    ? 'must be a plain object of names and values. Turn it into one with Object.fromEntries().'
    : flaw;
}

/** Returns an account's credentials for an interface and environment, or `undefined` if there's no such account. */
export type AccountLoader<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> = (
  account: string,
  pair: ProviderPair<Interface, Environment>,
) => AccountCredentials | undefined | Promise<AccountCredentials | undefined>;

/** The options that all providers share. */
export class ProviderCommonOptions<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** How tokens are obtained. */
  @Setting(flawOfObject, { members: TokenOptions, isReadLater: true })
  token?: Partial<TokenOptions> | undefined;

  /** How API requests are sent. */
  @Setting(flawOfObject, { members: HttpOptions, isReadLater: true })
  http?: Partial<HttpOptions> | undefined;

  /** Where several processes share their tokens. @default this process's memory */
  @Setting(flawOfStore)
  store?: TokenStore | undefined;

  /**
   * Each account's credentials.
   *
   * A function that returns them, for `for({ account })`. The module calls it for each token request, so a rotated secret needs no
   * restart. It has `token.timeoutMs` to answer. The module never shows its error messages.
   *
   * @example
   * accounts: (account, pair) => merchants.credentialsOf(account, pair)
   * @default none: calls for an account fail
   */
  @Setting((value) =>
    typeof value === 'function'
      ? undefined
      : `must be a function that returns the credentials of an account, not ${kindOf(value)}.`,
  )
  accounts?: AccountLoader<Interface, Environment> | undefined;
}

/** All options of any provider. */
export class RootOptions extends ProviderCommonOptions<string, string> {
  /** The active environment. */
  @Setting(
    (value, { catalogue }) =>
      isObject(value) ? flawOfObject(value) : flawOfEnvironment(value, catalogue.environments),
    { need: 'required', variable: 'text' },
  )
  environment: unknown;

  @Setting(
    (value) =>
      value === undefined ? 'is missing. Configure at least one interface in it.' : flawOfObject(value),
    { need: 'required' },
  )
  interfaces: unknown;

  @Refused('belongs next to useFactory, useClass or useExisting in forRootAsync. Move it there.')
  isGlobal: unknown;
}

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
    ? TokenUrlOptions & Environments<ApiOptions & Credentials, ProviderEnvironment>
    : Environments<TokenUrlOptions & ApiOptions & Credentials, ProviderEnvironment>;

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
