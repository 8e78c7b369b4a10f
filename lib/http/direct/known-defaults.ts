import {
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  type InternalAxiosRequestConfig,
  mergeConfig,
} from 'axios';
import { isCopiedByAxios, isObject } from '../../values/is-object.js';

/** The members of one call, in the order in which axios merges them with the defaults. */
export type Members = Readonly<Record<string, unknown>>;

interface KnownObject {
  readonly object: Members;
  readonly names: readonly (string | number)[];
  readonly values: readonly unknown[];
}

/**
 * The defaults of an instance at one moment, and the configs that axios makes with them. Applications change defaults at any time,
 * and in place.
 */
export class KnownDefaults {
  readonly #known: readonly KnownObject[];
  readonly #names: ReadonlySet<string>;
  #parts: readonly Part[] | undefined;
  readonly #headers = new Map<string, Members>();

  constructor(private readonly defaults: AxiosInstance['defaults']) {
    const { headers } = defaults;
    const members: unknown[] = [defaults, headers].flatMap((one): unknown[] => Object.values(one));
    this.#known = [...new Set([defaults, ...members].filter(isObject))].map(knownObject);
    this.#names = new Set(Object.keys(defaults));
  }

  /** Whether the defaults still are the same. */
  areCurrent(): boolean {
    return this.#known.every(isSame);
  }

  /**
   * The config that the first request interceptor of a direct call would get: as `Axios.prototype._request` makes it, without the
   * work of `mergeConfig` (B16).
   *
   * @param method in lower case.
   */
  configOf(method: string, members: Members): InternalAxiosRequestConfig {
    this.#parts ??= partsOf(this.defaults);
    // V8 keeps the members of such an object in a faster form than those of `Object.create(null)`.
    const config = Object.setPrototypeOf({}, null) as Record<string, unknown>;
    Object.defineProperty(config, 'hasOwnProperty', HIDDEN);
    for (const { name, origin, value } of this.#parts) {
      const own = members[name];
      if (origin === 'headers') config[name] = this.#headersOf(method, value as Members, own);
      else if (own !== undefined) config[name] = copyOf(name, own);
      else if (origin === 'value') config[name] = value;
      else if (origin === 'object') config[name] = shallowCopy(value as object);
    }
    for (const name of Object.keys(members)) {
      const own = members[name];
      if (own !== undefined && !this.#names.has(name)) config[name] = copyOf(name, own);
    }
    config['allowAbsoluteUrls'] = true;
    config['method'] = method;
    return config as unknown as InternalAxiosRequestConfig;
  }

  #headersOf(method: string, defaults: Members, own: unknown): AxiosHeaders {
    let known = this.#headers.get(method);
    if (known === undefined) this.#headers.set(method, (known = flatHeaders(method, defaults)));
    const headers = new AxiosHeaders();
    for (const name of Object.keys(known)) headers[name] = known[name] as string;
    return own === undefined ? headers : headers.set(own as AxiosHeaders);
  }
}

/** A member of the defaults, as axios merges it into each config. */
interface Part {
  readonly name: string;
  readonly origin: 'headers' | 'value' | 'object' | 'none';
  readonly value: unknown;
}

function partsOf(defaults: Members): readonly Part[] {
  const merged = mergeConfig(defaults as AxiosRequestConfig, {}) as Members;
  return Object.keys(defaults).map((name) => {
    const value = merged[name];
    if (name === 'headers') return { name, origin: 'headers', value };
    if (!(name in merged)) return { name, origin: 'none', value };
    return { name, origin: isObject(value) ? 'object' : 'value', value };
  });
}

/** axios keeps the default headers of methods in objects. */
function flatHeaders(method: string, defaults: Members): Members {
  const { common, [method]: ofMethod } = defaults;
  const others = Object.entries(defaults).filter(([, value]) => !isObject(value));
  const first = { ...(common as object), ...(ofMethod as object) };
  const headers = AxiosHeaders.concat(first, Object.fromEntries(others) as Record<string, string>);
  return Object.fromEntries(Object.entries(headers));
}

/** axios gives a config without a prototype this member. */
const HIDDEN: PropertyDescriptor = Object.freeze({
  value: Reflect.get(Object.prototype, 'hasOwnProperty'),
  enumerable: false,
  writable: true,
  configurable: true,
});

/** The value that axios makes of a member: axios copies plain objects and arrays. */
function copyOf(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || (!Array.isArray(value) && !isCopiedByAxios(value))) return value;
  if (isFlat(value)) return shallowCopy(value);
  return Reflect.get(mergeConfig({}, { [name]: value }), name);
}

/** Each object of the direct defaults is a list, or has no objects. */
function shallowCopy(value: object): object {
  return Array.isArray(value) ? value.slice() : { ...value };
}

/** axios leaves out members with these names. */
const LEFT_OUT = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether axios copies this object only, or nothing but this list. */
function isFlat(value: object): boolean {
  if (Array.isArray(value)) return true;
  for (const name of Object.keys(value))
    if (isObject((value as Members)[name]) || LEFT_OUT.has(name)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

/** The names of the items of a list are numbers, because a text costs V8 a microsecond for each item (B16). */
function knownObject(object: object): KnownObject {
  const names = Array.isArray(object) ? [...object.keys(), 'length'] : Object.keys(object);
  return { object: object as Members, names, values: names.map((name) => (object as Members)[name]) };
}

function isSame({ object, names, values }: KnownObject): boolean {
  if (!Array.isArray(object) && Object.keys(object).length !== names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (object[names[index] as string] !== values[index]) return false;
  return true;
}
