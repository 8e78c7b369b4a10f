import { safely } from '../values/safely.js';
import { isOptionsObject, kindOfGiven, ObjectReader, UNREADABLE } from './object-reader.js';
import type { ProblemList } from './problem-list.js';
import { VariableOrigin, ORIGIN, type VariableProblem } from './process-env/variable-origin.js';
import { adviceOnUnknown, pathOfMember } from './rules/member-name.js';
import { nearestName } from './rules/nearest-name.js';

/** One object among the options. It knows its path, and adds each problem with the name that a person has to change. */
export class OptionsNode {
  readonly #reader: ObjectReader;
  readonly #problems: ProblemList;
  /** Which variables the members came from, if they came from variables. */
  readonly origin: VariableOrigin | undefined;

  private constructor(
    readonly path: string,
    holder: object,
    problems: ProblemList,
  ) {
    this.#reader = new ObjectReader(holder);
    this.#problems = problems;
    const origin = this.#reader.read(ORIGIN);
    this.origin = isOrigin(origin) ? origin : undefined;
  }

  static root(options: unknown, problems: ProblemList): OptionsNode | undefined {
    if (isOptionsObject(options)) return new OptionsNode('', options, problems);
    problems.add({
      path: '(options)',
      env: undefined,
      message:
        options === undefined ? 'are missing. Pass them.' : `must be an object, not ${kindOfGiven(options)}.`,
    });
    return undefined;
  }

  /** The member, or undefined. A member that cannot be read is a problem; `ProblemList` keeps each problem once. */
  read(member: string): unknown {
    const value = this.#reader.read(member);
    const path = this.pathOf(member);
    if (value === UNREADABLE)
      this.#add(path, undefined, 'cannot be read: its getter throws. Fix the getter.');
    for (const problem of this.origin?.problemsOf(path, value) ?? []) this.refuseVariable(problem);
    return value;
  }

  /** Whether the member was given, right or wrong. */
  has(member: string): boolean {
    return this.read(member) !== undefined;
  }

  /** The member, if it is an object. A member of another type is a problem. */
  child(member: string): OptionsNode | undefined {
    const value = this.read(member);
    if (value === undefined || value === UNREADABLE) return undefined;
    if (isOptionsObject(value)) return new OptionsNode(this.pathOf(member), value, this.#problems);
    this.refuse(member, `must be an object, not ${kindOfGiven(value)}.`);
    return undefined;
  }

  refuse(member: string, message: string): void {
    const path = this.pathOf(member);
    this.#add(path, this.#variableOf(member), message);
  }

  /** A variable that is wrong, whatever the option contains. */
  refuseVariable({ path, variable, message }: VariableProblem): void {
    this.#add(path, variable, message);
  }

  /**
   * Refuses members that are not known. An instance of a class may have other members (a logger, a ConfigService), so
   * there a member is refused only if it looks misspelt.
   */
  refuseUnknown(known: readonly string[], hints: Readonly<Record<string, string>> = {}): void {
    const { isPlain } = this;
    for (const name of this.keys()) {
      if (known.includes(name)) continue;
      const nearest = nearestName(name, known);
      // In a class, `_token` is the field behind the getter `token`.
      if (!isPlain && (nearest === undefined || this.has(nearest))) continue;
      const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
      this.#add(this.pathOf(name), undefined, hint ?? `is not an option. ${adviceOnUnknown(name, known)}`);
    }
  }

  /** The name that helps a person to find the member: its variable, or else its path. */
  nameOf(member: string): string {
    return this.#variableOf(member) ?? this.pathOf(member);
  }

  pathOf(member: string): string {
    return pathOfMember(this.path, member);
  }

  get isPlain(): boolean {
    return this.#reader.isPlain;
  }

  method(action: Function): () => unknown {
    return this.#reader.method(action);
  }

  keys(): string[] {
    return this.#reader.keys();
  }

  #variableOf(member: string): string | undefined {
    return this.origin?.variableOf(this.pathOf(member), this.read(member));
  }

  #add(path: string, env: string | undefined, message: string): void {
    this.#problems.add({ path, env, message });
  }
}

function isOrigin(value: unknown): value is VariableOrigin {
  return safely(() => value instanceof VariableOrigin, false);
}
