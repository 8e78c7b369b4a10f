import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings } from '../../config/options/profile.js';
import type { Clock } from '../../time/clock.js';
import { TokenIdentity } from '../../token/token-identity.js';
import { isRedirect } from '../../wire/redirect.js';
import type { FetchedCall } from '../call.js';
import { bodyOfRequest } from './body.js';
import { fetchFailure } from './failure.js';
import { type ConfigSettings, configOf, readFetchRequest } from './request.js';
import { createResponse, discardBody } from './response.js';

/**
 * A `fetch` for one interface and environment. It sends the token and follows all rules of the HTTP clients. A path is joined
 * to the base URL, and a full address must be under it.
 *
 * @example
 * constructor(@InjectProviderFetch('easy') private readonly fetch: ProviderFetch) {}
 *
 * const answer = await this.fetch('/payments/1');
 */
export interface ProviderFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** The base URL of the interface and environment, or an empty string if they aren't configured. */
  readonly baseUrl: string;
}

export interface FetchSettings extends ConfigSettings {
  readonly http: Pick<HttpSettings, 'timeoutMs' | 'maxRedirects' | 'headers'>;
  readonly clock: Clock;
  readonly send: (config: InternalAxiosRequestConfig, fetched: FetchedCall) => Promise<AxiosResponse>;
}

export function createProviderFetch(settings: FetchSettings): ProviderFetch {
  const { base, baseUrl, http, clock, send } = settings;
  const { timeoutMs } = http;
  return withBaseUrl(baseUrl, async (input, init, identity) => {
    const request = readFetchRequest(input, init ?? {});
    const { signal, unread } = request;
    const startedAt = clock.monotonic();
    const body = unread ? await bodyOfRequest(unread, { signal, timeoutMs, clock }) : request.body;
    const leftMs = unread && timeoutMs > 0 ? remaining(timeoutMs, clock.monotonic() - startedAt) : timeoutMs;
    const which = TokenIdentity.isOne(identity) ? identity : undefined;
    const config = configOf(settings, request, body, leftMs, which);
    const fetched = { isRedirected: false };
    const answer = await send(config, fetched).catch((error: unknown) => {
      // As with `fetch`, an abort ends the body even if nothing was sent. After another failure, another call may send it, unless
      // its start was read.
      if (unread || signal?.aborted) body?.cancel?.(signal?.reason);
      throw fetchFailure(error, signal, timeoutMs);
    });
    if (request.redirect === 'error' && isRedirect(answer.status)) {
      discardBody(answer);
      const cause = new Error(
        `The API answered with a redirect (${answer.status}), and the request allows none.`,
      );
      throw new TypeError('fetch failed', { cause });
    }
    return createResponse(answer, { config, base, signal, redirected: fetched.isRedirected });
  });
}

export function identifiedFetch(pair: ProviderFetch, identity: TokenIdentity): ProviderFetch {
  return withBaseUrl(pair.baseUrl, (input, init) => (pair as IdentifiedFetch)(input, init, identity));
}

/** A `fetch` that is made for its first call. */
export function createLazyFetch(baseUrl: string, create: () => ProviderFetch): ProviderFetch {
  return withBaseUrl(baseUrl, (input, init, identity) =>
    (create() as IdentifiedFetch)(input, init, identity),
  );
}

/** A `fetch` that rejects each call: there is nothing that could send it. */
export function createRefusingFetch(explain: () => Error): ProviderFetch {
  return withBaseUrl('', () => Promise.reject(explain()));
}

/** A caller may pass anything as a third argument. No caller can make an identity. */
type IdentifiedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
  identity?: unknown,
) => Promise<Response>;

function withBaseUrl(baseUrl: string, fetch: IdentifiedFetch): ProviderFetch {
  return Object.defineProperties(fetch as ProviderFetch, {
    baseUrl: { value: baseUrl, enumerable: true },
    name: { value: 'fetch' },
  });
}

/** At least 1, because 0 means no limit. */
function remaining(ms: number, pastMs: number): number {
  return Math.max(1, Math.ceil(ms - pastMs));
}
