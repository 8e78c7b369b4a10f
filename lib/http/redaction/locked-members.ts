import { safely } from '../../values/safely.js';

/** Errors and responses of an adapter of the application. Their members may be read-only, or accessors (B28). */

/** Whether a member can be neither changed nor removed. */
export function isLocked(owner: object, name: PropertyKey): boolean {
  const { configurable, writable } = Reflect.getOwnPropertyDescriptor(owner, name) ?? {};
  return configurable === false && writable !== true;
}

/**
 * A copy of an error, of the same class, with members that can be changed. `util.inspect` and loggers show an error with its
 * stack only if it was made as an error.
 */
export function unlockedCopy(error: object): object {
  const copy = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error) as object | null) as object;
  for (const name of ['stack', 'message']) Reflect.deleteProperty(copy, name);
  for (const name of Reflect.ownKeys(error)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(error, name);
    const isData = descriptor !== undefined && 'value' in descriptor;
    Reflect.defineProperty(copy, name, {
      ...descriptor,
      configurable: true,
      ...(isData && { writable: true }),
    });
  }
  return copy;
}

/** Sets a member, also if it has no setter, or a setter that throws. */
export function put(owner: object, name: PropertyKey, value: unknown): void {
  if (safely(() => Reflect.get(owner, name) === value || Reflect.set(owner, name, value), false)) return;
  Reflect.defineProperty(owner, name, { value, configurable: true, writable: true });
}
