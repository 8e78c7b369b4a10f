import type { ProviderPair } from '../catalogue/provider-catalogue.js';

/** The settings of a pair that hold an address. */
export type AddressSetting = 'tokenUrl' | 'baseUrl';

/**
 * What the settings of a pair are called where their values came from: the environment variable (of a secret file: the
 * variable that names the file), or the path of the option. A remedy names these, never a value (C4, S10).
 */
export type SettingNames = Readonly<Record<AddressSetting | 'clientId' | 'clientSecret', string>>;

/** A pair, and what its settings are called: all that a remedy says of a configuration. */
export interface NamedPair extends ProviderPair {
  readonly names: SettingNames;
}
