import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type ClientAuth, isOfBuiltIn } from '../../catalogue/catalogue.js';
import { certificatesIn } from '../../secrets/pem-rules.js';
import type { Profile } from '../../config/options/profile.js';
import type { StoreAnswer } from '../../config/options/token-store.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { AccessToken } from '../../secrets/access-token.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledConcat, unpooledText } from '../../secrets/unpooled-buffer.js';
import type { Deadline } from '../../time/clock.js';
import { safely } from '../../values/safely.js';

/** Processes with another version of the protocol use other places. */
const VERSION = 2;
/** The clocks of two servers of a store never agree exactly. */
const LARGEST_DRIFT_MS = 1_000;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A token as it was read from the store. All moments are by the store's clock. */
export interface StoredToken {
  readonly token: AccessToken;
  readonly value: string;
  readonly obtainedAt: number;
  readonly readAt: number;
}

/** What sealed texts contain. The kind is authenticated, so that no kind can stand for another. */
interface Sealed {
  token: { token: string; lifetimeMs: number; obtainedAt: number; endsAt: number };
  /** Since when the token endpoint has failed, and until when no process should ask it. */
  failure: { since: number; endsAt: number };
}

type Kind = keyof Sealed;

type FleetProfile = Pick<Profile, 'tokenUrl' | 'clientId'> &
  Partial<Pick<Profile, 'provider' | 'interface' | 'environment' | 'terms' | 'credential' | 'account'>>;

/** A client without a private key or a secret, and what a token of this client is bound to. */
type KeylessClient = readonly [way: ClientAuth, ...boundTo: string[]];

/**
 * The place in a store where a fleet keeps its token, its lease and its note for one token URL, client id and client secret (S5).
 *
 * Name and key are made from the client secret: a process that can open an entry could request a token anyway. The name is a keyed
 * digest: it shows neither the client id nor the secret. A new secret has a new place. A client without a secret or a private key
 * seals with the store's `sealKey`. Many clients may share that key, so the identity also names the client.
 */
export class FleetPlace {
  readonly name: string;
  readonly #key: Buffer;

  /**
   * The place of a token that is requested with this credential.
   *
   * @param sealKey for a client without a secret or a private key.
   * @returns undefined if there is no `sealKey`, or if the assertion does not say whose it is.
   */
  static of(pair: FleetProfile, credential: ClientCredential, sealKey?: Secret): FleetPlace | undefined {
    // An account has its own client id.
    const profile = credential.clientId ? { ...pair, clientId: credential.clientId } : pair;
    if (hasOwnKey(profile)) return new FleetPlace(profile, credential);
    const client = profile.credential === 'certificate' ? ofCertificate(credential) : ofAssertion(credential);
    return client && sealKey && new FleetPlace(profile, sealKey, client);
  }

  constructor(profile: FleetProfile, secret: Secret, client?: KeylessClient) {
    const { tokenUrl, clientId } = profile;
    const identity = JSON.stringify([tokenUrl, clientId?.reveal(), ownersOf(profile), client]);
    // Node would copy a text into memory that buffers share.
    const bytes = unpooledText(secret.reveal());
    this.name = `v${VERSION}-${createHmac('sha256', bytes).update(identity).digest('base64url')}`;
    this.#key = Buffer.from(hkdfSync('sha256', bytes, this.name, 'provider-auth entry', KEY_BYTES));
  }

  sealToken(token: AccessToken, { obtainedAt, endsAt }: { obtainedAt: number; endsAt: number }): string {
    return this.seal('token', { token: token.reveal(), lifetimeMs: token.lifetimeMs, obtainedAt, endsAt });
  }

  /**
   * Undefined if this library did not seal this token here.
   *
   * @param askedAt the moment before the claim was sent. The lifetime counts from this moment (S11).
   */
  openToken(
    { value, now, expiresAt }: Omit<Extract<StoreAnswer, { state: 'found' }>, 'state'>,
    askedAt: Deadline,
  ): StoredToken | undefined {
    const content = this.open('token', value);
    // A token from the future: the store's clock was set back, and the age of the token is unknown.
    if (content === undefined || content.obtainedAt > now + LARGEST_DRIFT_MS) return undefined;
    const { lifetimeMs, endsAt, obtainedAt } = content;
    // A writer of the store can change the end that the store returns, but not the sealed end.
    const remainingMs = Math.min(expiresAt, endsAt) - now;
    const deadline = askedAt.plus(Math.min(remainingMs, lifetimeMs));
    const token = new AccessToken(content.token, { deadline, lifetimeMs, origin: 'store' });
    return { token, value, obtainedAt, readAt: now };
  }

  /** Nonce, ciphertext and tag, as text. The name is authenticated: under another name the text does not open. */
  seal<K extends Kind>(kind: K, content: Sealed[K]): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#boundTo(kind));
    const sealed = [cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat([nonce, ...sealed]).toString('base64url');
  }

  /** Undefined if the text was changed, moved, cut, or not sealed with this secret. */
  open<K extends Kind>(kind: K, value: string): Sealed[K] | undefined {
    const bytes = Buffer.from(value, 'base64url');
    // Node ignores wrong characters in base64. An entry of ours is equal in each character.
    if (bytes.toString('base64url') !== value) return undefined;
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(this.#boundTo(kind));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return JSON.parse(unpooledConcat(content).toString()) as Sealed[K];
    } catch {
      return undefined;
    }
  }

  #boundTo(kind: Kind): Buffer {
    return Buffer.from(`${kind} ${this.name}`);
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
  const [leaf] = safely(() => certificatesIn(pem.reveal()), []);
  return leaf && ['tls_client_auth', leaf.fingerprint256];
}

/**
 * Two interfaces of another provider may have the same client at the same token URL, and get different tokens. So the pair and
 * the token request belong to the identity. Two accounts with the same credentials have two entries. The built-in provider keeps its
 * interfaces and environments apart by token URL and client id, and its accounts by name.
 */
function ownersOf(profile: FleetProfile): readonly unknown[] {
  const { provider, interface: name, environment, terms, account } = profile;
  if (isOfBuiltIn(profile)) return account === undefined ? [] : [name, environment, account];
  const { scope, audience, resource, grantType, params } = terms ?? {};
  const sortedParams = Object.entries(params ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [provider, name, environment, scope, audience, resource, account, grantType, sortedParams];
}
