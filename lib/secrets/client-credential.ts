import type { SigningAlgorithm } from '../catalogue/catalogue.js';
import { withoutPrototype } from '../values/objects.js';
import { Secret } from './secret.js';

/** What changes together with a private key. */
type KeyFacts = Pick<ClientCredential, 'keyId' | 'kid' | 'algorithm' | 'certificate' | 'clientId'>;

/**
 * What a source gives for one token request: the client secret or the PEM text of the private key, and what changes together
 * with it. Two readings are equal if all of it is equal.
 */
export class ClientCredential extends Secret {
  /** The `kid` of client assertions. */
  readonly keyId?: string | undefined;
  /** The `kid` of a JWK: the key id, unless the settings have one. */
  readonly kid?: string | undefined;
  readonly algorithm?: SigningAlgorithm | undefined;
  /** The PEM text of the key's certificate. The authorities between it and the root may follow it. */
  readonly certificate?: string | undefined;
  /** Of an account. Undefined if the settings have the client id. */
  readonly clientId?: Secret | undefined;

  constructor(value: string, ...facts: readonly KeyFacts[]) {
    super(value);
    // A polluted prototype gives no fact.
    const own = withoutPrototype(...facts);
    this.keyId = own.keyId;
    this.kid = own.kid;
    this.algorithm = own.algorithm;
    this.certificate = own.certificate;
    this.clientId = own.clientId;
    Object.freeze(this);
  }

  override equals(other: ClientCredential): boolean {
    return (
      super.equals(other) &&
      this.keyId === other.keyId &&
      this.algorithm === other.algorithm &&
      this.certificate === other.certificate &&
      this.clientId?.reveal() === other.clientId?.reveal()
    );
  }
}

/** The same secret or key, with other facts. */
export function withFacts(credential: ClientCredential, facts: KeyFacts): ClientCredential {
  return new ClientCredential(credential.reveal(), credential, facts);
}
