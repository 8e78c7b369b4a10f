import { type AnyPair, type Catalogue, capitals } from '../../catalogue/catalogue.js';
import { oncePer } from '../../values/once-per.js';
import { EnvironmentOptions, InterfaceSettings } from '../options/environment-options.js';
import { RootOptions } from '../options/provider-auth-options.js';
import { type Need, needOf, type OptionsClass, declaredIn, type SettingTraits } from '../setting.js';

/** A setting in its place, with its variables. */
export interface PlacedSetting {
  readonly setting: SettingTraits;
  /** The class that declares the setting. */
  readonly owner: OptionsClass;
  /** `baseUrl` */
  readonly member: string;
  /** `interfaces.easy.sandbox.baseUrl` */
  readonly path: string;
  readonly need: Need;
  /** `PROVIDER_EASY_SANDBOX_BASE_URL`, or of a file: `PROVIDER_EASY_SANDBOX_CA_FILE`. Undefined if there is no variable. */
  readonly variable: string | undefined;
  /** The variable that may name a file instead: `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE`. */
  readonly fileVariable: string | undefined;
}

/**
 * Every setting of a provider in the order of the options, also settings that an interface of this kind does not have. Made once,
 * because many questions are asked about them, and an application may have hundreds of providers.
 */
export const placedSettings = oncePer((catalogue: Catalogue): readonly PlacedSetting[] => {
  const { interfaces, environments } = catalogue;
  const placed = (owner: OptionsClass, holder: string, of?: string): PlacedSetting[] =>
    [...declaredIn(owner)].flatMap(([member, setting]) => {
      const path = holder === '' ? member : `${holder}.${member}`;
      const need = needOf(setting, { catalogue, ...(of !== undefined && { interface: of }) });
      const own = { setting, owner, member, path, need, ...variablesAt(catalogue, path, setting) };
      return [own, ...(setting.members ? placed(setting.members, path, of) : [])];
    });
  const choices = (environment: PlacedSetting): PlacedSetting[] =>
    interfaces.map((of) => {
      const path = `environment.${of}`;
      return { ...environment, path, need: 'optional', ...variablesAt(catalogue, path, environment.setting) };
    });
  const inInterfaces = interfaces.flatMap((of) => [
    ...placed(InterfaceSettings, `interfaces.${of}`, of),
    ...environments.flatMap((name) => placed(EnvironmentOptions, `interfaces.${of}.${name}`, of)),
  ]);
  return placed(RootOptions, '').flatMap((one) => {
    if (one.path === 'environment') return [one, ...choices(one)];
    return one.path === 'interfaces' ? [one, ...inInterfaces] : [one];
  });
});

/** The names follow from the path: `environment.easy` is `PROVIDER_EASY_ENVIRONMENT`, and `…tls.ca` is `…_CA_FILE`. */
function variablesAt({ name }: Catalogue, path: string, { variable, file }: SettingTraits) {
  const parts = path.replace(/^environment\.(.+)$/, '$1.environment').split('.');
  const words = [name, ...parts.filter((part) => part !== 'interfaces' && part !== 'tls')];
  const text = words.map(capitals).join('_');
  const ofFile = file && `${text}_FILE`;
  return variable === undefined
    ? { variable: ofFile, fileVariable: undefined }
    : { variable: text, fileVariable: ofFile };
}

export const variableSettingsOf = oncePer((catalogue: Catalogue) =>
  placedSettings(catalogue).flatMap((one) => {
    const { variable } = one;
    return variable === undefined ? [] : [{ ...one, variable }];
  }),
);

type VariableSetting = ReturnType<typeof variableSettingsOf>[number];

/** Every variable of a provider. A name that two settings have is in the list twice. */
export const variablesOf = oncePer((catalogue: Catalogue): readonly string[] =>
  variableSettingsOf(catalogue).flatMap(({ need, variable, fileVariable }) =>
    need === 'absent' ? [] : [variable, fileVariable ?? []].flat(),
  ),
);

/** The settings of one environment, with those of its certificates, also settings that it does not have. */
export function settingsOfPair(
  catalogue: Catalogue,
  { interface: of, environment }: AnyPair,
): VariableSetting[] {
  const start = `interfaces.${of}.${environment}.`;
  return variableSettingsOf(catalogue).filter(({ path }) => path.startsWith(start));
}

export function settingsOfEnvironment(catalogue: Catalogue, pair: AnyPair): VariableSetting[] {
  return settingsOfPair(catalogue, pair).filter(({ need }) => need === 'required');
}

/** What an environment requires, and before it what its interface requires for all environments. */
export function settingsOf(catalogue: Catalogue, pair: AnyPair): VariableSetting[] {
  const shared = variableSettingsOf(catalogue).filter(
    ({ path, need }) => path === `interfaces.${pair.interface}.tokenUrl` && need === 'required',
  );
  return [...shared, ...settingsOfEnvironment(catalogue, pair)];
}
