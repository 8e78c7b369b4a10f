import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import { isFormData, isObject, isPlainInAnyRealm } from '../../values/is-object.js';
import { oncePer } from '../../values/once-per.js';
import { isAuthorization } from '../redaction/clean-request.js';
import { type AdapterTraits, createConfigCopy } from './adapter-traits.js';
import { isReadOnce } from './request-body.js';

export type WireConfig = InternalAxiosRequestConfig;

/**
 * Only this function makes what an adapter gets from what a caller gave. What a caller must not see is only in this copy
 * (B12), and nothing that the caller holds or changes later reaches the request (B28). The copy inherits nothing from
 * `Object.prototype`.
 */
export function wireConfig(
  config: InternalAxiosRequestConfig,
  traits: Pick<AdapterTraits, 'kind' | 'managesConnections'>,
): WireConfig {
  const wire = createConfigCopy(traits) as WireConfig;
  const isKnown = traits.kind !== 'other' || traits.managesConnections;
  const notCopied = isKnown ? NOT_FOR_KNOWN : NOT_FOR_ANY;
  const target = wire as unknown as Record<PropertyKey, unknown>;
  const source = config as unknown as Record<PropertyKey, unknown>;
  for (const name of Object.keys(config)) {
    const value = source[name];
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') {
      if (name !== 'signal' && name !== 'cancelToken') target[name] = value;
    } else if (!notCopied.has(name)) {
      target[name] = copyOfMember(name, value);
    }
  }
  for (const name of Object.getOwnPropertySymbols(config)) target[name] = copyOf(source[name]);
  return wire;
}

/** Members that are made again for each attempt. */
const NOT_FOR_ANY = new Set(['signal', 'cancelToken', 'httpsAgent', 'httpAgent']);

/** Members that axios itself uses, before or after the adapter. No adapter that we know reads them. */
const NOT_FOR_KNOWN = new Set([...NOT_FOR_ANY, 'adapter', 'transformRequest', 'transformResponse']);

/** Puts the token in, at the place at which the caller left the header empty, or under its usual name. */
export function authorize({ headers }: WireConfig, authorization: string): void {
  let place: string | undefined;
  for (const name of Object.keys(headers)) {
    if (!isAuthorization(name)) continue;
    // The same name in another case: axios would merge both headers, and the empty one could win.
    if (place !== undefined) delete headers[name];
    else place = name;
  }
  headers[place ?? AUTHORIZATION_HEADER] = authorization;
}

/**
 * Whether the caller set credentials. Then the request is sent without a token. An empty value does not count: axios sends no
 * header then, and a request is never sent without credentials (S7).
 */
export function hasOwnCredentials({ auth, headers }: InternalAxiosRequestConfig): boolean {
  if (auth) return true;
  for (const name of Object.keys(headers))
    if (isAuthorization(name) && hasSendableText(headers[name])) return true;
  return false;
}

function hasSendableText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSendableText);
  // axios removes characters that a header cannot carry.
  return Boolean(value) && /[\x21-\x7e\x80-\xff]/.test(String(value));
}

/** A content type with our own boundary for a form: axios would choose another boundary for each attempt (B4). */
export function fixedFormType({ data, headers }: InternalAxiosRequestConfig): string | undefined {
  if (!isFormData(data) || /boundary=/i.test(String(headers.getContentType()))) return undefined;
  return `multipart/form-data; boundary=provider-auth-${randomBytes(18).toString('hex')}`;
}

function copyOfMember(name: string, value: object): unknown {
  switch (name) {
    case 'headers':
      return copyOfHeaders(value as AxiosHeaders);
    // A body that is read while it is sent gets its bridge when it is sent.
    case 'data':
      return isReadOnce(value) ? value : copyOf(value);
    case 'adapter':
      return value;
    // A connection reports the progress in the async context of another call.
    case 'onUploadProgress':
    case 'onDownloadProgress':
      return typeof value === 'function' ? inThisContext(value as AnyFunction) : value;
    case 'url':
    case 'baseURL':
    case 'method':
      return textOf(value);
    case 'env':
      // These members are classes. A wrapping function could not replace them.
      return { ...value };
    case 'transport':
      return { request: (...given: unknown[]) => (value as { request: AnyFunction }).request(...given) };
    case 'lookup':
      return wrappedLookup(value as AnyFunction);
    case 'paramsSerializer':
      return copyOfSerializer(value);
    default:
      return copyOf(value);
  }
}

/** The value of a header may be any object until axios writes it. The value that is checked must be the value that is sent. */
function copyOfHeaders(source: AxiosHeaders): AxiosHeaders {
  const headers = Object.create(AxiosHeaders.prototype) as AxiosHeaders;
  for (const name of Object.keys(source)) {
    const value: unknown = source[name];
    // axios trims the name when it writes the header. A name with a space would look like another header here.
    headers[name.trim()] = (typeof value === 'string' ? value : plainHeader(value)) as string;
  }
  return headers;
}

/** `false`, `null` and `undefined` stay: with them axios leaves a header out. */
function plainHeader(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainHeader);
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? textOf(value) : value;
}

function textOf(value: { toString(): string }): string {
  return value.toString();
}

type AnyFunction = (...given: unknown[]) => unknown;

/** An adapter calls the function on the config with the token, which must not become its `this`. */
function inThisContext(call: AnyFunction): AnyFunction {
  const run = AsyncLocalStorage.snapshot();
  return (...given) => run(call, ...given);
}

/**
 * A function of ours that calls the caller's function. What an adapter writes on the wrapper does not reach the caller. Each
 * function has one wrapper, because the functions of axios itself are in every request.
 */
const wrapped = oncePer((call: AnyFunction): AnyFunction => {
  return (...given) => call(...given);
});

/** axios calls `visitor` and `encode` on its list of parameters. Any other function could get the config with the token as `this`. */
function copyOfSerializer(serializer: object): unknown {
  return isPlainInAnyRealm(serializer)
    ? Object.fromEntries(Object.entries(serializer).map(([name, part]) => [name, copyOfPart(part)]))
    : serializer;
}

function copyOfPart(part: unknown): unknown {
  if (typeof part !== 'function') return copyOf(part);
  return function call(this: unknown, ...given: unknown[]): unknown {
    return Reflect.apply(part, this, given);
  };
}

/** axios checks whether a `lookup` is an async function. If it is not, axios passes a callback. */
export function wrappedLookup(lookup: AnyFunction): AnyFunction {
  return types.isAsyncFunction(lookup) ? async (...given) => lookup(...given) : wrapped(lookup);
}

/** A deep copy, with wrappers for the caller's functions. An instance of an unknown class stays the same. */
export function copyOf(value: unknown, seen?: Map<object, unknown>): unknown {
  if (typeof value === 'function') return wrapped(value as AnyFunction);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof URLSearchParams) return new URLSearchParams(value);
  const known = seen?.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return copyOfList(value, seen);
  if (!isPlainInAnyRealm(value)) return value;
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  let below = seen;
  for (const name of Object.keys(source)) {
    // An assignment of `__proto__` would set the prototype of the copy.
    if (name === '__proto__') continue;
    const part = source[name];
    // Only a part that has parts can lead back here.
    if (isObject(part)) (below ??= new Map()).set(value, copy);
    copy[name] = copyOf(part, below);
  }
  return copy;
}

function copyOfList(list: readonly unknown[], seen = new Map<object, unknown>()): unknown[] {
  const copy: unknown[] = [];
  seen.set(list, copy);
  for (const item of list) copy.push(copyOf(item, seen));
  return copy;
}
