import { isObject } from './is-object.js';

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
