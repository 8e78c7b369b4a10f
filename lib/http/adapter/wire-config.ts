import { randomBytes } from 'node:crypto';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import { isAuthorization } from '../authorization-header.js';
import { copyOf, textOf, wrappedLookup } from './member-copies.js';
import { isFormData, isReadOnce } from '../replayable-body.js';

/** The copy of a config that an adapter gets: what must not be seen lives only here (B12). */
export type WireConfig = InternalAxiosRequestConfig;

/** What an adapter needs of a copy. */
interface CopySettings {
  /** What the copy is made onto. */
  readonly blank: () => object;
  /** Whether the adapter is one of axios' or a transport, which look at fewer members than others may. */
  readonly isKnown: boolean;
}

/**
 * The one place that makes what an adapter is given from what a caller has given: copies, so that nothing which the
 * caller holds leads to the request, and nothing that the caller changes later reaches the request (B28). The agent, the
 * signal and the bridge for a streamed body are put into the copy by those who make them.
 *
 * Onto a blank without `Object.prototype` in its chain, so that a polluted one adds nothing. Key by key, which is three
 * times as fast as any other way to copy what axios makes.
 */
export function wireConfig(config: InternalAxiosRequestConfig, { blank, isKnown }: CopySettings): WireConfig {
  const wire = blank() as WireConfig;
  const target = wire as unknown as Record<PropertyKey, unknown>;
  const source = config as unknown as Record<PropertyKey, unknown>;
  for (const name of Object.keys(config)) {
    const value = source[name];
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') {
      if (name !== 'signal' && name !== 'cancelToken') target[name] = value;
    } else if (!(isKnown ? NOT_FOR_KNOWN : NOT_FOR_ANY).has(name)) {
      target[name] = memberCopy(name, value);
    }
  }
  for (const name of Object.getOwnPropertySymbols(config)) target[name] = copyOf(source[name]);
  return wire;
}

/** In the place and the case in which the caller has left the header empty, or under its usual name. */
export function authorize({ headers }: WireConfig, authorization: string): void {
  let place: string | undefined;
  for (const name of Object.keys(headers)) {
    if (!isAuthorization(name)) continue;
    // The same name in another case: axios would merge the two, and the empty one could win.
    if (place !== undefined) delete headers[name];
    else place = name;
  }
  headers[place ?? AUTHORIZATION_HEADER] = authorization;
}

/**
 * A content type with a boundary of our own for a form: axios draws another one for each attempt, and a resend repeats
 * the request byte for byte (B4).
 */
export function fixedFormType({ data, headers }: InternalAxiosRequestConfig): string | undefined {
  if (!isFormData(data) || /boundary=/i.test(String(headers.getContentType()))) return undefined;
  return `multipart/form-data; boundary=provider-auth-${randomBytes(18).toString('hex')}`;
}

/** What is made anew for each attempt. */
const NOT_FOR_ANY = new Set(['signal', 'cancelToken', 'httpsAgent', 'httpAgent']);

/** What axios itself has done, or does afterwards: no adapter that we know looks at these. */
const NOT_FOR_KNOWN = new Set([...NOT_FOR_ANY, 'adapter', 'transformRequest', 'transformResponse']);

function memberCopy(name: string, value: object): unknown {
  switch (name) {
    case 'headers':
      return copyOfHeaders(value as AxiosHeaders);
    // A body that is read while it is sent gets its bridge when it is sent.
    case 'data':
      return isReadOnce(value) ? value : copyOf(value);
    case 'adapter':
      return value;
    case 'url':
    case 'baseURL':
    case 'method':
      return textOf(value);
    case 'env':
      // Classes, which a wrapping function could not stand in for.
      return { ...value };
    case 'transport':
      return { request: (...given: unknown[]) => (value as Transport).request(...given) };
    case 'lookup':
      return wrappedLookup(value as () => unknown);
    default:
      return copyOf(value);
  }
}

interface Transport {
  request(...given: unknown[]): unknown;
}

/** A header may be any object until it is written. The value that is checked must be the value that is sent. */
function copyOfHeaders(source: AxiosHeaders): AxiosHeaders {
  const headers = Object.create(AxiosHeaders.prototype) as AxiosHeaders;
  for (const name of Object.keys(source)) {
    const value: unknown = source[name];
    // As axios writes it: a name with a space would pass for another one here.
    headers[name.trim()] = (typeof value === 'string' ? value : plainHeader(value)) as string;
  }
  return headers;
}

/** `false`, `null` and `undefined` are axios' ways to leave a header out. */
function plainHeader(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainHeader);
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? textOf(value) : value;
}
