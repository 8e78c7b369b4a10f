import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { Secret } from '../../secrets/secret.js';
import { VariableOrigin, ORIGIN } from './variable-origin.js';
import { flawOfEnvironment } from '../rules/environment-rules.js';
import {
  environmentSetting,
  environmentSettingOf,
  fileVariableOf,
  optionalSettingsOf,
  type Setting,
  settingsBesideEnvironments,
  settingsOfEnvironment,
  tlsSettingsOf,
  tokenAtBootSetting,
} from './variable-names.js';
import { refuseMisspeltVariables } from './misspelt-variables.js';
import { PemFile } from '../secret-sources/pem-file.js';
import { SecretFile } from '../secret-sources/secret-file.js';
import { CLIENT_KEY, clientSecretOf } from '../secret-sources/secret-sources.js';

type Members = Record<string, unknown>;

/** Options that are not validated yet: members may be missing or wrong, and a secret is a `Secret` or a `SecretFile`. */
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
  readonly #origin = new VariableOrigin();

  constructor(catalogue: Catalogue, variables: NodeJS.ProcessEnv) {
    this.#catalogue = catalogue;
    this.#variables = variables;
  }

  options(): UncheckedOptions {
    const names = this.#catalogue.interfaces;
    refuseMisspeltVariables(this.#catalogue, this.#variables, this.#origin);
    const interfaces: Members = {};
    for (const name of names) {
      const members = this.#interface(name);
      if (members !== undefined) interfaces[name] = members;
    }
    const environment = this.#environment(names.filter((name) => name in interfaces));
    const atBoot = this.#value(tokenAtBootSetting(this.#catalogue));
    return this.#marked({
      environment,
      interfaces: this.#marked(interfaces),
      ...(atBoot !== undefined && { token: this.#marked({ atBoot }) }),
    });
  }

  /** An interface without variables is left out. An interface with some of its variables is validated completely. */
  #interface(name: string): Members | undefined {
    const members: Members = this.#members(settingsBesideEnvironments(this.#catalogue, name));
    for (const environment of this.#catalogue.environments) {
      const pair = { interface: name, environment };
      const own = {
        ...this.#members(settingsOfEnvironment(this.#catalogue, pair)),
        ...this.#members(optionalSettingsOf(this.#catalogue, pair)),
        ...this.#tls(pair),
      };
      if (Object.keys(own).length > 0) members[environment] = this.#marked(own);
    }
    return Object.keys(members).length > 0 ? this.#marked(members) : undefined;
  }

  #tls(pair: AnyPair): Members | undefined {
    const files = tlsSettingsOf(this.#catalogue, pair).map(({ member, path, variable }) => {
      const name = this.#text(variable);
      const file = name === undefined ? undefined : new PemFile(name);
      this.#origin.note(path, variable, file);
      return { member, path, variable, file };
    });
    const [first] = files.filter(({ file }) => file !== undefined);
    if (first === undefined) return undefined;
    const tls = this.#marked(Object.fromEntries(files.map(({ member, file }) => [member, file])));
    this.#origin.note(first.path.replace(/\.\w+$/, ''), first.variable, tls);
    return { tls };
  }

  #members(settings: readonly Setting[]): Members {
    const members = settings.map((setting) => [setting.member, this.#value(setting)] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }

  /** A credential becomes a `Secret` at once (S10). */
  #value(setting: Setting): unknown {
    if (setting.member === 'clientSecret') return this.#clientSecret(setting);
    if (setting.member === 'clientKey') return this.#clientKey(setting);
    const text = this.#text(setting.variable);
    const value = setting.member === 'clientId' && text !== undefined ? new Secret(text) : text;
    this.#origin.note(setting.path, setting.variable, value);
    return value;
  }

  #clientKey({ path, variable }: Setting): SecretFile | undefined {
    const file = this.#text(variable);
    const source = file === undefined ? undefined : new SecretFile(file, { path, env: variable }, CLIENT_KEY);
    this.#origin.note(path, variable, source);
    return source;
  }

  #clientSecret({ path, variable }: Setting): Secret | SecretFile | undefined {
    const fileVariable = fileVariableOf({ variable });
    const [text, file] = [this.#text(variable), this.#text(fileVariable)];
    if (text === undefined && file !== undefined) {
      const source = new SecretFile(file, { path, env: fileVariable }, clientSecretOf(this.#catalogue.name));
      this.#origin.note(path, fileVariable, source);
      return source;
    }
    const secret = text === undefined ? undefined : new Secret(text);
    this.#origin.note(path, variable, secret);
    if (file !== undefined)
      this.#origin.refuse({
        path,
        variable: fileVariable,
        message: `is set beside ${variable}, and only one of them can be right. Keep one, remove the other.`,
      });
    return secret;
  }

  /** One environment for all interfaces, unless a variable overrides it for one interface. */
  #environment(configured: readonly string[]): unknown {
    const { path, variable } = environmentSetting(this.#catalogue);
    const common = this.#text(variable);
    const choices: Members = {};
    let overridden = false;
    for (const name of this.#catalogue.interfaces) {
      const own = environmentSettingOf(this.#catalogue, name);
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
