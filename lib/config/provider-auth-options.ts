import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import type {
  PROVIDER_CATALOGUE,
  ProviderEnvironment,
  ProviderInterface,
} from '../catalogue/provider-catalogue.js';
import type { Secret } from '../secrets/secret.js';
import type { ProviderTransport } from './provider-transport.js';
import type { TokenStore } from './token-store.js';

export interface Credentials {
  clientId: string;
  /** The function form is called for each token request, so a rotated secret needs no restart. */
  clientSecret: string | Secret | (() => string | Promise<string>);
}

interface ApiOptions extends Credentials {
  /** Authorized requests go to addresses under this URL and nowhere else. */
  baseUrl: string;
}

interface TokenUrlOptions {
  /** Where tokens are asked for. */
  tokenUrl: string;
}

type Environments<Options> = { [Environment in ProviderEnvironment]?: Options };

/** The shape follows from the catalogue: one token URL for the interface, or one in each environment. */
export type InterfaceOptions<Interface extends ProviderInterface> =
  (typeof PROVIDER_CATALOGUE)[Interface]['tokenUrlPer'] extends 'interface'
    ? TokenUrlOptions & Environments<ApiOptions>
    : Environments<TokenUrlOptions & ApiOptions>;

export interface TokenOptions {
  /** Milliseconds for one attempt at the token endpoint, to its last byte. @default 5000 */
  timeoutMs?: number;
  /** Attempts within one renewal; only transient failures are tried again. @default 3 */
  maxAttempts?: number;
  /** How many milliseconds before its expiry a token counts as expired; capped at half of its lifetime. @default 0 */
  expiryLeewayMs?: number;
  /** How many milliseconds before its expiry a token is renewed in the background; 0 = never; capped at half of its lifetime. @default 0 */
  renewAheadMs?: number;
}

export interface HttpOptions {
  /** Milliseconds for one call: waiting for a token and both attempts. @default 30000 */
  timeoutMs?: number;
  /** For a private certificate authority or a client certificate; the module makes a keep-alive agent of its own otherwise. */
  httpsAgent?: Agent;
  proxy?: AxiosProxyConfig | false;
  /** Sent with each API request; `Authorization` is refused here. */
  headers?: Record<string, string>;
  /** One refresh and one resend after a 401. @default true */
  retryUnauthorized?: boolean;
  /** Redirects followed by API requests. @default 0 */
  maxRedirects?: number;
  /** How bytes travel. @default axios' own http adapter */
  transport?: ProviderTransport;
}

export interface ProviderAuthOptions {
  /** The environment that the plain injections use: one for all interfaces, or one for each configured interface. */
  environment: ProviderEnvironment | Partial<Record<ProviderInterface, ProviderEnvironment>>;
  interfaces: { [Interface in ProviderInterface]?: InterfaceOptions<Interface> };
  token?: TokenOptions;
  http?: HttpOptions;
  /** Where the processes of a fleet share tokens. @default this process's memory */
  store?: TokenStore;
}

/** For `useClass` and `useExisting` of `ProviderAuthModule.forRootAsync()`. */
export interface ProviderAuthOptionsFactory {
  createProviderAuthOptions(): ProviderAuthOptions | Promise<ProviderAuthOptions>;
}
