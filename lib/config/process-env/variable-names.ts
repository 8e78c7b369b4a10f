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

/** The settings of a class, and those of the objects in it: `clientId`, `tls`, `tls.ca`. */
export const settingsIn = oncePer((Class: OptionsClass): ReadonlyMap<string, SettingTraits> => {
  const own = [...declaredIn(Class)].flatMap(([name, setting]) => {
    const inner = setting.members ? [...settingsIn(setting.members)] : [];
    return [[name, setting] as const, ...inner.map(([path, one]) => [`${name}.${path}`, one] as const)];
  });
  return new Map(own);
});

function pathsIn(Class: OptionsClass, holder: string): string[] {
  return [...settingsIn(Class).keys()].map((path) => `${holder}${path}`);
}

function pathsOfPair({ interface: of, environment }: AnyPair): string[] {
  return pathsIn(EnvironmentOptions, `interfaces.${of}.${environment}.`);
}

/** The paths of all settings in the order of the options, also of settings that an interface of this kind does not have. */
export function pathsOf({ interfaces, pairs }: Catalogue): string[] {
  return pathsIn(RootOptions, '').flatMap((path) => {
    if (path === 'environment') return [path, ...interfaces.map((of) => `${path}.${of}`)];
    if (path !== 'interfaces') return path;
    const inInterfaces = interfaces.flatMap((of) => [
      ...pathsIn(InterfaceSettings, `${path}.${of}.`),
      ...pairs.filter((pair) => pair.interface === of).flatMap(pathsOfPair),
    ]);
    return [path, ...inInterfaces];
  });
}

/** `environment.easy` is a setting as `environment`, and a member of an interface is one of the class of the interface. */
export function settingAt(path: string): SettingTraits | undefined {
  const [section = '', , ...inside] = path.split('.');
  if (section === 'environment') return settingsIn(RootOptions).get(section);
  if (section !== 'interfaces' || inside.length === 0) return settingsIn(RootOptions).get(path);
  const [first = '', ...others] = inside;
  return others.length === 0
    ? settingsIn(InterfaceSettings).get(first)
    : settingsIn(EnvironmentOptions).get(others.join('.'));
}

/** The variables of the setting at a path, first the one that is usually set. */
export function variablesAt(catalogue: Catalogue, path: string): Variable[] {
  const setting = settingAt(path);
  if (setting === undefined) return [];
  const [section, of] = path.split('.');
  const place = { catalogue, ...(section === 'interfaces' && of !== undefined && { interface: of }) };
  // The common environment stands for that of an interface.
  const need = path.startsWith('environment.') ? 'optional' : needOf(setting, place);
  const isRequired = need === 'required';
  const common = { setting, path, member: path.slice(path.lastIndexOf('.') + 1), need, isRequired };
  const text = { ...common, name: variableName(catalogue, path), isFile: false };
  const file = { ...common, name: `${text.name}_FILE`, isFile: true };
  if (setting.variable === undefined) return setting.file ? [file] : [];
  return setting.file ? [text, { ...file, isRequired: false }] : [text];
}

/** `environment.easy` is `PROVIDER_EASY_ENVIRONMENT`, and `interfaces.easy.sandbox.tls.ca` is `PROVIDER_EASY_SANDBOX_CA`. */
function variableName({ name }: Catalogue, path: string): string {
  const place = path
    .replace(/^environment\.(.+)$/, '$1.environment')
    .replaceAll(/(?<=^|\.)(interfaces|tls)\./g, '');
  return capitals(`${name}.${place}`).replaceAll('.', '_');
}

/**
 * Every variable of a provider, also of settings that it does not have. Not kept, because an application may have hundreds of
 * providers.
 */
export function allVariables(catalogue: Catalogue): Variable[] {
  return pathsOf(catalogue).flatMap((path) => variablesAt(catalogue, path));
}

/** The names of the variables of a provider. A name that two settings have is in the list twice. */
export function variablesOf(catalogue: Catalogue): string[] {
  return allVariables(catalogue).flatMap(({ name, need }) => (need === 'absent' ? [] : name));
}

/** The variables of one environment, with those of its certificates. */
export function variablesOfPair(catalogue: Catalogue, pair: AnyPair): Variable[] {
  return pathsOfPair(pair).flatMap((path) => variablesAt(catalogue, path));
}

/** What an environment requires: one variable for each setting. */
export function requiredOfPair(catalogue: Catalogue, pair: AnyPair): Variable[] {
  return variablesOfPair(catalogue, pair).filter(({ isRequired }) => isRequired);
}

/** What an environment requires, and before it what its interface requires for all environments. */
export function requiredOf(catalogue: Catalogue, pair: AnyPair): Variable[] {
  const shared = variablesAt(catalogue, `interfaces.${pair.interface}.tokenUrl`);
  return [...shared.filter(({ isRequired }) => isRequired), ...requiredOfPair(catalogue, pair)];
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
  const hasOther = configured.some(({ interface: name }) => name === pair.interface);
  const missing = hasOther ? requiredOfPair(catalogue, pair) : requiredOf(catalogue, pair);
  const message = `is missing: ${pairName(pair)} was used, but is not configured.`;
  const problems = missing.map(({ path, name }) => Object.freeze({ path, env: name, message }));
  return new ProviderAuthConfigError('NOT_CONFIGURED', problems, catalogue.name);
}
