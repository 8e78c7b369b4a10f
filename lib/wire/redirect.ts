import { AxiosError, type AxiosResponse } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import { REFUSALS, RequestRefusedError } from '../errors/request-refused.error.js';
import type { BaseAddress } from '../net/base-address.js';
import { safely } from '../values/safely.js';
import type { Outgoing } from './outgoing.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * Where the call goes on after an answer. Undefined if the answer is the result: because it is no redirect, the call follows none,
 * or the body cannot be sent to a second address.
 */
export function nextLocation(
  sent: Pick<Outgoing, 'method' | 'config' | 'isRepeatable'>,
  { status, headers }: Pick<AxiosResponse, 'status' | 'headers'>,
): string | undefined {
  if (!sent.config.maxRedirects || !isRedirect(status)) return undefined;
  const location: unknown = headers['location'];
  // An empty address leads nowhere.
  return typeof location === 'string' &&
    location !== '' &&
    (sent.isRepeatable || dropsBody(status, sent.method))
    ? location
    : undefined;
}

/** Whether the next request is a GET without a body, as in browsers and in plain axios. */
function dropsBody(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

export interface RedirectSettings {
  readonly base: BaseAddress;
  readonly pair: AnyPair;
  /** Whether a connection shows a client certificate. A stranger must not see that. */
  readonly showsCertificate: boolean;
}

/** Headers about the body. */
const OF_BODY = /^(?:content-.*|transfer-encoding)$/;

/** Headers that another origin must not see. The caller's config may name more. */
const SECRET: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * The request that follows a redirect. Throws if the redirect must not be followed.
 *
 * @param hops the number of redirects so far, with this one.
 */
export function redirected(
  sent: Outgoing,
  status: number,
  location: string,
  hops: number,
  { base, pair, showsCertificate }: RedirectSettings,
): Outgoing {
  const { config } = sent;
  if (hops > Number(config.maxRedirects))
    throw new AxiosError('Maximum number of redirects exceeded', 'ERR_FR_TOO_MANY_REDIRECTS', config);
  const url = safely(() => new URL(location, sent.url.origin + sent.path), undefined);
  if (url === undefined) throw new AxiosError('Invalid redirect', 'ERR_FR_REDIRECTION_FAILURE', config);
  if (url.protocol !== 'https:')
    throw new RequestRefusedError('INSECURE_REDIRECT', pair, REFUSALS.insecureRedirect);
  const isUnderBase = base.covers(url);
  if (showsCertificate && !isUnderBase)
    throw new RequestRefusedError('INSECURE_REDIRECT', pair, REFUSALS.redirectWithCertificate);
  const isWithoutBody = dropsBody(status, sent.method);
  const isForeign = url.origin !== sent.url.origin;
  const sensitive = new Set(config.sensitiveHeaders?.map((name) => name.toLowerCase()));
  const isDropped = (name: string): boolean =>
    name === 'host' ||
    (isWithoutBody && OF_BODY.test(name)) ||
    // As with `fetch`, the token does not come back: a stranger may have chosen the address of this hop.
    (!isUnderBase && name === 'authorization') ||
    (isForeign && (SECRET.has(name) || sensitive.has(name)));
  return {
    ...sent,
    url,
    path: url.pathname + url.search,
    method: isWithoutBody ? 'GET' : sent.method,
    body: isWithoutBody ? null : sent.body,
    headers: sent.headers.filter((_, at, list) => !isDropped(String(list[at - (at % 2)]).toLowerCase())),
    isUnderBase,
  };
}
