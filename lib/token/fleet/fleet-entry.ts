import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type ClientAuth, isOfBuiltIn } from '../../catalogue/catalogue.js';
import { leafOf } from '../../config/rules/pem-rules.js';
import type { Profile } from '../../config/options/profile.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledConcat, unpooledText } from '../../secrets/unpooled-buffer.js';

/** What a sealed text contains. The kind is authenticated, so that no kind can stand for another. */
type Kind = 'token' | 'lease' | 'failure';

const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

type FleetProfile = Pick<Profile, 'tokenUrl' | 'clientId'> &
  Partial<Pick<Profile, 'provider' | 'interface' | 'environment' | 'terms' | 'credential' | 'account'>>;

/** A client without a private key or a secret, and what a token of this client is bound to. */
type KeylessClient = readonly [way: ClientAuth, ...boundTo: string[]];

/**
 * The place in a store where a fleet keeps its records for one token URL, client id and client secret: the token, the lease
 * and the note about a failure (S5). This class makes the name of the place, and seals and opens the records (B11).
 *
 * The name and the key are made from the client secret: a process that can open an entry could request a token anyway. The name is
 * a keyed digest: it shows neither the client id nor the secret. A new secret has a new place. A client without a secret or a
 * private key seals with the store's `sealKey`. Many clients may share that key, so the identity also names the client (B32).
 */
export class FleetEntry {
  readonly name: string;
  readonly #key: Buffer;

  /**
   * The entry for a token that is requested with this credential.
   *
   * @param sealKey for a client without a secret or a private key.
   * @returns undefined if there is no `sealKey`, or if the assertion does not say whose it is.
   */
  static of(pair: FleetProfile, credential: ClientCredential, sealKey?: Secret): FleetEntry | undefined {
    // An account has its own client id.
    const profile = credential.clientId ? { ...pair, clientId: credential.clientId } : pair;
    if (hasOwnKey(profile)) return new FleetEntry(profile, credential);
    const client = profile.credential === 'certificate' ? ofCertificate(credential) : ofAssertion(credential);
    return client && sealKey && new FleetEntry(profile, sealKey, client);
  }

  constructor(profile: FleetProfile, secret: Secret, client?: KeylessClient) {
    const { tokenUrl, clientId } = profile;
    const owners = [...ownersOf(profile), ...(client ? [client] : [])];
    const identity = JSON.stringify([VERSION, tokenUrl, clientId?.reveal(), ...owners]);
    // Node would copy a text into memory that buffers share.
    const bytes = unpooledText(secret.reveal());
    this.name = createHmac('sha256', bytes).update(identity).digest('base64url');
    this.#key = Buffer.from(
      hkdfSync('sha256', bytes, this.name, `provider-auth entry ${VERSION}`, KEY_BYTES),
    );
  }

  /** Version, nonce, ciphertext and tag, as text. The name is authenticated: under another name the text does not open. */
  seal(kind: Kind, content: object): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#boundTo(kind));
    const sealed = [cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat([Buffer.of(VERSION), nonce, ...sealed]).toString('base64url');
  }

  /**
   * The members of what was sealed. Check each member: another version of this library may have written it. Undefined
   * if the text was changed, moved, cut, sealed with another secret, or not sealed by this library.
   */
  open(kind: Kind, value: string): ReadonlyMap<string, unknown> | undefined {
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined;
    // Node ignores wrong characters in base64. An entry of ours is equal in each character.
    if (bytes.toString('base64url') !== value) return undefined;
    try {
      const nonce = bytes.subarray(1, HEAD_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(this.#boundTo(kind));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = [decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()];
      const sealed: unknown = JSON.parse(unpooledConcat(content).toString());
      return new Map(Object.entries(sealed ?? {}));
    } catch {
      return undefined;
    }
  }

  #boundTo(kind: Kind): Buffer {
    return Buffer.from(`${VERSION} ${kind} ${this.name}`);
  }
}

function ofAssertion(assertion: Secret): KeylessClient | undefined {
  const { iss, sub } = claimsOf(assertion) ?? {};
  return typeof iss === 'string' && typeof sub === 'string' && iss && sub
    ? ['client_assertion', iss, sub]
    : undefined;
}

/** The token may be bound to the certificate, so another one of the same client has another place (RFC 8705 section 3). */
function ofCertificate(pem: Secret): KeylessClient | undefined {
  const leaf = leafOf(pem.reveal());
  return leaf && ['tls_client_auth', leaf.fingerprint256];
}

/**
 * Two interfaces of another provider may have the same client at the same token URL, and get different tokens. So the pair and
 * the token request belong to the identity. The built-in provider keeps its interfaces and environments apart by token URL and
 * client id, and shares entries with older versions.
 */
function ownersOf(profile: FleetProfile): unknown[] {
  const { provider, interface: name, environment, terms, account } = profile;
  // Two accounts with the same credentials have two entries (B33). No rule of the boot keeps their client ids of two pairs apart.
  const ofAccount = account === undefined ? [] : [{ account, interface: name, environment }];
  if (isOfBuiltIn(profile)) return ofAccount;
  const { scope, audience, resource, grantType, params } = terms ?? {};
  const owners = [provider, name, environment, scope, audience, resource, ...ofAccount];
  // Without these two (B31), a definition keeps the entries that older versions wrote.
  if (grantType === undefined && params === undefined) return owners;
  return [
    ...owners,
    grantType,
    Object.entries(params ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
}
