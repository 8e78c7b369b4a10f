/** Marks options that came from the environment. A symbol, so that it survives spreading and stays out of JSON. */
export const ORIGIN: unique symbol = Symbol('provider-auth:origin');

/** Something about a variable that the option made from it does not show: it is misspelt, or contradicts another. */
export interface VariableProblem {
  readonly path: string;
  readonly variable: string;
  readonly message: string;
}

/**
 * Which variable each option came from. An option that the application has replaced after reading is told by identity:
 * naming a variable for it would send people to the wrong place.
 *
 * Everything is private: the origin travels inside the options, which ConfigService keeps and may print (S10).
 */
export class EnvironmentOrigin {
  readonly #given = new Map<string, { readonly variable: string; readonly value: unknown }>();
  readonly #problems: VariableProblem[] = [];

  /** The option at `path` has `value`, which came, or would have come, from `variable`. */
  note(path: string, variable: string, value: unknown): void {
    this.#given.set(path, { variable, value });
  }

  /** What the environment gave for this option. */
  valueOf(path: string): unknown {
    return this.#given.get(path)?.value;
  }

  refuse(problem: VariableProblem): void {
    this.#problems.push(Object.freeze(problem));
  }

  /** The variable to set for the option, if the option is as the environment gave it. */
  variableOf(path: string, value: unknown): string | undefined {
    const given = this.#given.get(path);
    return given !== undefined && given.value === value ? given.variable : undefined;
  }

  /** The problems of one option, if it is as the environment gave it. */
  problemsOf(path: string, value: unknown): readonly VariableProblem[] {
    return this.variableOf(path, value) === undefined
      ? []
      : this.#problems.filter((problem) => problem.path === path);
  }

  /** The problems that belong to no option. */
  get strayProblems(): readonly VariableProblem[] {
    return this.#problems.filter(({ path }) => !this.#given.has(path));
  }
}
