import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';

/** Marks options that came from variables. A symbol is copied by a spread and is not in JSON. */
export const ORIGIN: unique symbol = Symbol('provider-auth:origin');

/**
 * Which variable each option came from. If the application has replaced an option, its value is another: an error then
 * does not name the variable, because changing the variable would not help.
 *
 * Everything is private: the origin is part of the options, which ConfigService keeps and may print (S10).
 */
export class VariableOrigin {
  readonly #given = new Map<string, { readonly variable: string; readonly value: unknown }>();
  readonly #problems: ConfigProblem[] = [];
  readonly #variables: NodeJS.ProcessEnv;

  /** @param variables all variables, also those that are of no option. */
  constructor(variables: NodeJS.ProcessEnv = {}) {
    this.#variables = variables;
  }

  /** No getter, because a logger may print what a getter returns. */
  variables(): NodeJS.ProcessEnv {
    return this.#variables;
  }

  /** The option at `path` has this value, which is returned. It came from `variable`, or would come from it. */
  note<Value>(path: string, variable: string, value: Value): Value {
    this.#given.set(path, { variable, value });
    return value;
  }

  valueOf(path: string): unknown {
    return this.#given.get(path)?.value;
  }

  /** For a problem that only the variable shows, because it contradicts another variable. */
  refuse(problem: ConfigProblem): void {
    this.#problems.push(Object.freeze(problem));
  }

  /** The variable of the option, if the application did not replace the value. */
  variableOf(path: string, value: unknown): string | undefined {
    const given = this.#given.get(path);
    return given !== undefined && given.value === value ? given.variable : undefined;
  }

  /** The problems of one option, if the application did not replace the value. */
  problemsOf(path: string, value: unknown): readonly ConfigProblem[] {
    return this.variableOf(path, value) === undefined
      ? []
      : this.#problems.filter((problem) => problem.path === path);
  }

  /** The problems that belong to no option. */
  strayProblems(): readonly ConfigProblem[] {
    return this.#problems.filter(({ path }) => !this.#given.has(path));
  }
}
