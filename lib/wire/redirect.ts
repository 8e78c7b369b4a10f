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

/** Whether the next request is a GET without a body, as in browsers and in plain axios. */
export function dropsBody(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}
