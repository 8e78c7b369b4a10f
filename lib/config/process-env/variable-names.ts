import { type AnyPair, type Catalogue, capitals } from '../../catalogue/catalogue.js';
import { oncePer } from '../../values/once-per.js';
import { type Need, needOf, type Setting } from '../table/setting.js';
import { SETTINGS } from '../table/settings.js';

/** A setting of the table in its place, with its variables. Both names follow from the table and the catalogue. */
export interface PlacedSetting {
  readonly setting: Setting;
  /** `baseUrl` */
  readonly member: string;
  /** `interfaces.easy.sandbox.baseUrl` */
  readonly path: string;
  /** `PROVIDER_EASY_SANDBOX_BASE_URL`. Names a file if the value of the setting is always in a file. */
  readonly variable: string;
  /** The variable that may name a file instead: `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE`. */
  readonly fileVariable: string | undefined;
  readonly need: Need;
}

/**
 * The settings of one object of the table that have variables, also those that an interface of this kind does not have.
 *
 * @param words the names of the interface and the environment of the object.
 */
export function settingsIn(
  catalogue: Catalogue,
  object: 'options' | 'token' | 'http' | 'interface' | 'environment' | 'tls',
  ...words: readonly string[]
): PlacedSetting[] {
  const [of] = words;
  const place = of === undefined ? { catalogue } : { catalogue, interface: of };
  const section = object === 'token' || object === 'http' ? [object] : [];
  const path = [
    ...section,
    ...(of === undefined ? [] : ['interfaces', ...words]),
    ...(object === 'tls' ? [object] : []),
  ];
  return Object.entries<Setting>(SETTINGS[object]).flatMap(([member, setting]) => {
    if ((setting.variable ?? setting.file) === undefined) return [];
    const variable = [catalogue.name, ...section, ...words, member].map(capitals).join('_');
    const file = setting.file && `${variable}_FILE`;
    return {
      setting,
      member,
      path: [...path, member].join('.'),
      variable: setting.variable === undefined && file !== undefined ? file : variable,
      fileVariable: setting.variable === undefined ? undefined : file,
      need: needOf(setting, place),
    };
  });
}

/** The setting that overrides the environment for one interface: `PROVIDER_EASY_ENVIRONMENT`. */
export function overrideOf(catalogue: Catalogue, name: string): PlacedSetting {
  const common = environmentSetting(catalogue);
  const variable = [catalogue.name, name, common.member].map(capitals).join('_');
  return { ...common, member: name, path: `${common.path}.${name}`, variable, need: 'optional' };
}

export function environmentSetting(catalogue: Catalogue): PlacedSetting {
  const setting = settingsIn(catalogue, 'options').find(({ member }) => member === 'environment');
  if (setting === undefined) throw new TypeError('The setting environment has a variable.');
  return setting;
}

/** The settings of one environment, with those of its certificates. */
export function settingsOfPair(
  catalogue: Catalogue,
  { interface: of, environment }: AnyPair,
): PlacedSetting[] {
  return (['environment', 'tls'] as const).flatMap((object) =>
    settingsIn(catalogue, object, of, environment),
  );
}

export function settingsOfEnvironment(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  return settingsOfPair(catalogue, pair).filter(({ need }) => need === 'required');
}

export function settingsOf(catalogue: Catalogue, pair: AnyPair): PlacedSetting[] {
  const shared = settingsIn(catalogue, 'interface', pair.interface);
  return [...shared.filter(({ need }) => need === 'required'), ...settingsOfEnvironment(catalogue, pair)];
}

export function variableSettingsOf(catalogue: Catalogue): PlacedSetting[] {
  return [
    ...(['options', 'token', 'http'] as const).flatMap((object) => settingsIn(catalogue, object)),
    ...catalogue.interfaces.flatMap((name) => [
      overrideOf(catalogue, name),
      ...settingsIn(catalogue, 'interface', name),
    ]),
    ...catalogue.pairs.flatMap((pair) => settingsOfPair(catalogue, pair)),
  ].filter(({ need }) => need !== 'absent');
}

/**
 * Every variable of a provider. A name that two settings have is in the list twice. Made once, because many questions are
 * asked about them, and an application may have hundreds of providers.
 */
export const variablesOf = oncePer((catalogue: Catalogue): readonly string[] =>
  variableSettingsOf(catalogue).flatMap(({ variable, fileVariable }) =>
    [variable, fileVariable ?? []].flat(),
  ),
);
