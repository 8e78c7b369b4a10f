import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';
import { kindOf } from './rules/text-rules.js';

/** Stands for a member that throws when it is read. Its error may contain a secret and is dropped (S10). */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * Reads one object of the application. The object may be a class instance, frozen, or a proxy that throws: each member is
 * read once, nothing is written, and no error gets out.
 */
export class ObjectReader {
  readonly #holder: object;
  readonly #values = new Map<string | symbol, unknown>();

  constructor(holder: object) {
    this.#holder = holder;
  }

  read(member: string | symbol): unknown {
    if (!this.#values.has(member))
      this.#values.set(
        member,
        safely<unknown>(() => Reflect.get(this.#holder, member), UNREADABLE),
      );
    return this.#values.get(member);
  }

  keys(): string[] {
    return safely(() => Object.keys(this.#holder), []);
  }

  /** Calls a function that is a member as a method of the object. */
  method(action: Function): () => unknown {
    return (): unknown => Reflect.apply(action, this.#holder, []);
  }

  /** Whether the object is an object literal, and no instance of a class. */
  get isPlain(): boolean {
    return safely(() => {
      const prototype: unknown = Object.getPrototypeOf(this.#holder);
      return prototype === null || Object.getPrototypeOf(prototype) === null;
    }, true);
  }
}

/** Whether a value can have options as its members. */
export function isOptionsObject(value: unknown): value is object {
  return isObject(value) && !isList(value);
}

/** The kind of a value in an error. The value itself is not shown. */
export function kindOfGiven(value: unknown): string {
  return isList(value) ? 'a list' : kindOf(value);
}

/** `Array.isArray` throws for a proxy that was revoked. */
function isList(value: unknown): boolean {
  return safely(() => Array.isArray(value), false);
}
