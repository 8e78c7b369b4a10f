import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { isObject, memberOf } from '../../values/objects.js';

/** Marks options that came from variables. A symbol is copied by a spread and is not in JSON. */
export const ORIGIN: unique symbol = Symbol('provider-auth:origin');

/**
 * Which variable each option came from, or would come from. If the application has replaced an option, its value is another: an error
 * then does not name the variable, because changing the variable would not help.
 *
 * Everything is private: the origin is part of the options, which ConfigService keeps and may print (S10).
 */
export class VariableOrigin {
  readonly #given = new Map<string, { readonly variable: string; readonly value: unknown }>();
  readonly #problems: ConfigProblem[] = [];
  readonly #variables: NodeJS.ProcessEnv;

  /** @param variables all variables, also those that are of no option. */
  constructor(variables: NodeJS.ProcessEnv) {
    this.#variables = variables;
  }

  static of(options: object): VariableOrigin | undefined {
    const origin: unknown = Reflect.get(options, ORIGIN);
    return origin instanceof VariableOrigin ? origin : undefined;
  }

  /** No getter, because a logger may print what a getter returns. */
  variables(): NodeJS.ProcessEnv {
    return this.#variables;
  }

  /** An empty variable counts as not set, because compose files and charts set variables to nothing. */
  textOf(variable: string): string | undefined {
    return this.#variables[variable] || undefined;
  }

  /** The option at `path` has this value. It came from `variable`, or would come from it. */
  note(path: string, variable: string, value: unknown): void {
    this.#given.set(path, { variable, value });
  }

  valueOf(path: string): unknown {
    return this.#given.get(path)?.value;
  }

  /** For a problem that only the variables show, because one contradicts another. */
  refuse(problem: ConfigProblem): void {
    this.#problems.push(Object.freeze(problem));
  }

  /** The problems of the variables, without those of options that the application has replaced. */
  problemsOf(options: object): readonly ConfigProblem[] {
    return this.#problems.filter(({ path }) => this.variableOf(path, options) !== undefined);
  }

  /** Undefined if the application sets the option in code. */
  variableOf(path: string, options: object): string | undefined {
    const given = this.#given.get(path);
    let value: unknown = options;
    for (const part of path.split('.')) value = isObject(value) ? memberOf(value, part) : undefined;
    return given && (value === undefined || value === given.value) ? given.variable : undefined;
  }
}
