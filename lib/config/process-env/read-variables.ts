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
  return new VariableReader(catalogue, variables).options();
}

class VariableReader {
  readonly #catalogue: Catalogue;
  readonly #variables: NodeJS.ProcessEnv;
  readonly #origin: VariableOrigin;

  constructor(catalogue: Catalogue, variables: NodeJS.ProcessEnv) {
    this.#catalogue = catalogue;
    this.#variables = variables;
    this.#origin = new VariableOrigin(variables);
  }

  options(): UncheckedOptions {
    const catalogue = this.#catalogue;
    const interfaces = this.#marked({});
    const options: Members = this.#marked({ interfaces });
    for (const object of ['token', 'http'] as const)
      for (const placed of settingsIn(catalogue, object)) this.#place(options, placed);
    for (const name of catalogue.interfaces)
      for (const placed of settingsIn(catalogue, 'interface', name)) this.#place(options, placed);
    const pairs = catalogue.pairs.map((pair) => ({ ...pair, settings: settingsOfPair(catalogue, pair) }));
    const given = pairs.filter(
      ({ settings }) => settings.filter((placed) => this.#place(options, placed)).length > 0,
    );
    // If no pair has any of its variables, such a secret may be all that is set.
    for (const pair of given.length > 0 ? given : pairs) this.#refuseUnusedSecret(pair);
    return Object.assign(options, { environment: this.#environment(Object.keys(interfaces)), interfaces });
  }

  /**
   * Puts the value of a variable where its path leads. An interface or an environment without variables is left out, and one
   * with some of its variables is validated completely.
   */
  #place(options: Members, placed: PlacedSetting): boolean {
    if (placed.need === 'absent') return false;
    const value = this.#value(placed);
    if (value === undefined) return false;
    const sections = placed.path.split('.').slice(0, -1);
    let holder = options;
    for (const [index, section] of sections.entries()) {
      if (!Object.hasOwn(holder, section)) {
        const members = this.#marked({});
        holder[section] = members;
        // An error about one of these objects names the first of its variables.
        if (['token', 'http', 'tls'].includes(section))
          this.#origin.note(sections.slice(0, index + 1).join('.'), placed.variable, members);
      }
      holder = holder[section] as Members;
    }
    holder[placed.member] = value;
    return true;
  }

  /** Without a refusal, the variables of a secret that the client does not use would be ignored (B32). */
  #refuseUnusedSecret({
    settings,
    ...pair
  }: AnyPair & { readonly settings: readonly PlacedSetting[] }): void {
    const secret = settings.find(({ member }) => member === 'clientSecret');
    const message =
      secret?.need === 'absent' && secret.setting.refusal?.({ catalogue: this.#catalogue, ...pair });
    if (!message) return;
    for (const variable of [secret.variable, secret.fileVariable ?? []].flat())
      if (this.#text(variable) !== undefined)
        this.#origin.refuse({ path: secret.path, env: variable, message });
  }

  #value({ setting, path, variable, fileVariable }: PlacedSetting): unknown {
    const text = this.#text(variable);
    const file = fileVariable && this.#text(fileVariable);
    if (fileVariable !== undefined && file !== undefined) {
      if (text === undefined) return this.#noted(path, fileVariable, new MountedFile(file, 'secret'));
      this.#origin.refuse({ path, env: fileVariable, message: flawOfTwo(variable) });
    }
    return this.#noted(path, variable, valueOf(setting, text));
  }

  #noted(path: string, variable: string, value: unknown): unknown {
    this.#origin.note(path, variable, value);
    return value;
  }

  /** One environment for all interfaces, unless a variable overrides it for one interface. */
  #environment(configured: readonly string[]): unknown {
    const { path, variable } = environmentSetting(this.#catalogue);
    const common = this.#text(variable);
    const choices: Members = {};
    let overridden = false;
    for (const name of this.#catalogue.interfaces) {
      const own = overrideOf(this.#catalogue, name);
      const override = this.#text(own.variable);
      overridden ||= override !== undefined;
      const value = override ?? (configured.includes(name) ? common : undefined);
      this.#origin.note(own.path, override === undefined ? variable : own.variable, value);
      if (value !== undefined) choices[name] = value;
    }
    const message = overridden ? flawOfEnvironment(common, this.#catalogue.environments) : undefined;
    if (message !== undefined) this.#origin.refuse({ path, env: variable, message });
    return this.#noted(path, variable, overridden ? this.#marked(choices) : common);
  }

  /** An empty variable counts as not set, because compose files and charts set variables to nothing. */
  #text(variable: string): string | undefined {
    return this.#variables[variable] || undefined;
  }

  #marked<Marked extends object>(members: Marked): Marked {
    return Object.assign(members, { [ORIGIN]: this.#origin });
  }
}

/** A credential becomes a `Secret` at once (S10). */
function valueOf({ variable, file = 'secret' }: Setting, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (variable === undefined) return new MountedFile(text, file);
  return variable === 'secret' ? new Secret(text) : text;
}
