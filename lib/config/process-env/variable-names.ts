import { type AnyPair, type Catalogue, capitals } from '../../catalogue/catalogue.js';
import { needOf, type Place, type Setting, type Settings } from '../table/setting.js';
import { SETTINGS } from '../table/settings.js';

/** A setting of the table in its place, with its variables. Both names follow from the table and the catalogue. */
export interface PlacedSetting {
  /** The row of the table. */
  readonly setting: Setting;
  /** `baseUrl` */
  readonly member: string;
  /** `interfaces.easy.sandbox.baseUrl` */
  readonly path: string;
  /** `PROVIDER_EASY_SANDBOX_BASE_URL`. Names a file if the value of the setting is always in a file. */
  readonly variable: string;
  /** The variable that may name a file instead: `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE`. */
  readonly fileVariable: string | undefined;
  readonly isRequired: boolean;
}

/** The settings of these rows that have variables. `words` come before the name of a setting in its variables. */
function placed(
  place: Place,
  rows: Settings,
  path: readonly string[],
  words: readonly string[],
): PlacedSetting[] {
  return Object.entries(rows).flatMap(([member, setting]) => {
    const need = needOf(setting, place);
    if (need === 'absent' || (setting.variable ?? setting.file) === undefined) return [];
    const variable = [place.catalogue.name, ...words, member].map(capitals).join('_');
    const file = setting.file && `${variable}_FILE`;
    return {
      setting,
      member,
      path: [...path, member].join('.'),
      variable: setting.variable === undefined && file !== undefined ? file : variable,
      fileVariable: setting.variable === undefined ? undefined : file,
      isRequired: need === 'required',
    };
  });
}

/** The environment that the plain injections use. */
export function environmentSetting(catalogue: Catalogue): PlacedSetting {
  const { environment } = SETTINGS.options;
  const [setting] = placed({ catalogue }, { environment }, [], []);
  if (setting === undefined) throw new TypeError('The setting environment has a variable.');
  return setting;
}

/** The setting that overrides the environment for one interface: `PROVIDER_EASY_ENVIRONMENT`. */
export function environmentSettingOf(catalogue: Catalogue, name: string): PlacedSetting {
  const setting = environmentSetting(catalogue);
  const variable = [catalogue.name, name, setting.member].map(capitals).join('_');
  return { ...setting, member: name, path: `${setting.path}.${name}`, variable, isRequired: false };
}

/** The settings of `token` or `http` that have variables. */
export function settingsOfSection(catalogue: Catalogue, section: 'token' | 'http'): PlacedSetting[] {
  return placed({ catalogue }, SETTINGS[section], [section], [section]);
}

/** The settings of an interface outside its environments: a token URL that all environments share (S4). */
export function settingsBesideEnvironments(catalogue: Catalogue, name: string): PlacedSetting[] {
  return placed({ catalogue, interface: name }, SETTINGS.interface, ['interfaces', name], [name]);
}

/** The settings of one environment, without those of `tls`. */
export function settingsInEnvironment(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  const words = [pair.interface, pair.environment];
  return placed(
    { catalogue, interface: pair.interface },
    SETTINGS.environment,
    ['interfaces', ...words],
    words,
  );
}

/** The PEM files of an environment: `PROVIDER_EASY_SANDBOX_CA_FILE`. */
export function tlsSettingsOf(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  const words = [pair.interface, pair.environment];
  return placed(
    { catalogue, interface: pair.interface },
    SETTINGS.tls,
    ['interfaces', ...words, 'tls'],
    words,
  );
}

/** The settings that one environment needs. */
export function settingsOfEnvironment(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  return settingsInEnvironment(catalogue, pair).filter(({ isRequired }) => isRequired);
}

/** All settings that one interface needs in one environment. */
export function settingsOf(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  return [
    ...settingsBesideEnvironments(catalogue, pair.interface),
    ...settingsOfEnvironment(catalogue, pair),
  ];
}

/** Every setting of a provider that has a variable. */
export function variableSettingsOf(catalogue: Catalogue): PlacedSetting[] {
  return [
    environmentSetting(catalogue),
    ...settingsOfSection(catalogue, 'token'),
    ...settingsOfSection(catalogue, 'http'),
    ...catalogue.interfaces.flatMap((name) => [
      environmentSettingOf(catalogue, name),
      ...settingsBesideEnvironments(catalogue, name),
    ]),
    ...catalogue.pairs.flatMap((pair) => [
      ...settingsInEnvironment(catalogue, pair),
      ...tlsSettingsOf(catalogue, pair),
    ]),
  ];
}

/** The variables of each catalogue. Many questions are asked about them, and an application may have hundreds of providers. */
const variables = new WeakMap<Catalogue, readonly string[]>();

/** Every variable of a provider. A name that two settings have is in the list twice. */
export function variablesOf(catalogue: Catalogue): readonly string[] {
  const known = variables.get(catalogue);
  if (known !== undefined) return known;
  const all = variableSettingsOf(catalogue).flatMap(({ variable, fileVariable }) =>
    fileVariable === undefined ? [variable] : [variable, fileVariable],
  );
  variables.set(catalogue, all);
  return all;
}
