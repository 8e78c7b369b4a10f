import { type AnyPair, type Catalogue, capitals } from '../../catalogue/catalogue.js';

/** A setting with its two names. Both follow from the catalogue. */
export interface Setting {
  /** `baseUrl` */
  readonly member: string;
  /** `interfaces.easy.sandbox.baseUrl` */
  readonly path: string;
  /** `PROVIDER_EASY_SANDBOX_BASE_URL` */
  readonly variable: string;
}

/** The environment that the plain injections use. */
export function environmentSetting({ name }: Pick<Catalogue, 'name'>): Setting {
  return { member: 'environment', path: 'environment', variable: `${capitals(name)}_ENVIRONMENT` };
}

export function tokenAtBootSetting({ name }: Pick<Catalogue, 'name'>): Setting {
  return { member: 'atBoot', path: 'token.atBoot', variable: `${capitals(name)}_TOKEN_AT_BOOT` };
}

/** The setting that overrides the environment for one interface: `PROVIDER_EASY_ENVIRONMENT`. */
export function environmentSettingOf(catalogue: Catalogue, name: string): Setting {
  return {
    member: name,
    path: `environment.${name}`,
    variable: variableOf(catalogue, [name], 'environment'),
  };
}

/** The settings of an interface outside its environments: a token URL that all environments share (S4). */
export function settingsBesideEnvironments(catalogue: Catalogue, name: string): Setting[] {
  return sharesTokenUrl(catalogue, name) ? [setting(catalogue, [name], 'tokenUrl')] : [];
}

/** The settings that one environment needs. A private key is always in a file: `WAREHOUSE_STOCK_TEST_CLIENT_KEY_FILE`. */
export function settingsOfEnvironment(
  catalogue: Catalogue,
  { interface: name, environment }: AnyPair,
): Setting[] {
  const members = ['baseUrl', 'clientId', hasClientKey(catalogue, name) ? 'clientKey' : 'clientSecret'];
  return (sharesTokenUrl(catalogue, name) ? members : ['tokenUrl', ...members]).map((member) =>
    setting(catalogue, [name, environment], member),
  );
}

/** The settings that one environment may have beside those that it needs. */
export function optionalSettingsOf(
  catalogue: Catalogue,
  { interface: name, environment }: AnyPair,
): Setting[] {
  return hasClientKey(catalogue, name) ? [setting(catalogue, [name, environment], 'keyId')] : [];
}

/** The PEM files of an environment, all of them optional: `PROVIDER_EASY_SANDBOX_CA_FILE`. */
export function tlsSettingsOf(catalogue: Catalogue, { interface: name, environment }: AnyPair): Setting[] {
  return ['ca', 'cert', 'key'].map((member) => ({
    member,
    path: setting(catalogue, [name, environment, 'tls'], member).path,
    variable: fileVariableOf(setting(catalogue, [name, environment], member)),
  }));
}

/** All settings that one interface needs in one environment. */
export function settingsOf(catalogue: Catalogue, pair: AnyPair): Setting[] {
  return [
    ...settingsBesideEnvironments(catalogue, pair.interface),
    ...settingsOfEnvironment(catalogue, pair),
  ];
}

/** The variable for the file of a secret: `PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE`. */
export function fileVariableOf(secret: Pick<Setting, 'variable'>): string {
  return `${secret.variable}_FILE`;
}

/** Every variable of a provider. A name that two settings have is in the list twice. */
export function variablesOf(catalogue: Catalogue): string[] {
  return [
    environmentSetting(catalogue),
    tokenAtBootSetting(catalogue),
    ...catalogue.interfaces.flatMap((name) => [
      environmentSettingOf(catalogue, name),
      ...settingsBesideEnvironments(catalogue, name),
    ]),
    ...catalogue.pairs.flatMap((pair) => [
      ...settingsOfEnvironment(catalogue, pair),
      ...optionalSettingsOf(catalogue, pair),
      ...tlsSettingsOf(catalogue, pair),
    ]),
  ].flatMap((known) =>
    known.member === 'clientSecret' ? [known.variable, fileVariableOf(known)] : [known.variable],
  );
}

function sharesTokenUrl(catalogue: Catalogue, name: string): boolean {
  return catalogue.entryOf(name).tokenUrlPer === 'interface';
}

function hasClientKey(catalogue: Catalogue, name: string): boolean {
  return catalogue.entryOf(name).clientAuth === 'private_key_jwt';
}

function setting(catalogue: Catalogue, place: readonly string[], member: string): Setting {
  const variable = variableOf(catalogue, place, member);
  return {
    member,
    path: ['interfaces', ...place, member].join('.'),
    variable: member === 'clientKey' ? fileVariableOf({ variable }) : variable,
  };
}

function variableOf({ name }: Catalogue, place: readonly string[], member: string): string {
  return [name, ...place, member].map(capitals).join('_');
}
