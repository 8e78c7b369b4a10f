import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { isObject } from '../../values/is-object.js';
import { memberOf } from '../../values/member-of.js';
import { safely } from '../../values/safely.js';

/** Marks objects of options that came from variables. A symbol is copied by a spread and is not in JSON. */
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
  constructor(variables: NodeJS.ProcessEnv) {
    this.#variables = variables;
  }

  /** The origin of an object of options. */
  static of(holder: unknown): VariableOrigin | undefined {
    const origin = isObject(holder) && safely(() => Reflect.get(holder, ORIGIN) as unknown, undefined);
    return safely(() => origin instanceof VariableOrigin, false) ? (origin as VariableOrigin) : undefined;
  }

  /** No getter, because a logger may print what a getter returns. */
  variables(): NodeJS.ProcessEnv {
    return this.#variables;
  }

  /** An empty variable counts as not set, because compose files and charts set variables to nothing. */
  textOf(variable: string): string | undefined {
    return this.#variables[variable] || undefined;
  }

  /** The option at `path` has this value, which is returned. It came from `variable`, or would come from it. */
  note<Value>(path: string, variable: string, value: Value): Value {
    this.#given.set(path, { variable, value });
    return value;
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
    return this.#problems.filter(
      ({ path }) => !this.#given.has(path) || variableOf(options, path) !== undefined,
    );
  }

  /** The variable of an option. An option that is not set would come from it. */
  variableOf(path: string, value: unknown): string | undefined {
    const given = this.#given.get(path);
    return given && (value === undefined || value === given.value) ? given.variable : undefined;
  }
}

/** The variable that the option at a path came from, or would come from. Undefined if the application sets it in code. */
export function variableOf(options: object, path: string): string | undefined {
  const parts = path.split('.');
  let origin: VariableOrigin | undefined;
  let value: unknown = options;
  for (const [index, part] of parts.entries()) {
    const holder = value;
    if (isObject(holder)) {
      // What code leaves out in `token` and `http` still comes from variables.
      const isMerged = index === 1 && (parts[0] === 'token' || parts[0] === 'http');
      origin = VariableOrigin.of(holder) ?? (isMerged ? origin : undefined);
    }
    if (origin === undefined && index === parts.length - 1) return undefined;
    value = isObject(holder) ? safely(() => memberOf(holder, part), undefined) : undefined;
  }
  return origin?.variableOf(path, value);
}
