import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type ClientAuth, isOfBuiltIn } from '../../catalogue/catalogue.js';
import { LONGEST_LIFETIME_MS, VISIBLE } from '../../catalogue/wire.js';
import { leafOf } from '../../secrets/pem-rules.js';
import type { Profile } from '../../config/options/profile.js';
import type { StoreAnswer } from '../../config/options/token-store.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { AccessToken } from '../../secrets/access-token.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledConcat, unpooledText } from '../../secrets/unpooled-buffer.js';
import type { Deadline } from '../../time/clock.js';
import { LONGEST_TOKEN } from '../endpoint/token-response.js';

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

/** A failed renewal: since when the token endpoint has failed, and until when no process should ask it. */
export interface FailureNote {
  readonly since: number;
  readonly endsAt: number;
}

/** What a sealed text contains. The kind is authenticated, so that no kind can stand for another. */
type Kind = 'token' | 'failure';

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
    const { token, lifetimeMs, endsAt, obtainedAt } = this.open('token', value);
    if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !VISIBLE.test(token)) return undefined;
    if (!isTime(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > LONGEST_LIFETIME_MS) return undefined;
    // A token from the future: the store's clock was set back, and the age of the token is unknown.
    if (!isTime(endsAt) || !isTime(obtainedAt) || obtainedAt > now + LARGEST_DRIFT_MS) return undefined;
    // A writer of the store can change the end that the store returns, but not the sealed end.
    const remainingMs = Math.min(expiresAt, endsAt) - now;
    const deadline = askedAt.plus(Math.min(remainingMs, lifetimeMs));
    return {
      token: new AccessToken(token, { deadline, lifetimeMs, origin: 'store' }),
      value,
      obtainedAt,
      readAt: now,
    };
  }

  sealNote(note: FailureNote): string {
    return this.seal('failure', note);
  }

  /** Undefined if this library did not seal this note here. */
  openNote(value: string): FailureNote | undefined {
    const { since, endsAt } = this.open('failure', value);
    return isTime(since) && isTime(endsAt) ? { since, endsAt } : undefined;
  }

  /** Nonce, ciphertext and tag, as text. The name is authenticated: under another name the text does not open. */
  seal(kind: Kind, content: object): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#boundTo(kind));
    const sealed = [cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat([nonce, ...sealed]).toString('base64url');
  }

  /** The members of what was sealed, to be checked. None if the text was changed, moved, cut, or not sealed with this secret. */
  open(kind: Kind, value: string): Readonly<Record<string, unknown>> {
    const none = Object.create(null) as Record<string, unknown>;
    const bytes = Buffer.from(value, 'base64url');
    // Node ignores wrong characters in base64. An entry of ours is equal in each character.
    if (bytes.toString('base64url') !== value) return none;
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(this.#boundTo(kind));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Object.assign(none, JSON.parse(unpooledConcat(content).toString()) as object);
    } catch {
      return none;
    }
  }

  #boundTo(kind: Kind): Buffer {
    return Buffer.from(`${kind} ${this.name}`);
  }
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value);
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
