import axios, { AxiosHeaders, type AxiosInstance, type AxiosRequestConfig, mergeConfig } from 'axios';
import { isCopiedByAxios, isObject } from '../../values/objects.js';
import type { Config } from '../../wire/outgoing.js';

export type Members = Readonly<Record<string, unknown>>;

/**
 * Makes the configs that axios makes of the defaults of an instance and the members of a call, without merging the defaults each time.
 * An application may change defaults at any time, also in place: then the template is made again.
 */
export class ConfigTemplate {
  #snapshot: readonly KnownObject[] = [];
  #merged: Members | undefined;
  /** Members whose objects each config gets a copy of. */
  #objects: readonly string[] = [];
  readonly #headers = new Map<string, AxiosHeaders>();

  constructor(private readonly defaults: AxiosInstance['defaults']) {}

  /** Undefined if axios checks or changes one of the defaults for each call. */
  configOf(members: Members): Config | undefined {
    if (this.#snapshot.length === 0 || !this.#snapshot.every(isSame)) this.#make();
    if (this.#merged === undefined || !areOnlyHeaders(members['headers'])) return undefined;
    const { method: named } = members;
    const method = (typeof named === 'string' ? named : 'get').toLowerCase();
    // V8 needs 20 times as long for a spread object to which members are added.
    const config: Record<string, unknown> = Object.assign({}, this.#merged);
    for (const name of this.#objects) config[name] = shallowCopy(config[name] as object);
    for (const name of Object.keys(members)) {
      const value = members[name];
      if (value !== undefined && name !== 'headers') config[name] = copyOf(name, value);
    }
    config['method'] = method;
    config['headers'] = this.#headersFor(method, members['headers']);
    return config as unknown as Config;
  }

  #headersFor(method: string, given: unknown): AxiosHeaders {
    let known = this.#headers.get(method);
    if (known === undefined) this.#headers.set(method, (known = this.#defaultHeaders(method)));
    const headers = new AxiosHeaders();
    for (const name of Object.keys(known)) headers[name] = known[name] as string;
    return given ? headers.set(given as AxiosHeaders, true) : headers;
  }

  /** axios keeps the default headers of methods in objects. */
  #defaultHeaders(method: string): AxiosHeaders {
    const all = this.#merged?.['headers'] as Members;
    const { common, [method]: ofMethod } = all;
    const others = Object.entries(all).filter(([, value]) => !isObject(value));
    return AxiosHeaders.concat(...([common, ofMethod, Object.fromEntries(others)] as AxiosHeaders[]));
  }

  #make(): void {
    const { defaults } = this;
    const { headers } = defaults;
    const members: unknown[] = [defaults, headers].flatMap((one): unknown[] => Object.values(one));
    const parts = [defaults, headers, ...members].filter(isObject);
    this.#snapshot = [...new Set<object>(parts)].map(knownObject);
    this.#headers.clear();
    const merged = mergeConfig(defaults as AxiosRequestConfig, {}) as Members;
    this.#merged = isPlain(merged) && !defaults.method ? { allowAbsoluteUrls: true, ...merged } : undefined;
    this.#objects = Object.keys(merged).filter((name) => name !== 'headers' && isCopied(merged[name]));
  }
}

interface KnownObject {
  readonly object: Members;
  readonly names: readonly string[];
  readonly values: readonly unknown[];
}

function knownObject(object: object): KnownObject {
  const names = Object.keys(object);
  return { object: object as Members, names, values: names.map((name) => (object as Members)[name]) };
}

function isSame({ object, names, values }: KnownObject): boolean {
  if (Object.keys(object).length !== names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (object[names[index] as string] !== values[index]) return false;
  return true;
}

/** Names that axios does not take as they are: of sets of headers, of what it never copies, and with white space that it removes. */
const NO_HEADER =
  /^(?:common|delete|get|head|options|post|put|patch|purge|link|unlink|query|__proto__|constructor|prototype)$|^\s|\s$/i;

/** Whether axios adds them to the default headers, one by one. */
function areOnlyHeaders(given: unknown): boolean {
  if (!(given instanceof AxiosHeaders || isCopiedByAxios(given))) return given === undefined;
  return Object.keys(given).every((name) => !NO_HEADER.test(name));
}

/** Members that axios checks or changes for each call. */
const CHECKED = ['paramsSerializer', 'baseUrl', 'withXsrfToken', 'params'];

function isPlain(merged: Members): boolean {
  if (CHECKED.some((name) => merged[name] !== undefined)) return false;
  const { transitional } = merged;
  const known = axios.defaults.transitional ?? {};
  const headers = Object.entries(merged['headers'] as Members);
  return (
    isObject(transitional) &&
    Object.keys(transitional).every((name) => name in known) &&
    headers.every(([name, value]) => NO_HEADER.test(name) === isObject(value))
  );
}

function isCopied(value: unknown): value is object {
  return Array.isArray(value) || isCopiedByAxios(value);
}

function shallowCopy(value: object): object {
  return Array.isArray(value) ? value.slice() : { ...value };
}

/** axios copies plain objects with all that is in them, and lists. */
function copyOf(name: string, value: unknown): unknown {
  if (!isCopied(value)) return value;
  const isFlat = Array.isArray(value) || Object.values(value).every((part) => !isObject(part));
  return isFlat && !Object.hasOwn(value, '__proto__')
    ? shallowCopy(value)
    : Reflect.get(mergeConfig({}, { [name]: value }), name);
}
