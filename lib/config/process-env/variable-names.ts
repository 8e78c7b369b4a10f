import { type AnyPair, type Catalogue, capitals, pairName } from '../../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { oncePer } from '../../values/once-per.js';
import { EnvironmentOptions, InterfaceSettings } from '../options/environment-options.js';
import { RootOptions } from '../options/provider-auth-options.js';
import { declaredIn, type Need, needOf, type OptionsClass, type SettingTraits } from '../setting.js';

/** A variable of a setting. A setting may have two variables: one of its text, and one of a file with that text. */
export interface Variable {
  /** `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE` */
  readonly name: string;
  readonly isFile: boolean;
  readonly setting: SettingTraits;
  /** `interfaces.easy.sandbox.clientSecret` */
  readonly path: string;
  /** `clientSecret` */
  readonly member: string;
  readonly need: Need;
  /** The setting is required, and this is the variable that usually sets it. */
  readonly isRequired: boolean;
}

/** A setting as seen from the class that holds it, directly or in an object: `tls.ca`, whose word in variables is `CA`. */
interface OwnSetting {
  readonly setting: SettingTraits;
  readonly member: string;
  readonly word: string;
}

/** The settings of a class and of the objects in it, by `clientId`, `tls`, `tls.ca`. */
export const settingsIn = oncePer((Class: OptionsClass): ReadonlyMap<string, OwnSetting> => {
  const own = [...declaredIn(Class)].flatMap(([member, setting]) => {
    const inner = setting.members ? [...settingsIn(setting.members)] : [];
    const start = member === 'tls' ? '' : `${capitals(member)}_`;
    return [
      [member, { setting, member, word: capitals(member) }] as const,
      ...inner.map(([path, one]) => [`${member}.${path}`, { ...one, word: `${start}${one.word}` }] as const),
    ];
  });
  return new Map(own);
});

/** An object of the options whose class does not follow from that of its holder. */
interface Section {
  readonly Class: OptionsClass;
  /** Empty, `interfaces.easy.` or `interfaces.easy.sandbox.` */
  readonly start: string;
  readonly of?: string;
}

const ROOT: Section = { Class: RootOptions, start: '' };

function sectionOf(of: string, environment?: string): Section {
  return environment === undefined
    ? { Class: InterfaceSettings, start: `interfaces.${of}.`, of }
    : { Class: EnvironmentOptions, start: `interfaces.${of}.${environment}.`, of };
}

/** The section that has the setting at a path. */
function sectionAt(path: string): Section {
  const [section, of = '', ...inside] = path.split('.');
  if (section !== 'interfaces' || inside.length === 0) return ROOT;
  return sectionOf(of, inside.length === 1 ? undefined : inside[0]);
}

export function settingAt(path: string): SettingTraits | undefined {
  const { Class, start } = sectionAt(path);
  return settingsIn(Class).get(path.slice(start.length))?.setting;
}

function variablesIn(catalogue: Catalogue, { Class, start, of }: Section): Variable[] {
  const at = { catalogue, ...(of !== undefined && { interface: of }) };
  const prefix = variableName(catalogue, ...start.split('.').slice(1, -1));
  return [...settingsIn(Class)].flatMap(([path, { setting, member, word }]) => {
    const { variable, file } = setting;
    if (variable === undefined && file === undefined) return [];
    const need = needOf(setting, at);
    const isRequired = need === 'required';
    const name = `${prefix}_${word}`;
    const text = { name, isFile: false, setting, path: `${start}${path}`, member, need, isRequired };
    const inFile = { ...text, name: `${name}_FILE`, isFile: true };
    if (variable === undefined) return [inFile];
    return file === undefined ? [text] : [text, { ...inFile, isRequired: false }];
  });
}

function variableName({ name }: Catalogue, ...words: readonly string[]): string {
  return [name, ...words].map(capitals).join('_');
}

/** `environment.easy` is `PROVIDER_EASY_ENVIRONMENT`. The common environment stands for that of an interface. */
function choiceOf(catalogue: Catalogue, environment: Variable, of: string): Variable {
  const { path, member } = environment;
  const name = variableName(catalogue, of, member);
  return { ...environment, name, path: `${path}.${of}`, need: 'optional', isRequired: false };
}

/**
 * Every variable of a provider in the order of the options, also of settings that it does not have. Not kept, because an
 * application may have hundreds of providers.
 */
export function allVariables(catalogue: Catalogue): Variable[] {
  const { interfaces, environments } = catalogue;
  const inInterfaces = interfaces.flatMap((of) =>
    [undefined, ...environments].flatMap((environment) => variablesIn(catalogue, sectionOf(of, environment))),
  );
  return variablesIn(catalogue, ROOT).flatMap((one) =>
    one.path === 'environment'
      ? [one, ...interfaces.map((of) => choiceOf(catalogue, one, of)), ...inInterfaces]
      : one,
  );
}

/** The variables of the setting at a path, first the one that is usually set. */
export function variablesAt(catalogue: Catalogue, path: string): Variable[] {
  const choices = path.startsWith('environment.') ? allVariables(catalogue) : undefined;
  return (choices ?? variablesIn(catalogue, sectionAt(path))).filter((one) => one.path === path);
}

/** The names of the variables of a provider. A name that two settings have is in the list twice. */
export function variablesOf(catalogue: Catalogue): string[] {
  return allVariables(catalogue).flatMap(({ name, need }) => (need === 'absent' ? [] : name));
}

/**
 * What an environment requires: one variable for each setting.
 *
 * @param withInterface whether to begin with what its interface requires for all environments.
 */
export function requiredOf(catalogue: Catalogue, pair: AnyPair, withInterface = true): Variable[] {
  const { interface: of, environment } = pair;
  const sections = [...(withInterface ? [sectionOf(of)] : []), sectionOf(of, environment)];
  const variables = sections.flatMap((section) => variablesIn(catalogue, section));
  return variables.filter(({ isRequired }) => isRequired);
}

/**
 * The error for the use of a pair without settings. It names the missing settings, as options and as variables. If
 * `configured` has another environment of the interface, a shared token URL is not missing.
 */
export function notConfigured(
  catalogue: Catalogue,
  pair: AnyPair,
  configured: readonly AnyPair[] = [],
): ProviderAuthConfigError {
  const withInterface = configured.every(({ interface: name }) => name !== pair.interface);
  const message = `is missing: ${pairName(pair)} was used, but is not configured.`;
  const problems = requiredOf(catalogue, pair, withInterface).map(({ path, name }) =>
    Object.freeze({ path, env: name, message }),
  );
  return new ProviderAuthConfigError('NOT_CONFIGURED', problems, catalogue.name);
}
