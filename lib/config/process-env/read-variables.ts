import type { Catalogue } from '../../catalogue/catalogue.js';
import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { MountedFile } from '../../secrets/mounted-file.js';
import { revealed, Secret } from '../../secrets/secret.js';
import { flawOfTwo } from '../../secrets/text-rules.js';
import { isObject, memberOf } from '../../values/objects.js';
import { flawOfEnvironment } from '../rules/choice-rules.js';
import { misspeltVariables } from './misspelt-variables.js';
import { allVariables, settingAt, settingsIn, type Variable, variablesAt } from './variable-names.js';

type Members = Record<string, unknown>;

/** Options that are not validated yet: members may be missing or wrong, and a secret is a `Secret` or a `MountedFile`. */
export interface UncheckedOptions {
  readonly environment: unknown;
  readonly interfaces: Readonly<Members>;
}

/** Marks options that came from variables. A symbol is copied by a spread and is not in JSON. */
export const ORIGIN: unique symbol = Symbol('provider-auth:origin');

export function originOf(options: object) {
  return Reflect.get(options, ORIGIN) as ReturnType<typeof originIn> | undefined;
}

/**
 * The options that the variables contain, complete or not. Only `validateOptions` checks them. An interface or an environment
 * without variables is left out, and one with some of its variables is validated completely.
 */
export function readEnvironmentVariables(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
): UncheckedOptions {
  const choices: Members = {};
  const interfaces: Members = {};
  const read = { environment: choices as unknown, interfaces };
  const contradictions: ConfigProblem[] = [];
  const all = allVariables(catalogue);
  const [common, ...others] = all;
  for (const variable of others) {
    const { name, path, need, member } = variable;
    const text = textOf(variables, variable);
    // A secret that the client does not use is refused: without a refusal, it would be ignored.
    if (text === undefined || (need === 'absent' && member !== 'clientSecret')) continue;
    if (valueAt(read, path) === undefined) place(read, path, valueOf(variable, text));
    else contradictions.push({ path, env: name, message: flawOfTwo(name.replace(/_FILE$/, '')) });
  }
  const environment = textOf(variables, common);
  const isForAll = Object.keys(choices).length === 0;
  // One environment for all interfaces, unless a variable overrides it for one interface.
  const forAll = Object.fromEntries(Object.keys(interfaces).map((of) => [of, environment]));
  read.environment = isForAll ? environment : { ...forAll, ...choices };
  const message = isForAll ? undefined : flawOfEnvironment(environment, catalogue.environments);
  if (common && message !== undefined) contradictions.push({ path: common.path, env: common.name, message });
  // The application may change the options in the object itself.
  const given = all.map(({ path }) => [path, valueAt(read, path)] as const);
  const known = new Map(given.filter(([, value]) => value !== undefined));
  return Object.assign(read, { [ORIGIN]: originIn(catalogue, variables, known, contradictions) });
}

/** An empty variable counts as not set, because compose files and charts set variables to nothing. */
function textOf(variables: NodeJS.ProcessEnv, variable: Variable | undefined): string | undefined {
  return (variable && variables[variable.name]) || undefined;
}

/**
 * Which variables the options came from. If the application has replaced an option, its value is another: an error then does not
 * name the variable, because changing the variable would not help.
 *
 * Functions show nothing of what they know: ConfigService keeps the options and may print them (S10).
 */
function originIn(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  given: ReadonlyMap<string, unknown>,
  contradictions: readonly ConfigProblem[],
) {
  const isSet = (variable: Variable): boolean => textOf(variables, variable) !== undefined;
  /** The variable that an option came from, or would come from. Undefined if the application sets the option in code. */
  const variableOf = (path: string, options: object): string | undefined => {
    const value = valueAt(options, path);
    const members = settingAt(path)?.members;
    // An object came from a variable if one of its members did.
    if (members && isObject(value)) {
      const names = [...settingsIn(members).keys()].filter((name) => memberOf(value, name) !== undefined);
      return names.map((name) => variableOf(`${path}.${name}`, options)).find((name) => name !== undefined);
    }
    if (value !== undefined && !isSame(value, given.get(path))) return undefined;
    const own = variablesAt(catalogue, path);
    const isCommon = path.startsWith('environment.') && !own.some(isSet);
    const candidates = isCommon ? variablesAt(catalogue, 'environment') : own;
    // Node asks the system for each variable, which takes long if there are thousands. So a single candidate is not asked for.
    const chosen = candidates.length > 1 ? candidates.find(isSet) : undefined;
    return (chosen ?? candidates[0])?.name;
  };
  return {
    /** What the variable of an option gave. */
    valueAt: (path: string) => given.get(path),
    variableOf,
    /** What is wrong with the variables themselves, without those of options that the application has replaced. */
    problemsIn: (options: object, registered?: readonly Catalogue[]): ConfigProblem[] => [
      ...contradictions.filter(({ path }) => variableOf(path, options) !== undefined),
      ...misspeltVariables(catalogue, variables, registered),
    ],
  };
}

/** Another reading of the variables gives other objects for the same credential. Only variables give files. */
function isSame(value: unknown, given: unknown): boolean {
  if (value instanceof MountedFile) return given instanceof MountedFile;
  return revealed(value) === revealed(given);
}

/** The value at a path of options. */
export function valueAt(options: object, path: string): unknown {
  let value: unknown = options;
  for (const part of path.split('.')) value = isObject(value) ? memberOf(value, part) : undefined;
  return value;
}

function place(options: object, path: string, value: unknown): void {
  const sections = path.split('.');
  const member = sections.pop() ?? '';
  let holder = options as Members;
  for (const section of sections) {
    if (!Object.hasOwn(holder, section)) holder[section] = {};
    holder = holder[section] as Members;
  }
  holder[member] = value;
}

/** A credential becomes a `Secret` at once (S10). */
function valueOf({ setting, isFile }: Variable, text: string): unknown {
  if (isFile) return new MountedFile(text, setting.file ?? 'secret');
  return setting.variable === 'secret' ? new Secret(text) : text;
}
