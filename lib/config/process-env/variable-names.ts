import {
  PROVIDER_CATALOGUE,
  PROVIDER_INTERFACES,
  PROVIDER_PAIRS,
  type ProviderInterface,
  type ProviderPair,
} from '../../catalogue/provider-catalogue.js';

const PREFIX = 'PROVIDER';

/** A setting with its two names. Both follow from the catalogue. */
export interface Setting {
  /** `baseUrl` */
  readonly member: string;
  /** `interfaces.easy.sandbox.baseUrl` */
  readonly path: string;
  /** `PROVIDER_EASY_SANDBOX_BASE_URL` */
  readonly variable: string;
}

export const ENVIRONMENT_SETTING: Setting = {
  member: 'environment',
  path: 'environment',
  variable: `${PREFIX}_ENVIRONMENT`,
};

export const TOKEN_AT_BOOT_SETTING: Setting = {
  member: 'atBoot',
  path: 'token.atBoot',
  variable: `${PREFIX}_TOKEN_AT_BOOT`,
};

/** The setting that overrides `PROVIDER_ENVIRONMENT` for one interface. */
export function environmentSettingOf(name: ProviderInterface): Setting {
  return {
    member: name,
    path: `environment.${name}`,
    variable: `${PREFIX}_${capitals(name)}_ENVIRONMENT`,
  };
}

/** The settings of an interface outside its environments: a token URL that all environments share (S4). */
export function settingsBesideEnvironments(name: ProviderInterface): Setting[] {
  return sharesTokenUrl(name) ? [setting([name], 'tokenUrl')] : [];
}

/** The settings of one environment. */
export function settingsOfEnvironment({ interface: name, environment }: ProviderPair): Setting[] {
  const members = ['baseUrl', 'clientId', 'clientSecret'];
  return (sharesTokenUrl(name) ? members : ['tokenUrl', ...members]).map((member) =>
    setting([name, environment], member),
  );
}

/** The PEM files of an environment, all of them optional: `PROVIDER_EASY_SANDBOX_CA_FILE`. */
export function tlsSettingsOf({ interface: name, environment }: ProviderPair): Setting[] {
  return ['ca', 'cert', 'key'].map((member) => ({
    member,
    path: setting([name, environment, 'tls'], member).path,
    variable: fileVariableOf(setting([name, environment], member)),
  }));
}

/** All settings that one interface needs in one environment. */
export function settingsOf(pair: ProviderPair): Setting[] {
  return [...settingsBesideEnvironments(pair.interface), ...settingsOfEnvironment(pair)];
}

/** The variable for the file of a secret: `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE`. */
export function fileVariableOf(secret: Pick<Setting, 'variable'>): string {
  return `${secret.variable}_FILE`;
}

/** Every variable of this module. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set(
  [
    ENVIRONMENT_SETTING,
    TOKEN_AT_BOOT_SETTING,
    ...PROVIDER_INTERFACES.flatMap((name) => [
      environmentSettingOf(name),
      ...settingsBesideEnvironments(name),
    ]),
    ...PROVIDER_PAIRS.flatMap((pair) => [...settingsOfEnvironment(pair), ...tlsSettingsOf(pair)]),
  ].flatMap((known) =>
    known.member === 'clientSecret' ? [known.variable, fileVariableOf(known)] : [known.variable],
  ),
);

/** `clientSecret` as in variables: `CLIENT_SECRET`. */
export function capitals(member: string): string {
  return member.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

function sharesTokenUrl(name: ProviderInterface): boolean {
  return PROVIDER_CATALOGUE[name].tokenUrlPer === 'interface';
}

function setting(place: readonly string[], member: string): Setting {
  return {
    member,
    path: ['interfaces', ...place, member].join('.'),
    variable: [PREFIX, ...place.map(capitals), capitals(member)].join('_'),
  };
}
