import { types } from 'node:util';

type AnyFunction = (...given: unknown[]) => unknown;

/** One stand-in for each function: those of axios itself come with every request. */
const standIns = new WeakMap<AnyFunction, AnyFunction>();

/** A function of ours that calls the caller's: nothing that an adapter writes on it reaches the caller. */
export function wrapped(call: AnyFunction): AnyFunction {
  let standIn = standIns.get(call);
  if (standIn === undefined) {
    standIn = (...given) => call(...given);
    standIns.set(call, standIn);
  }
  return standIn;
}

/** axios tells by its kind whether a `lookup` takes a callback. */
export function wrappedLookup(lookup: AnyFunction): AnyFunction {
  return types.isAsyncFunction(lookup) ? async (...given) => lookup(...given) : wrapped(lookup);
}

/**
 * A copy of an array or a plain object, to the bottom, with functions of ours in place of the caller's. An instance of a
 * class that we do not know has no copy, and stays what it is.
 */
export function copyOf(value: unknown, seen?: Map<object, unknown>): unknown {
  if (typeof value === 'function') return wrapped(value as AnyFunction);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof URLSearchParams) return new URLSearchParams(value);
  const known = seen?.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return copyOfList(value, seen);
  if (!isPlain(value)) return value;
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  let below = seen;
  for (const name of Object.keys(source)) {
    // On an object of ours this would not be a member but its prototype.
    if (name === '__proto__') continue;
    const part = source[name];
    // Only a part that has parts can lead back here.
    if (typeof part === 'object' && part !== null) (below ??= new Map()).set(value, copy);
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

/** What the caller gave in place of a text, an address object for instance, as axios would read it. */
export function textOf(value: { toString(): string }): string {
  return value.toString();
}

/** Also of another realm, as in Jest. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
