import { EnvironmentOrigin, ORIGIN, type VariableProblem } from './process-env/variable-origin.js';
import { nearestName } from './nearest-name.js';
import type { ProblemList } from './problem-list.js';
import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';
import { kindOf } from './text-rules.js';

/** What stands for a member whose getter, or proxy, throws: its text may hold anything and is dropped (S10). */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * One object among the options, with its path. Options may be class instances, frozen, or hostile proxies: each member
 * is read once, nothing is written, and nothing that reading throws gets out.
 */
export class OptionsNode {
  readonly #holder: object;
  readonly #problems: ProblemList;
  readonly #origin: EnvironmentOrigin | undefined;
  readonly #values = new Map<string, unknown>();

  private constructor(
    readonly path: string,
    holder: object,
    problems: ProblemList,
  ) {
    this.#holder = holder;
    this.#problems = problems;
    const origin = readSafely(holder, ORIGIN);
    this.#origin = isOrigin(origin) ? origin : undefined;
  }

  static root(options: unknown, problems: ProblemList): OptionsNode | undefined {
    if (isRecord(options)) return new OptionsNode('', options, problems);
    problems.add({
      path: '(options)',
      env: undefined,
      message:
        options === undefined ? 'are missing. Pass them.' : `must be an object, not ${kindOfGiven(options)}.`,
    });
    return undefined;
  }

  get origin(): EnvironmentOrigin | undefined {
    return this.#origin;
  }

  /** The member, or undefined; a member that cannot be read is a problem at once. */
  read(member: string): unknown {
    if (this.#values.has(member)) return this.#values.get(member);
    const value = readSafely(this.#holder, member);
    this.#values.set(member, value);
    if (value === UNREADABLE) this.refuse(member, 'cannot be read: its getter throws. Mend the getter.');
    const path = this.pathOf(member);
    for (const problem of this.#origin?.problemsOf(path, value) ?? []) this.refuseVariable(problem);
    return value;
  }

  /** Whether the member was given, be it right or wrong. */
  has(member: string): boolean {
    return this.read(member) !== undefined;
  }

  /** The member as an object with members of its own; undefined when it is absent, or is none, which is a problem. */
  child(member: string): OptionsNode | undefined {
    const value = this.read(member);
    if (value === undefined || value === UNREADABLE) return undefined;
    if (isRecord(value)) return new OptionsNode(this.pathOf(member), value, this.#problems);
    this.refuse(member, `must be an object, not ${kindOfGiven(value)}.`);
    return undefined;
  }

  refuse(member: string, message: string): void {
    const path = this.pathOf(member);
    this.#problems.add({ path, env: this.#origin?.variableOf(path, this.read(member)), message });
  }

  /** A variable that is wrong in itself, whatever the option says. */
  refuseVariable({ path, variable, message }: VariableProblem): void {
    this.#problems.add({ path, env: variable, message });
  }

  /**
   * Options of a class may hold more than options (a logger, a ConfigService): there only what looks like a misspelt
   * member is refused.
   */
  refuseUnknown(known: readonly string[], hints: Readonly<Record<string, string>> = {}): void {
    const strict = isPlain(this.#holder);
    for (const name of ownKeys(this.#holder)) {
      if (known.includes(name)) continue;
      const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
      const nearest = nearestName(name, known);
      // In a class `_token` is what stands behind the getter `token`.
      if (!strict && (nearest === undefined || this.has(nearest))) continue;
      const advice = nearest === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
      this.#problems.add({
        path: this.pathOf(name),
        env: undefined,
        message: hint ?? `is not an option. ${advice}`,
      });
    }
  }

  /** The name that helps people to find the member: its variable where it came from one, else its path. */
  nameOf(member: string): string {
    const path = this.pathOf(member);
    return this.#origin?.variableOf(path, this.read(member)) ?? path;
  }

  get isPlain(): boolean {
    return isPlain(this.#holder);
  }

  /** A function among the members, as a method of the object that holds it. */
  method(action: Function): () => unknown {
    return (): unknown => Reflect.apply(action, this.#holder, []);
  }

  keys(): string[] {
    return ownKeys(this.#holder);
  }

  pathOf(member: string): string {
    // A member that is no name at all may be a value put in the wrong place: it is not repeated.
    const shown = /^[\w$-]{1,64}$/.test(member) ? member : '[not a name]';
    return this.path === '' ? shown : `${this.path}.${shown}`;
  }
}

function isRecord(value: unknown): value is object {
  return isObject(value) && !isList(value);
}

function kindOfGiven(value: unknown): string {
  return isList(value) ? 'a list' : kindOf(value);
}

function isList(value: unknown): boolean {
  return safely(() => Array.isArray(value), false);
}

function isOrigin(value: unknown): value is EnvironmentOrigin {
  return safely(() => value instanceof EnvironmentOrigin, false);
}

function isPlain(holder: object): boolean {
  return safely(() => {
    const prototype: unknown = Object.getPrototypeOf(holder);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  }, true);
}

function ownKeys(holder: object): string[] {
  return safely(() => Object.keys(holder), []);
}

function readSafely(holder: object, member: string | symbol): unknown {
  return safely<unknown>(() => Reflect.get(holder, member), UNREADABLE);
}
