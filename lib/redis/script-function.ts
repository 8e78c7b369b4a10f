import type { RunScript } from './run-script.js';

/** The members of every function. A function in sloppy mode has the last two. */
const OF_EVERY_FUNCTION = new Set<PropertyKey>(['length', 'name', 'prototype', 'arguments', 'caller']);

/**
 * Whether this is a plain function. A driver's class cannot be called, and a function with members is the client of some
 * other library: an axios instance, for example.
 */
export function isScriptFunction(value: unknown): value is RunScript {
  return (
    typeof value === 'function' &&
    !isClass(value) &&
    Reflect.ownKeys(value).every((key) => OF_EVERY_FUNCTION.has(key))
  );
}

/** Also a class that was compiled to a function, if it has methods, and a generator. Arrow functions have no prototype. */
export function isClass(value: Function): boolean {
  const prototype = Reflect.getOwnPropertyDescriptor(value, 'prototype');
  if (prototype === undefined) return false;
  if (prototype.writable !== true) return true;
  const given: unknown = prototype.value;
  return (
    typeof given !== 'object' ||
    given === null ||
    Reflect.ownKeys(given).some((key) => key !== 'constructor') ||
    !Object.hasOwn(given, 'constructor')
  );
}

/** An async function, so that a function that throws is treated as a function that rejects. */
export function functionRunner(run: RunScript): RunScript {
  return async (script, keys, args) => run(script, keys, args);
}
