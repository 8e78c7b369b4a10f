import {
  Axios,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  type InternalAxiosRequestConfig,
  mergeConfig,
} from 'axios';
import { isCopiedByAxios, isObject } from '../../values/is-object.js';

type Defaults = AxiosInstance['defaults'];

/** The members of one call, in the order in which axios merges them with the defaults. */
export type Members = Readonly<Record<string, unknown>>;

/** Where a member of a new config comes from. */
type Origin = 'call' | 'headers' | 'defaults' | 'copied-defaults';

/**
 * A form of a call has a node for each member. No real application has so many forms: a further form takes the general path, and
 * costs no memory (B13).
 */
const MOST_NODES = 1_000;

/**
 * Makes the configs that axios would make, without `mergeConfig` (B16). axios itself shows once for each form of a call which
 * members the config has, and in which order: so the configs are right for every version of axios (B17).
 */
export class ConfigTemplates {
  readonly #defaults: Defaults;
  readonly #roots = new Map<string, TemplateNode>();
  readonly #headers = new Map<string, Members>();
  #nodes = 0;

  constructor(defaults: Defaults) {
    this.#defaults = defaults;
  }

  /**
   * The config that the first request interceptor of a call would get. Undefined if axios refuses the call, or if there are too many
   * forms of calls.
   *
   * @param method in lower case.
   */
  create(method: string, members: Members): InternalAxiosRequestConfig | undefined {
    let node = this.#nodeAt(this.#roots, method);
    for (const name of Object.keys(members))
      if (members[name] !== undefined) node = node && this.#nodeAt(node.next, name);
    if (node === undefined) return undefined;
    node.template ??= this.#learn(method, members);
    return node.template?.create(method, members);
  }

  #nodeAt(nodes: Map<string, TemplateNode>, name: string): TemplateNode | undefined {
    let node = nodes.get(name);
    if (node === undefined && this.#nodes < MOST_NODES) {
      this.#nodes += 1;
      nodes.set(name, (node = new TemplateNode()));
    }
    return node;
  }

  #learn(method: string, members: Members): ConfigTemplate | undefined {
    const learned = configOf(this.#defaults, members);
    const headers = this.#headers.get(method) ?? configOf(this.#defaults, { method })?.headers;
    if (learned === undefined || headers === undefined) return undefined;
    const ofMethod: Members = { ...headers };
    this.#headers.set(method, ofMethod);
    return new ConfigTemplate(learned, members, ofMethod);
  }
}

/** A tree of the names of members: so a form of a call is found without a text that would have to be made for each call. */
class TemplateNode {
  template: ConfigTemplate | undefined;
  readonly next = new Map<string, TemplateNode>();
}

const LEARNED = new Error('The config was learned.');

/** What axios makes of the members of a call, before the first interceptor. */
function configOf(defaults: Defaults, members: Members): InternalAxiosRequestConfig | undefined {
  const probe = new Axios(defaults as AxiosRequestConfig);
  let learned: InternalAxiosRequestConfig | undefined;
  const learn = (config: InternalAxiosRequestConfig): never => {
    learned = config;
    throw LEARNED;
  };
  probe.interceptors.request.use(learn, null, { synchronous: true });
  probe.request(members as AxiosRequestConfig).catch(() => undefined);
  return learned;
}

interface Part {
  readonly name: string;
  readonly origin: Origin;
  readonly value: unknown;
}

class ConfigTemplate {
  readonly #parts: Part[] = [];
  readonly #prototype: object | null;
  /** axios gives a config without a prototype its own `hasOwnProperty`, which is not enumerable. */
  readonly #hidden: [name: string, property: PropertyDescriptor][] = [];
  readonly #headers: readonly (readonly [name: string, value: unknown])[];

  constructor(learned: InternalAxiosRequestConfig, members: Members, headers: Members) {
    this.#prototype = Object.getPrototypeOf(learned) as object | null;
    this.#headers = Object.entries(headers);
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(learned))) {
      const value: unknown = property.value;
      if (!property.enumerable) this.#hidden.push([name, property]);
      else this.#parts.push({ name, origin: originOf(name, value, members), value });
    }
  }

  create(method: string, members: Members): InternalAxiosRequestConfig {
    // V8 keeps the members of such an object in a faster form than those of `Object.create(null)`.
    const config = Object.setPrototypeOf({}, this.#prototype) as Record<string, unknown>;
    for (const [name, property] of this.#hidden) Object.defineProperty(config, name, property);
    for (const { name, origin, value } of this.#parts) {
      if (origin === 'defaults') config[name] = value;
      else if (origin === 'copied-defaults') config[name] = copyOf(value as object);
      else if (origin === 'headers') config[name] = this.#createHeaders(members['headers']);
      else config[name] = name === 'method' ? method : valueOf(name, members[name]);
    }
    return config as unknown as InternalAxiosRequestConfig;
  }

  #createHeaders(own: unknown): AxiosHeaders {
    const headers = new AxiosHeaders();
    for (const [name, value] of this.#headers) headers[name] = value as string;
    return own === undefined ? headers : headers.set(own as AxiosHeaders);
  }
}

function originOf(name: string, value: unknown, members: Members): Origin {
  if (name === 'headers') return 'headers';
  if (name === 'method' || members[name] !== undefined) return 'call';
  return isObject(value) ? 'copied-defaults' : 'defaults';
}

/** The value that axios makes of a member of a call: axios copies plain objects and arrays. */
function valueOf(name: string, value: unknown): unknown {
  if (!Array.isArray(value) && !isCopiedByAxios(value)) return value;
  if (isFlat(value)) return { ...value };
  return Reflect.get(mergeConfig({}, { [name]: value }), name);
}

/** axios leaves out members with these names. */
const LEFT_OUT = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a plain object holds no object, and nothing that axios leaves out. */
function isFlat(value: object): boolean {
  if (Array.isArray(value)) return false;
  for (const name of Object.keys(value))
    if (isObject((value as Members)[name]) || LEFT_OUT.has(name)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

/** The defaults that are objects: lists, and plain objects whose members are no objects. */
function copyOf(value: object): object {
  return Array.isArray(value) ? value.slice() : { ...value };
}

/** An object of the defaults, with its members at one moment. */
interface KnownObject {
  readonly object: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  readonly values: readonly unknown[];
}

/** The defaults of an instance at one moment. Applications change defaults at any time, and in place. */
export class KnownDefaults {
  readonly #always: readonly KnownObject[];
  readonly #ofMethods = new Map<string, KnownObject>();

  constructor(defaults: Defaults) {
    const { headers } = defaults;
    const members: unknown[] = Object.values(defaults);
    const parts = [defaults, headers, headers.common, ...members];
    this.#always = [...new Set(parts.filter(isObject))].map(knownObject);
    for (const [name, value] of Object.entries(headers))
      if (isObject(value)) this.#ofMethods.set(name, knownObject(value));
  }

  /** Whether the defaults for calls with this method still are the same. */
  areCurrent(method: string): boolean {
    const ofMethod = this.#ofMethods.get(method);
    return this.#always.every(isSame) && (ofMethod === undefined || isSame(ofMethod));
  }

  /** The same for every method. */
  areAllCurrent(): boolean {
    return this.#always.every(isSame) && [...this.#ofMethods.values()].every(isSame);
  }
}

function knownObject(object: object): KnownObject {
  return {
    object: object as KnownObject['object'],
    names: Object.keys(object),
    values: Object.values(object),
  };
}

function isSame({ object, names, values }: KnownObject): boolean {
  if (Object.keys(object).length !== names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (object[names[index] as string] !== values[index]) return false;
  return true;
}
