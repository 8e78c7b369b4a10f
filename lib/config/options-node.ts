import { isObject, isPlainInAnyRealm } from '../values/is-object.js';
import { memberOf } from '../values/member-of.js';
import { safely } from '../values/safely.js';
import type { ProblemList } from './problem-list.js';
import { VariableOrigin, ORIGIN } from './process-env/variable-origin.js';
import { nearestName, shownName } from './rules/names.js';
import { kindOf } from './rules/text-rules.js';

/** Stands for a member that throws when it is read. Its error may contain a secret and is dropped (S10). */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * One object among the options, or among the members of a definition. It may be an instance, frozen, or a proxy that throws:
 * each member is read once, nothing is written, and no error gets out.
 */
export class OptionsNode {
  readonly #holder: object;
  readonly #values = new Map<string | symbol, unknown>();
  /** Gives the members that the object does not have. */
  readonly #fallback: VariableOrigin | undefined;
  /** Which variables the members came from, if they came from variables. */
  readonly origin: VariableOrigin | undefined;

  private constructor(
    readonly path: string,
    holder: object,
    readonly problems: ProblemList,
    fallback?: VariableOrigin,
  ) {
    this.#holder = holder;
    this.#fallback = fallback;
    const origin = this.#member(ORIGIN);
    this.origin = isOrigin(origin) ? origin : undefined;
  }

  /**
   * @param label the path of a problem of the whole object: `(options)`.
   * @param missing the problem of an object that is undefined.
   */
  static root(
    value: unknown,
    problems: ProblemList,
    { label, path = '', missing }: { label: string; path?: string; missing?: string },
  ): OptionsNode | undefined {
    if (isOptionsObject(value)) return new OptionsNode(path, value, problems);
    const flaw = `must be an object, not ${kindOfGiven(value)}.`;
    const message = value === undefined && missing !== undefined ? missing : flaw;
    problems.add({ path: label, message });
    return undefined;
  }

  /** The member, or undefined. A member that cannot be read is a problem; `ProblemList` keeps each problem once. */
  read(member: string): unknown {
    const path = this.pathOf(member);
    const own = this.#member(member);
    const value = own === undefined ? this.#fallback?.valueOf(path) : own;
    if (value === UNREADABLE)
      this.problems.add({ path, message: 'cannot be read: its getter throws. Fix the getter.' });
    for (const problem of this.#originOf(member)?.problemsOf(path, value) ?? []) this.problems.add(problem);
    return value;
  }

  /** Whether the member was given, right or wrong. */
  has(member: string): boolean {
    return this.read(member) !== undefined;
  }

  /** The member, if it is an object. A member of another type is a problem. */
  child(member: string, flaw?: string): OptionsNode | undefined {
    const value = this.read(member);
    if (value === undefined || value === UNREADABLE) return undefined;
    if (isOptionsObject(value)) return new OptionsNode(this.pathOf(member), value, this.problems);
    this.refuse(member, flaw ?? `must be an object, not ${kindOfGiven(value)}.`);
    return undefined;
  }

  /**
   * The member, or an object without members. An application that sets some members in code replaces the whole object of
   * the variables. The other variables still count then: an operator who sets one must not be ignored (B29).
   */
  section(member: string): OptionsNode {
    const own = this.child(member);
    return new OptionsNode(this.pathOf(member), own ? own.#holder : {}, this.problems, this.origin);
  }

  refuse(member: string, message: string): void {
    this.problems.add({ ...this.placeOf(member), message });
  }

  /**
   * Refuses members that are not known. An instance of a class may have other members (a logger, a ConfigService), so
   * there a member is refused only if it looks misspelt.
   */
  refuseUnknown(
    known: readonly string[],
    what = 'an option',
    hintFor?: (name: string) => string | undefined,
  ): void {
    const { isPlain } = this;
    for (const name of this.keys()) {
      if (known.includes(name)) continue;
      const nearest = nearestName(name, known);
      // In a class, `_token` is the field behind the getter `token`.
      if (!isPlain && (nearest === undefined || this.has(nearest))) continue;
      if (this.#member(name) === undefined) continue;
      const advice = nearest === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
      const message = hintFor?.(name) ?? `is not ${what}. ${advice}`;
      this.problems.add({ path: this.pathOf(name), message });
    }
  }

  /** The name that helps a person to find the member: its variable, or else its path. */
  nameOf(member: string): string {
    const { path, env = path } = this.placeOf(member);
    return env;
  }

  /** The path of the member, and its variable if its value came from one. */
  placeOf(member: string): { readonly path: string; readonly env: string | undefined } {
    const path = this.pathOf(member);
    return { path, env: this.#originOf(member)?.variableOf(path, this.read(member)) };
  }

  pathOf(member: string): string {
    return this.path === '' ? shownName(member) : `${this.path}.${shownName(member)}`;
  }

  /** Whether the object is an object literal, and no instance of a class. */
  get isPlain(): boolean {
    return safely(() => isPlainInAnyRealm(this.#holder), true);
  }

  /** A function that is a member, as a method of the object. Any other value stays unchanged. */
  bound(value: unknown): unknown {
    if (typeof value !== 'function') return value;
    return (...given: unknown[]): unknown => Reflect.apply(value, this.#holder, given);
  }

  keys(): string[] {
    return safely(() => Object.keys(this.#holder), []);
  }

  #member(member: string | symbol): unknown {
    if (!this.#values.has(member))
      this.#values.set(
        member,
        safely<unknown>(() => memberOf(this.#holder, member), UNREADABLE),
      );
    return this.#values.get(member);
  }

  #originOf(member: string): VariableOrigin | undefined {
    return this.origin ?? (this.#member(member) === undefined ? this.#fallback : undefined);
  }
}

function isOrigin(value: unknown): value is VariableOrigin {
  return safely(() => value instanceof VariableOrigin, false);
}

function isOptionsObject(value: unknown): value is object {
  return isObject(value) && !isList(value);
}

/** The kind of a value in an error. The value itself is not shown. */
function kindOfGiven(value: unknown): string {
  return isList(value) ? 'a list' : kindOf(value);
}

/** `Array.isArray` throws for a proxy that was revoked. */
function isList(value: unknown): boolean {
  return safely(() => Array.isArray(value), false);
}
