import { type AnyPair, pairName, providerOf } from '../catalogue/catalogue.js';
import type { OrOwnName, ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import { nameErrors, ProviderAuthError } from './provider-auth.error.js';

/** Why a request was refused. */
export type RequestRefusedErrorCode =
  /** Its final address is not under the base URL. */
  | 'OUTSIDE_BASE_URL'
  /** Its final address is not https. */
  | 'INSECURE_URL'
  /** The API redirected it to an address that is not https. */
  | 'INSECURE_REDIRECT'
  /** It has an option that its transport does not support. */
  | 'OPTION_NOT_SUPPORTED';

/** Why a request was refused, and what to do. */
export const REFUSALS = {
  insecureUrl:
    'its address is not https. Pass a path instead of a whole address, or an https address under the base URL.',
  insecureRedirect:
    'the API redirected it to an address that is not https. Report this to the provider, or set maxRedirects to 0 and handle the redirect yourself.',
  // The request would trust other authorities than those of the configuration.
  fetchWithoutTls:
    "adapter: 'fetch' uses the connections of the whole process, without the `tls` of this environment. Use the adapter of the module.",
  // The other server could ask for the client certificate of the pair (S9).
  redirectWithCertificate:
    'the API redirected it to an address that is not under the base URL, and the client certificate is only for the base URL. Set maxRedirects to 0, and send the next request with your own HTTP client.',
} as const;

/** Names both sides, with origin and path only. */
export function outsideBaseUrl(address: string | undefined, baseUrl: string, isSchemeless = false): string {
  const reason =
    address === undefined
      ? `it has no whole address under the base URL ${baseUrl}.`
      : `${address} is not under the base URL ${baseUrl}${isSchemeless ? ', because // at the start begins a host name' : ''}.`;
  return `${reason} Pass a path that stays under the base URL, or use your own HTTP client for other hosts.`;
}

/** The address may be right, but a setting of the request leads to another server. */
export function connectedElsewhere(setting: 'socketPath' | 'host', baseUrl: string): string {
  const shown = setting === 'host' ? 'Host header' : setting;
  return `its ${shown} leads to another place than the base URL ${baseUrl}. Remove that from the request, or use your own HTTP client for other hosts.`;
}

/**
 * A request was refused and not sent, because its address isn't allowed. The error shows at most the address's origin and path.
 */
export class RequestRefusedError extends ProviderAuthError {
  static {
    nameErrors(this, 'RequestRefusedError');
  }

  /** The interface of the client that refused the request. */
  readonly interface: OrOwnName<ProviderInterface>;
  /** The environment of that client. */
  readonly environment: OrOwnName<ProviderEnvironment>;
  /** The account, if the request was for one. */
  declare readonly account?: string;
  readonly #provider: string;

  /** @hidden */
  constructor(
    readonly code: RequestRefusedErrorCode,
    pair: AnyPair,
    why: string,
  ) {
    super(`A request to ${pairName(pair)} was not sent: ${why}`);
    this.interface = pair.interface;
    this.environment = pair.environment;
    this.#provider = providerOf(pair);
    if (pair.account !== undefined) this.account = pair.account;
  }

  /** The name of the provider: `provider`, or the name in your own definition. */
  get provider(): string {
    return this.#provider;
  }
}
