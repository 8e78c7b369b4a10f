import type { Catalogue } from '../../catalogue/catalogue.js';
import { MountedFile } from '../../secrets/mounted-file.js';
import { Secret } from '../../secrets/secret.js';
import { variableSettingsOf } from './variable-names.js';
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
  const origin = new VariableOrigin(catalogue, variables);
  const interfaces: Members = {};
  const choices: Members = {};
  const options = { environment: choices, interfaces, [ORIGIN]: origin };
  for (const setting of variableSettingsOf(catalogue)) {
    const { need, member, path } = setting;
    // A secret that the client does not use is refused: without a refusal, it would be ignored.
    const isRead = need !== 'absent' || member === 'clientSecret';
    if (isRead && path !== 'environment') place(options, path, valueOf(setting, origin));
  }
  const environment = origin.textAt('environment');
  if (Object.keys(choices).length === 0) return Object.assign(options, { environment });
  // One environment for all interfaces, unless a variable overrides it for one interface.
  const common = Object.keys(interfaces).map((name) => [name, environment] as const);
  return Object.assign(options, { environment: { ...Object.fromEntries(common), ...choices } });
}

function place(options: Members, path: string, value: unknown): void {
  if (value === undefined) return;
  const sections = path.split('.');
  const member = sections.pop() ?? '';
  let holder = options;
  for (const section of sections) {
    if (!Object.hasOwn(holder, section)) holder[section] = {};
    holder = holder[section] as Members;
  }
  holder[member] = value;
}

/** A credential becomes a `Secret` at once (S10). */
function valueOf({ setting, variable, fileVariable }: Variable, origin: VariableOrigin): unknown {
  const { file = 'secret' } = setting;
  const text = origin.textOf(variable);
  const path = setting.variable === undefined ? text : fileVariable && origin.textOf(fileVariable);
  if (setting.variable !== undefined && text !== undefined)
    return setting.variable === 'secret' ? new Secret(text) : text;
  return path === undefined ? undefined : new MountedFile(path, file);
}
