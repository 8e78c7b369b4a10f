import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { Secret } from '../../secrets/secret.js';
import { flawOfEnvironment } from '../rules/choice-rules.js';
import { flawOfTwo } from '../rules/text-rules.js';
import { MountedFile } from '../secret-sources/mounted-file.js';
import type { Setting } from '../table/setting.js';
import {
  environmentSetting,
  overrideOf,
  type PlacedSetting,
  settingsIn,
  settingsOfPair,
} from './variable-names.js';
import { VariableOrigin, ORIGIN } from './variable-origin.js';

type Members = Record<string, unknown>;

/** Options that are not validated yet: members may be missing or wrong, and a secret is a `Secret` or a `MountedFile`. */
export interface UncheckedOptions {
  readonly environment: unknown;
  readonly interfaces: Readonly<Members>;
}

/** The options that the variables contain, complete or not. Only `validateOptions` checks them. */
export function readEnvironmentVariables(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
): UncheckedOptions {
  const origin = new VariableOrigin(variables);
  const interfaces = marked({}, origin);
  const options: Members = marked({ interfaces }, origin);
  for (const object of ['token', 'http'] as const)
    for (const placed of settingsIn(catalogue, object)) place(options, placed, origin);
  for (const name of catalogue.interfaces)
    for (const placed of settingsIn(catalogue, 'interface', name)) place(options, placed, origin);
  const pairs = catalogue.pairs.map((pair) => ({ ...pair, settings: settingsOfPair(catalogue, pair) }));
  const given = pairs.filter(
    ({ settings }) => settings.filter((placed) => place(options, placed, origin)).length > 0,
  );
  // If no pair has any of its variables, such a secret may be all that is set.
  for (const pair of given.length > 0 ? given : pairs) refuseUnusedSecret(catalogue, pair, origin);
  const environment = environmentOf(catalogue, Object.keys(interfaces), origin);
  return Object.assign(options, { environment, interfaces });
}

/**
 * Puts the value of a variable where its path leads. An interface or an environment without variables is left out, and one
 * with some of its variables is validated completely.
 */
function place(options: Members, placed: PlacedSetting, origin: VariableOrigin): boolean {
  if (placed.need === 'absent') return false;
  const value = valueAt(placed, origin);
  if (value === undefined) return false;
  const sections = placed.path.split('.').slice(0, -1);
  let holder = options;
  for (const [index, section] of sections.entries()) {
    if (!Object.hasOwn(holder, section)) {
      const members = marked({}, origin);
      holder[section] = members;
      // An error about one of these objects names the first of its variables.
      if (['token', 'http', 'tls'].includes(section))
        origin.note(sections.slice(0, index + 1).join('.'), placed.variable, members);
    }
    holder = holder[section] as Members;
  }
  holder[placed.member] = value;
  return true;
}

/** Without a refusal, the variables of a secret that the client does not use would be ignored (B32). */
function refuseUnusedSecret(
  catalogue: Catalogue,
  { settings, ...pair }: AnyPair & { readonly settings: readonly PlacedSetting[] },
  origin: VariableOrigin,
): void {
  const secret = settings.find(({ member }) => member === 'clientSecret');
  const message = secret?.need === 'absent' && secret.setting.refusal?.({ catalogue, ...pair });
  if (!message) return;
  for (const variable of [secret.variable, secret.fileVariable ?? []].flat())
    if (textOf(variable, origin) !== undefined) origin.refuse({ path: secret.path, env: variable, message });
}

function valueAt({ setting, path, variable, fileVariable }: PlacedSetting, origin: VariableOrigin): unknown {
  const text = textOf(variable, origin);
  const file = fileVariable && textOf(fileVariable, origin);
  if (fileVariable !== undefined && file !== undefined) {
    if (text === undefined) return origin.note(path, fileVariable, new MountedFile(file, 'secret'));
    origin.refuse({ path, env: fileVariable, message: flawOfTwo(variable) });
  }
  return origin.note(path, variable, valueOf(setting, text));
}

/** One environment for all interfaces, unless a variable overrides it for one interface. */
function environmentOf(catalogue: Catalogue, configured: readonly string[], origin: VariableOrigin): unknown {
  const { path, variable } = environmentSetting(catalogue);
  const common = textOf(variable, origin);
  const choices: Members = {};
  let overridden = false;
  for (const name of catalogue.interfaces) {
    const own = overrideOf(catalogue, name);
    const override = textOf(own.variable, origin);
    overridden ||= override !== undefined;
    const value = override ?? (configured.includes(name) ? common : undefined);
    origin.note(own.path, override === undefined ? variable : own.variable, value);
    if (value !== undefined) choices[name] = value;
  }
  const message = overridden ? flawOfEnvironment(common, catalogue.environments) : undefined;
  if (message !== undefined) origin.refuse({ path, env: variable, message });
  return origin.note(path, variable, overridden ? marked(choices, origin) : common);
}

/** An empty variable counts as not set, because compose files and charts set variables to nothing. */
function textOf(variable: string, origin: VariableOrigin): string | undefined {
  return origin.variables()[variable] || undefined;
}

function marked<Marked extends object>(members: Marked, origin: VariableOrigin): Marked {
  return Object.assign(members, { [ORIGIN]: origin });
}

/** A credential becomes a `Secret` at once (S10). */
function valueOf({ variable, file = 'secret' }: Setting, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (variable === undefined) return new MountedFile(text, file);
  return variable === 'secret' ? new Secret(text) : text;
}
