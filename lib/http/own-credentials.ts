import type { AxiosHeaders, InternalAxiosRequestConfig } from 'axios';

/** The name under which a header is present, in whatever case the caller wrote it. */
export function headerName(headers: AxiosHeaders, lowerCaseName: string): string | undefined {
  for (const name of Object.keys(headers)) {
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return name;
  }
  return undefined;
}

/**
 * Whether the caller brought credentials: those win, and the request goes out as it is. `false` and `null` are axios'
 * ways to leave a header out; a request without a token is never sent (S7), so they do not count.
 */
export function hasOwnCredentials({ auth, headers }: InternalAxiosRequestConfig): boolean {
  if (auth) return true;
  const name = headerName(headers, 'authorization');
  return name !== undefined && Boolean(headers[name]);
}

/**
 * Whether a `Host` header names another host than the base URL's. Node verifies the server's certificate against that
 * header, so behind a shared address another site would receive the token.
 */
export function namesAnotherHost({ headers }: InternalAxiosRequestConfig, host: string): boolean {
  const name = headerName(headers, 'host');
  if (name === undefined) return false;
  const value: unknown = headers[name];
  return Boolean(value) && String(value).toLowerCase() !== host;
}
