import type { AnyPair } from '../catalogue/catalogue.js';

/** The settings of a pair that hold an address. */
export type AddressSetting = 'tokenUrl' | 'baseUrl';

/** The settings of a pair that hold certificates and a key. */
export type TlsSetting = 'ca' | 'cert' | 'key';

/**
 * The names of the settings of a pair: environment variables, or paths of options. For a secret in a file it is the
 * variable that names the file. Advice contains these names and never a value (C4, S10).
 */
export type SettingNames = Readonly<
  Record<AddressSetting | TlsSetting | 'clientId' | 'clientSecret', string>
>;

/** A pair and the names of its settings. Advice says no more about a configuration. */
export interface NamedPair extends AnyPair {
  readonly names: SettingNames;
  /** The setting of another environment that holds the same client secret. */
  readonly sameSecretAs?: string | undefined;
}
