import type { Catalogue } from '../../catalogue/catalogue.js';
import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { MountedFile } from '../../secrets/mounted-file.js';
import { revealed } from '../../secrets/secret.js';
import { flawOfTwo } from '../../secrets/text-rules.js';
import { isObject, memberOf } from '../../values/objects.js';
import { flawOfEnvironment } from '../rules/choice-rules.js';
import { variableSettingsOf } from './variable-names.js';

/** Marks options that came from variables. A symbol is copied by a spread and is not in JSON. */
export const ORIGIN: unique symbol = Symbol('provider-auth:origin');

/**
 * Which variable each option came from, or would come from. If the application has replaced an option, its value is another: an error
 * then does not name the variable, because changing the variable would not help.
 *
 * Everything is private: the origin is part of the options, which ConfigService keeps and may print (S10).
 */
export class VariableOrigin {
  readonly #catalogue: Catalogue;
  readonly #variables: NodeJS.ProcessEnv;

  /** @param variables all variables, also those that are of no option. */
  constructor(catalogue: Catalogue, variables: NodeJS.ProcessEnv) {
    this.#catalogue = catalogue;
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

  /** The text of the option's variable. */
  textAt(path: string): string | undefined {
    return this.textOf(this.#settingAt(path)?.variable ?? '');
  }

  /** Undefined if the application sets the option in code. An object came from a variable if one of its members did. */
  variableOf(path: string, options: object): string | undefined {
    let value: unknown = options;
    for (const part of path.split('.')) value = isObject(value) ? memberOf(value, part) : undefined;
    const setting = this.#settingAt(path);
    if (setting && value instanceof MountedFile) return setting.fileVariable ?? setting.variable;
    const text = revealed(value);
    if (isObject(text))
      return variableSettingsOf(this.#catalogue)
        .filter((one) => one.path.startsWith(`${path}.`) && this.textOf(one.variable) !== undefined)
        .map((one) => this.variableOf(one.path, options))
        .find((variable) => variable !== undefined);
    const common = path.startsWith('environment.') && this.textAt(path) === undefined ? 'environment' : path;
    return value === undefined || text === this.textAt(common)
      ? this.#settingAt(common)?.variable
      : undefined;
  }

  /** Variables that contradict each other, without those of options that the application has replaced. */
  problemsIn(options: object): readonly ConfigProblem[] {
    const problems = variableSettingsOf(this.#catalogue).flatMap(({ path, variable, fileVariable }) => {
      const hasBoth = fileVariable && this.textOf(fileVariable) && this.textOf(variable);
      return hasBoth && this.variableOf(path, options) === variable
        ? [{ path, env: fileVariable, message: flawOfTwo(variable) }]
        : [];
    });
    // An interface has its own variable, and the common one is wrong.
    const path = 'environment';
    const env = isObject(memberOf(options, path)) ? this.#settingAt(path)?.variable : undefined;
    const message = flawOfEnvironment(this.textAt(path), this.#catalogue.environments);
    if (env !== undefined && message !== undefined && this.variableOf(path, options) !== undefined)
      problems.push({ path, env, message });
    return problems;
  }

  #settingAt(path: string) {
    return variableSettingsOf(this.#catalogue).find((one) => one.path === path);
  }
}
