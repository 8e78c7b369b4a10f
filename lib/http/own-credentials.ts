import type { InternalAxiosRequestConfig } from 'axios';
import { isAuthorization } from './authorization-header.js';

/**
 * Whether the caller brought credentials: those win, and the request goes out as it is. `false` and `null` are axios'
 * ways to leave a header out, and an empty text or list is sent as none; a request without a token is never sent (S7),
 * so they do not count.
 */
export function hasOwnCredentials({ auth, headers }: InternalAxiosRequestConfig): boolean {
  if (auth) return true;
  for (const name of Object.keys(headers))
    if (isAuthorization(name) && saysSomething(headers[name])) return true;
  return false;
}

/**
 * Whether a `Host` header names another host than the base URL's. Node verifies the server's certificate against that
 * header, so behind a shared address another site would receive the token.
 */
export function namesAnotherHost(
  { headers }: Pick<InternalAxiosRequestConfig, 'headers'>,
  host: string,
): boolean {
  for (const name of Object.keys(headers)) {
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    const value: unknown = headers[name];
    if (Boolean(value) && String(value).toLowerCase() !== host) return true;
  }
  return false;
}

const HOST = 'host';

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(saysSomething);
  // axios leaves out what cannot stand in a header.
  return Boolean(value) && /[\x21-\x7e\x80-\xff]/.test(String(value));
}
