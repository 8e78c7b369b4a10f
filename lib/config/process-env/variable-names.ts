import { type AnyPair, type Catalogue, capitals } from '../../catalogue/catalogue.js';
import { oncePer } from '../../values/once-per.js';
import { needOf, type Setting } from '../table/setting.js';
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

/**
 * The settings of one object of the table that have variables.
 *
 * @param words the names of the interface and the environment of the object. They are in its path and in its variables.
 */
export function settingsIn(
  catalogue: Catalogue,
  object: 'options' | 'token' | 'http' | 'interface' | 'environment' | 'tls',
  ...words: readonly string[]
): PlacedSetting[] {
  const [name] = words;
  const place = name === undefined ? { catalogue } : { catalogue, interface: name };
  const placed = settingPlacer(catalogue, object, words);
  return Object.entries<Setting>(SETTINGS[object]).flatMap(([member, setting]) => {
    const need = needOf(setting, place);
    if (need === 'absent' || (setting.variable ?? setting.file) === undefined) return [];
    return placed(member, need === 'required');
  });
}

/** Places the settings of one object, also a setting that this interface does not have. */
export function settingPlacer(
  catalogue: Catalogue,
  object: keyof typeof SETTINGS,
  words: readonly string[],
): (member: string, isRequired?: boolean) => PlacedSetting {
  const rows: Readonly<Record<string, Setting>> = SETTINGS[object];
  const section = object === 'token' || object === 'http' ? [object] : [];
  const inInterfaces = words.length === 0 ? [] : ['interfaces', ...words];
  const path = [...section, ...inInterfaces, ...(object === 'tls' ? ['tls'] : []), ''].join('.');
  const prefix = [catalogue.name, ...section, ...words, ''].map(capitals).join('_');
  return (member, isRequired = false) => {
    const setting = rows[member] ?? {};
    const variable = prefix + capitals(member);
    const file = setting.file && `${variable}_FILE`;
    return {
      setting,
      member,
      path: path + member,
      variable: setting.variable === undefined && file !== undefined ? file : variable,
      fileVariable: setting.variable === undefined ? undefined : file,
      isRequired,
    };
  };
}

/** The setting that overrides the environment for one interface: `PROVIDER_EASY_ENVIRONMENT`. */
export function overrideOf(catalogue: Catalogue, setting: PlacedSetting, name: string): PlacedSetting {
  const variable = [catalogue.name, name, setting.member].map(capitals).join('_');
  return { ...setting, member: name, path: `${setting.path}.${name}`, variable, isRequired: false };
}

/** The environment that the plain injections use. */
export function environmentSetting(catalogue: Catalogue): PlacedSetting {
  const setting = settingsIn(catalogue, 'options').find(({ member }) => member === 'environment');
  if (setting === undefined) throw new TypeError('The setting environment has a variable.');
  return setting;
}

/** The settings that one environment needs. */
export function settingsOfEnvironment(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  return (['environment', 'tls'] as const)
    .flatMap((object) => settingsIn(catalogue, object, pair.interface, pair.environment))
    .filter(({ isRequired }) => isRequired);
}

/** All settings that one interface needs in one environment. */
export function settingsOf(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  return [...settingsIn(catalogue, 'interface', pair.interface), ...settingsOfEnvironment(catalogue, pair)];
}

/** Every setting of a provider that has a variable. */
export function variableSettingsOf(catalogue: Catalogue): PlacedSetting[] {
  const environment = environmentSetting(catalogue);
  return [
    ...(['options', 'token', 'http'] as const).flatMap((object) => settingsIn(catalogue, object)),
    ...catalogue.interfaces.flatMap((name) => [
      overrideOf(catalogue, environment, name),
      ...settingsIn(catalogue, 'interface', name),
    ]),
    ...catalogue.pairs.flatMap((pair) =>
      (['environment', 'tls'] as const).flatMap((object) =>
        settingsIn(catalogue, object, pair.interface, pair.environment),
      ),
    ),
  ];
}

/**
 * Every variable of a provider. A name that two settings have is in the list twice. Made once, because many questions are
 * asked about them, and an application may have hundreds of providers.
 */
export const variablesOf = oncePer((catalogue: Catalogue): readonly string[] =>
  variableSettingsOf(catalogue).flatMap(({ variable, fileVariable }) =>
    fileVariable === undefined ? [variable] : [variable, fileVariable],
  ),
);
