import type { AnyPair } from '../catalogue/catalogue.js';

/** The settings of a pair that hold an address. */
export type AddressSetting = 'tokenUrl' | 'baseUrl';

/** The settings of a pair that hold certificates and a key. */
type TlsSetting = 'ca' | 'cert' | 'key';

/**
 * The names of the settings of a pair: environment variables, or paths of options. For a secret in a file it is the
 * variable that names the file. `clientSecret` is the private key, if the client has one instead of a secret. Advice contains these names and never a value (C4, S10).
 */
export type SettingNames = Readonly<
  Record<AddressSetting | TlsSetting | 'clientId' | 'clientSecret', string> & {
    /** Undefined if the client authenticates without a private key. */
    keyId?: string | undefined;
  }
>;

/** What a client authenticates with, in a message. */
export function credentialName({ credential }: Pick<NamedPair, 'credential'>): string {
  return credential === 'key' ? 'client key' : 'client secret';
}

/** A pair and the names of its settings. Advice says no more about a configuration. */
export interface NamedPair extends AnyPair {
  readonly names: SettingNames;
  /** What the client authenticates with. @default 'secret' */
  readonly credential?: 'secret' | 'key' | undefined;
  /** The setting of another environment that holds the same client secret. */
  readonly sameSecretAs?: string | undefined;
}
