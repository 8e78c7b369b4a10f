import type { AxiosResponse } from 'axios';
import type { Outgoing } from './outgoing.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where the call goes on after an answer. Undefined if the answer is the result: because it is no redirect, the call follows none,
 * or the body cannot be sent to a second address.
 */
export function nextLocation(
  sent: Pick<Outgoing, 'method' | 'config' | 'isRepeatable'>,
  { status, headers }: Pick<AxiosResponse, 'status' | 'headers'>,
): string | undefined {
  if (!sent.config.maxRedirects || !REDIRECTS.has(status)) return undefined;
  const location: unknown = headers['location'];
  // An empty address leads nowhere.
  return typeof location === 'string' &&
    location !== '' &&
    (sent.isRepeatable || dropsBody(status, sent.method))
    ? location
    : undefined;
}

/** As browsers do: a POST becomes a GET, and a 303 makes a GET of each method that may change something. */
export function dropsBody(status: number, method: string): boolean {
  return status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST';
}
