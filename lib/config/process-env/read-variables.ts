import type { Catalogue } from '../../catalogue/catalogue.js';
import { Secret } from '../../secrets/secret.js';
import { flawOfEnvironment } from '../rules/choice-rules.js';
import { MountedFile } from '../secret-sources/mounted-file.js';
import { needOf } from '../table/setting.js';
import { refusalOfCredential, SETTINGS } from '../table/settings.js';
import {
  environmentSetting,
  overrideOf,
  type PlacedSetting,
  settingPlacer,
  settingsIn,
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
    const interfaces: Members = {};
    for (const name of catalogue.interfaces) {
      const members = this.#interface(name);
      if (members !== undefined) interfaces[name] = members;
    }
    const environment = this.#environment(
      catalogue.interfaces.filter((name) => Object.hasOwn(interfaces, name)),
    );
    return this.#marked({
      environment,
      interfaces: this.#marked(interfaces),
      ...this.#object('token', settingsIn(catalogue, 'token')),
      ...this.#object('http', settingsIn(catalogue, 'http')),
    });
  }

  /** An interface without variables is left out. An interface with some of its variables is validated completely. */
  #interface(name: string): Members | undefined {
    const members: Members = this.#members(settingsIn(this.#catalogue, 'interface', name));
    for (const environment of this.#catalogue.environments) {
      const own = {
        ...this.#members(settingsIn(this.#catalogue, 'environment', name, environment)),
        ...this.#object('tls', settingsIn(this.#catalogue, 'tls', name, environment)),
      };
      if (Object.keys(own).length === 0) continue;
      this.#refuseUnusedSecret(name, environment);
      members[environment] = this.#marked(own);
    }
    return Object.keys(members).length > 0 ? this.#marked(members) : undefined;
  }

  /** Without a refusal, the variables of a secret that the client does not use would be ignored (B32). */
  #refuseUnusedSecret(name: string, environment: string): void {
    const place = { catalogue: this.#catalogue, interface: name };
    if (needOf(SETTINGS.environment.clientSecret, place) !== 'absent') return;
    const own = settingPlacer(this.#catalogue, 'environment', [name, environment])('clientSecret');
    for (const variable of [own.variable, own.fileVariable ?? []].flat())
      if (this.#text(variable) !== undefined)
        this.#origin.refuse({ path: own.path, variable, message: refusalOfCredential(place) });
  }

  /** An object of the options, as a member. Without any of its variables there is no such member. */
  #object(member: string, settings: readonly PlacedSetting[]): Members {
    const members = this.#marked(this.#members(settings));
    const first = settings.find((setting) => Object.hasOwn(members, setting.member));
    if (first === undefined) return {};
    this.#origin.note(first.path.replace(/\.\w+$/, ''), first.variable, members);
    return { [member]: members };
  }

  #members(settings: readonly PlacedSetting[]): Members {
    const members = settings.map((setting) => [setting.member, this.#value(setting)] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }

  /** A credential becomes a `Secret` at once (S10). */
  #value({ setting, path, variable, fileVariable }: PlacedSetting): unknown {
    const text = this.#text(variable);
    const file = fileVariable && this.#text(fileVariable);
    if (fileVariable !== undefined && file !== undefined) {
      if (text === undefined)
        return this.#noted(path, fileVariable, new MountedFile(file, setting.file ?? 'secret'));
      this.#origin.refuse({
        path,
        variable: fileVariable,
        message: `is set beside ${variable}, and only one of them can be right. Keep one, remove the other.`,
      });
    }
    if (text === undefined) return this.#noted(path, variable, undefined);
    if (setting.variable === undefined)
      return this.#noted(path, variable, new MountedFile(text, setting.file ?? 'secret'));
    return this.#noted(path, variable, setting.variable === 'secret' ? new Secret(text) : text);
  }

  #noted(path: string, variable: string, value: unknown): unknown {
    this.#origin.note(path, variable, value);
    return value;
  }

  /** One environment for all interfaces, unless a variable overrides it for one interface. */
  #environment(configured: readonly string[]): unknown {
    const setting = environmentSetting(this.#catalogue);
    const { path, variable } = setting;
    const common = this.#text(variable);
    const choices: Members = {};
    let overridden = false;
    for (const name of this.#catalogue.interfaces) {
      const own = overrideOf(this.#catalogue, setting, name);
      const override = this.#text(own.variable);
      overridden ||= override !== undefined;
      const value = override ?? (configured.includes(name) ? common : undefined);
      this.#origin.note(own.path, override === undefined ? variable : own.variable, value);
      if (value !== undefined) choices[name] = value;
    }
    const environment = overridden ? this.#marked(choices) : common;
    this.#origin.note(path, variable, environment);
    const message = overridden ? flawOfEnvironment(common, this.#catalogue.environments) : undefined;
    if (message !== undefined) this.#origin.refuse({ path, variable, message });
    return environment;
  }

  /** An empty variable counts as not set, because compose files and charts set variables to nothing. */
  #text(variable: string): string | undefined {
    return this.#variables[variable] || undefined;
  }

  #marked<Marked extends object>(members: Marked): Marked {
    return Object.assign(members, { [ORIGIN]: this.#origin });
  }
}
