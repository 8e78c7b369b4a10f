import type { Readable } from 'node:stream';
import { safely } from './safely.js';

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** The members of the object in a JSON text, and none that it would inherit. Undefined if there is no object. */
export function recordIn(json: string): Readonly<Record<string, unknown>> | undefined {
  const value = safely<unknown>(() => JSON.parse(json), undefined);
  return isRecord(value) ? withoutPrototype(value) : undefined;
}

/**
 * A copy of all members, none of which is inherited: a polluted `Object.prototype` adds nothing. V8 keeps it in its fast form, unlike
 * an object that begins as `Object.create(null)`, which takes five times the memory.
 */
export function withoutPrototype<Members extends object>(...objects: readonly Members[]): Members {
  const copy = objects.reduce<object>((all, one) => ({ ...all, ...one }), {});
  return Object.setPrototypeOf(copy, null) as Members;
}

/** Whether a value is an object literal, or an object without a prototype. */
export function isPlainObject(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The same also for objects of another realm, for example of the tests in Jest. */
export function isPlainInAnyRealm(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether axios copies the members of an object. */
export function isCopiedByAxios(value: unknown): value is object {
  return isPlainObject(value) && !(Symbol.toStringTag in value) && !(Symbol.iterator in value);
}

/** Whether a body is a stream of Node, or a stream of an npm package that has the same methods. */
export function isNodeStream(body: unknown): body is Readable {
  return isObject(body) && 'pipe' in body && typeof body.pipe === 'function';
}

/**
 * Whether a body is a form. By its tag, because test environments and packages have their own classes. The `form-data` package has
 * the same tag, but makes streams, which are only sent.
 */
export function isFormData(body: unknown): body is FormData {
  return (
    isObject(body) && Object.prototype.toString.call(body) === '[object FormData]' && !isNodeStream(body)
  );
}

/**
 * Whether code has added members to `Object.prototype`, as an attack with a JSON text does. Many APIs of Node and of undici
 * would take these members for options of a request or of a connection.
 */
export function isPolluted(): boolean {
  return Object.keys(Object.prototype).length > 0;
}

/** Whether an object has one of these members, with a value. */
export function hasAny(object: unknown, names: readonly string[]): boolean {
  return isObject(object) && names.some((name) => (Reflect.get(object, name) ?? undefined) !== undefined);
}

/** The member of an object or of its class. A member of a polluted `Object.prototype` does not count. */
export function memberOf(object: object, name: PropertyKey): unknown {
  return name in Object.prototype && !ownsOrDeclares(object, name) ? undefined : Reflect.get(object, name);
}

function ownsOrDeclares(object: object, name: PropertyKey): boolean {
  let owner: object | null = object;
  while (owner !== null && owner !== Object.prototype) {
    if (Object.hasOwn(owner, name)) return true;
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return false;
}

/** `tls.connect` sets these itself. */
const NEVER_INHERITED = new Set(['checkServerIdentity', 'ciphers', 'minDHSize', 'rejectUnauthorized']);

/** The same options, in which an own member that is undefined hides each member that the options would inherit. */
export function withoutInherited<Options extends object>(options: Options): Options {
  if (!isPolluted()) return options;
  const names = Object.keys(Object.prototype).filter((name) => !NEVER_INHERITED.has(name));
  const hiding = Object.fromEntries(names.map((name) => [name, undefined]));
  return Object.assign(Object.create(null) as Options, hiding, options);
}
