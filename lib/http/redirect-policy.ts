import type { AxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { RequestRefusedError, UNCHECKED_CERTIFICATE } from '../errors/request-refused.error.js';
import { isAuthorization } from './authorization-header.js';
import type { BaseAddress } from './final-address.js';
import { hopsToWhoeverAnswers } from './unchecked-connection.js';

type BeforeRedirect = NonNullable<AxiosRequestConfig['beforeRedirect']>;
type HopOptions = Parameters<BeforeRedirect>[0];
type Headers = Record<string, unknown>;

/** What a hook has no business with: agents lead to every request under way, the rest back to this policy. */
const INTERNAL_OPTIONS = ['agent', 'agents', 'beforeRedirect', 'beforeRedirects', 'nativeProtocols'];

/**
 * Decides hop by hop where redirects may lead and which hop sees the token: those under the base URL do, other https
 * addresses do not; http, and a hop whose certificate a hook leaves unchecked, are refused (S9). The caller's hook works on copies that never held the token.
 */
export class RedirectPolicy {
  /** Why the last hop was not made. */
  refusal: RequestRefusedError | undefined;
  /** Whether the last request that was made carried the token: only its 401 says something about the token. */
  carriesToken: boolean;

  constructor(
    private readonly base: BaseAddress,
    private readonly pair: ProviderPair,
    readonly authorization: string | undefined,
    private readonly callersHook: BeforeRedirect | undefined,
  ) {
    this.carriesToken = authorization !== undefined;
  }

  readonly beforeRedirect: BeforeRedirect = (options, responseDetails, requestDetails) => {
    if (this.authorization !== undefined)
      options['headers'] = this.withoutToken(options['headers'] as Headers);
    if (this.callersHook) {
      const copy: HopOptions = { ...options, headers: { ...(options['headers'] as Headers) } };
      for (const name of INTERNAL_OPTIONS) delete copy[name];
      const headers = this.withoutToken(requestDetails.headers) as typeof requestDetails.headers;
      this.callersHook(copy, responseDetails, { ...requestDetails, headers });
      Object.assign(options, copy);
    }
    const target = targetOf(options);
    if (target.protocol !== 'https:')
      throw (this.refusal = new RequestRefusedError('INSECURE_REDIRECT', this.pair));
    if (hopsToWhoeverAnswers(options))
      throw (this.refusal = new RequestRefusedError('INSECURE_REDIRECT', this.pair, UNCHECKED_CERTIFICATE));
    if (this.authorization === undefined) return;
    const headers = options['headers'] as Headers;
    const hookBroughtItsOwn = Boolean(options['auth']) || Object.keys(headers).some(isAuthorization);
    this.carriesToken = !hookBroughtItsOwn && this.base.covers(target);
    // A copy once more: the hook may still hold these.
    if (this.carriesToken) options['headers'] = { ...headers, [AUTHORIZATION_HEADER]: this.authorization };
  };

  private withoutToken(headers: Headers): Headers {
    return Object.fromEntries(
      Object.entries(headers).filter(
        ([name, value]) => !isAuthorization(name) && value !== this.authorization,
      ),
    );
  }
}

/** Where the hop will really go, after what a hook has done to it. */
function targetOf(options: HopOptions): URL {
  const { protocol, hostname, host, port, path } = options as Record<string, string | undefined>;
  const name = hostname ?? host ?? '';
  return new URL(`${protocol}//${name.includes(':') ? `[${name}]` : name}${port ? `:${port}` : ''}${path}`);
}
