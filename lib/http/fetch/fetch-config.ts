import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings } from '../../config/options/profile.js';
import type { BaseAddress } from '../../net/base-address.js';
import { CONNECTION_HEADERS } from '../../values/http-text.js';
import type { FetchBody } from './fetch-body.js';
import { IDENTITY, type TokenIdentity } from '../../token/token-identity.js';
import type { FetchRequest } from './fetch-request.js';

export interface ConfigSettings {
  readonly base: BaseAddress;
  readonly baseUrl: string;
  readonly http: Pick<HttpSettings, 'maxRedirects' | 'headers'>;
}

export function fetchConfig(
  { base, baseUrl, http }: ConfigSettings,
  request: FetchRequest,
  body: FetchBody | undefined,
  timeout: number,
  identity?: TokenIdentity,
): InternalAxiosRequestConfig {
  const { url, isWholeUrl, method, signal, redirect } = request;
  // A whole address is never joined: `new URL('data:x')` must not become a path.
  const address = isWholeUrl ? relativeTo(base.shown, url, baseUrl) : { url, baseURL: baseUrl };
  // As `fetch` does. An address outside of the base URL shows no credentials: it is refused later, with its own error.
  if (url.includes('@') && base.resolve(address as InternalAxiosRequestConfig).credentials)
    throw new TypeError('The address has a user name or a password. Set the header Authorization instead.');
  // Written out: V8 makes a literal with a spread much slower, and each `fetch` makes one.
  const config = {
    url: address.url,
    baseURL: address.baseURL,
    // As axios writes it: mock libraries look it up in this form.
    method: method.toLowerCase(),
    headers: headersOf(request, body, http.headers),
    data: body?.data,
    timeout,
    // A body that is read once cannot be sent to a second address.
    maxRedirects: redirect === 'follow' && !body?.isStreamed ? http.maxRedirects : 0,
    maxContentLength: -1,
    maxBodyLength: -1,
    responseType: 'stream',
    validateStatus: null,
    [IDENTITY]: identity,
  } as InternalAxiosRequestConfig;
  // As axios does: a polluted prototype adds no member (B36).
  Object.setPrototypeOf(config, null);
  if (signal) config.signal = signal;
  return config;
}

/** The same address with its base URL, if it is plainly under it: such an address is checked faster. */
function relativeTo(prefix: string, url: string, baseUrl: string) {
  const rest = url.slice(prefix.length);
  const isUnder = prefix === baseUrl && url.startsWith(prefix) && rest.startsWith('/') && rest[1] !== '/';
  return isUnder ? { url: rest, baseURL: baseUrl } : { url };
}

function headersOf(
  { headers: given }: FetchRequest,
  body: FetchBody | undefined,
  defaults: HttpSettings['headers'],
): AxiosHeaders {
  const headers = new AxiosHeaders();
  const has = (name: string): boolean => Object.hasOwn(headers, name);
  if (given !== undefined)
    for (const [name, value] of given) {
      // `fetch` lets no caller set these headers.
      if (CONNECTION_HEADERS.has(name)) continue;
      // The length of a body in memory is known. Another value would let the server read a second request in the body.
      if (name === 'content-length' && !body?.isStreamed) continue;
      headers[name] = value;
    }
  if (defaults !== undefined)
    for (const name of Object.keys(defaults)) {
      const key = name.toLowerCase();
      // The boundary of a form is in its own type.
      const isOfForm = key === 'content-type' && body?.type?.startsWith('multipart/') === true;
      if (!has(key) && !isOfForm) headers[key] = defaults[name] as string;
    }
  if (!has('accept')) headers['accept'] = '*/*';
  if (body?.type !== undefined && !has('content-type')) headers['content-type'] = body.type;
  if (body?.length !== undefined) headers['content-length'] = String(body.length);
  return headers;
}
