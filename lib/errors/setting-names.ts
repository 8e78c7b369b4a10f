import type { AnyPair, InterfaceTerms } from '../catalogue/catalogue.js';

export type AddressSetting = 'tokenUrl' | 'baseUrl';

/**
 * The names of the settings of a pair: environment variables, or paths of options. `clientSecret` is what the client has instead
 * of a secret, if it has none: its private key, its assertion or its TLS certificate.
 */
export type SettingNames = Readonly<
  Record<AddressSetting | 'ca' | 'cert' | 'key' | 'clientId' | 'clientSecret', string> & {
    /** Undefined if the client authenticates without a private key. */
    keyId?: string | undefined;
    /** Undefined if assertions name no certificate. */
    clientCertificate?: string | undefined;
    /** Undefined if assertions are not for the issuer. */
    issuer?: string | undefined;
  }
>;

export function credentialName({ credential = 'secret' }: Pick<NamedPair, 'credential'>): string {
  return `client ${credential}`;
}

/** The last two are no secret of the client: another system has signed an assertion, and a certificate is public. */
export type CredentialKind = 'secret' | 'key' | 'assertion' | 'certificate';

/** A pair and the names of its settings. Advice says no more about a configuration. */
export interface NamedPair extends AnyPair {
  readonly names: SettingNames;
  /** What the client authenticates with. @default 'secret' */
  readonly credential?: CredentialKind | undefined;
  /** The certificates of the pair. `endsAt` is the end of the client certificate, if there is one. */
  readonly tls?: { readonly endsAt?: Date | undefined } | undefined;
  /** What the catalogue says about the interface. Undefined for the provider's document (S2). */
  readonly terms?: InterfaceTerms | undefined;
  /** The provider's own number of an error. It says what is wrong, so advice does not guess. */
  readonly providerCode?: string | undefined;
  readonly sameSecretAs?: string | undefined;
}

/** Whether the credential itself seals the stored tokens of a client. */
export function hasOwnKey({ credential = 'secret' }: Pick<NamedPair, 'credential'>): boolean {
  return credential === 'secret' || credential === 'key';
}
