import type { Catalogue } from '../../catalogue/catalogue.js';
import { Secret } from '../../secrets/secret.js';
import { flawOfEnvironment } from '../rules/choice-rules.js';
import { flawOfTwo } from '../../secrets/text-rules.js';
import { MountedFile } from '../../secrets/mounted-file.js';
import { environmentSetting, variableSettingsOf } from './variable-names.js';
import { ORIGIN, VariableOrigin } from './variable-origin.js';

type Members = Record<string | symbol, unknown>;
type Variable = ReturnType<typeof variableSettingsOf>[number];

/** Options that are not validated yet: members may be missing or wrong, and a secret is a `Secret` or a `MountedFile`. */
export interface UncheckedOptions {
  readonly environment: unknown;
  readonly interfaces: Readonly<Members>;
}

/**
 * The options that the variables contain, complete or not. Only `validateOptions` checks them. An interface or an environment
 * without variables is left out, and one with some of its variables is validated completely.
 */
export function readEnvironmentVariables(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
): UncheckedOptions {
  const origin = new VariableOrigin(variables);
  const interfaces: Members = {};
  const options: Members = { environment: undefined, interfaces, [ORIGIN]: origin };
  for (const setting of variableSettingsOf(catalogue)) {
    const { need, member, path } = setting;
    // A secret that the client does not use is refused: without a refusal, it would be ignored.
    const isRead = need !== 'absent' || member === 'clientSecret';
    if (isRead && !path.startsWith('environment')) place(options, setting, origin);
  }
  const environment = readEnvironment(catalogue, Object.keys(interfaces), origin);
  return Object.assign(options, { environment, interfaces });
}

/** Puts the value of a variable where its path leads. */
function place(
  options: Members,
  { setting, path, variable, fileVariable }: Variable,
  origin: VariableOrigin,
): void {
  const text = origin.textOf(variable);
  const file = fileVariable && origin.textOf(fileVariable);
  if (text !== undefined && fileVariable && file !== undefined)
    origin.refuse({ path, env: fileVariable, message: flawOfTwo(variable) });
  const isInFile = text === undefined && file !== undefined;
  const value = isInFile ? new MountedFile(file, 'secret') : valueOf(setting, text);
  origin.note(path, (isInFile && fileVariable) || variable, value);
  if (value === undefined) return;
  let holder = options;
  const sections = path.split('.');
  const member = sections.pop() ?? '';
  for (const [index, section] of sections.entries()) {
    if (!Object.hasOwn(holder, section)) {
      holder[section] = {};
      // An error about one of these objects names the first of its variables.
      if (['token', 'http', 'tls'].includes(section))
        origin.note(sections.slice(0, index + 1).join('.'), variable, holder[section]);
    }
    holder = holder[section] as Members;
  }
  holder[member] = value;
}

/** A credential becomes a `Secret` at once (S10). */
function valueOf({ variable, file = 'secret' }: Variable['setting'], text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (variable === undefined) return new MountedFile(text, file);
  return variable === 'secret' ? new Secret(text) : text;
}

/** One environment for all interfaces, unless a variable overrides it for one interface. */
function readEnvironment(
  catalogue: Catalogue,
  configured: readonly string[],
  origin: VariableOrigin,
): unknown {
  const { path, variable } = environmentSetting(catalogue);
  const common = origin.textOf(variable);
  const choices: Members = {};
  let isOverridden = false;
  for (const name of catalogue.interfaces) {
    const own = variableSettingsOf(catalogue).find((one) => one.path === `${path}.${name}`);
    const override = own && origin.textOf(own.variable);
    isOverridden ||= override !== undefined;
    const value = override ?? (configured.includes(name) ? common : undefined);
    origin.note(`${path}.${name}`, (override && own?.variable) ?? variable, value);
    if (value !== undefined) choices[name] = value;
  }
  const message = isOverridden ? flawOfEnvironment(common, catalogue.environments) : undefined;
  if (message !== undefined) origin.refuse({ path, env: variable, message });
  const environment = isOverridden ? choices : common;
  origin.note(path, variable, environment);
  return environment;
}
