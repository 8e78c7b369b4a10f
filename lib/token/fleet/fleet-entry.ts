import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type ClientAuth, isOfBuiltIn } from '../../catalogue/catalogue.js';
import { LONGEST_LIFETIME_MS, VISIBLE } from '../../catalogue/wire.js';
import { leafOf } from '../../config/rules/pem-rules.js';
import type { Profile } from '../../config/options/profile.js';
import type { StoreAnswer } from '../../config/options/token-store.js';
import { hasOwnKey } from '../../errors/setting-names.js';
import { AccessToken } from '../../secrets/access-token.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledConcat, unpooledText } from '../../secrets/unpooled-buffer.js';
import type { Deadline } from '../../time/deadline.js';
import { LONGEST_TOKEN } from '../endpoint/token-response.js';

/** How long a process that has not failed may keep the others from asking. */
export const LEASE_MS = 2_000;
/** The same after the others have waited for `LEASE_MS`, as long as the request of this process has not reached the endpoint. */
export const UNSENT_LEASE_MS = { shortest: 100, longest: 1_000 } as const;
/** The longest lease. Only a process that asks again in an outage has such a lease. */
export const LONGEST_LEASE_MS = 5_000;

/** A process counts on from the store's clock for hours, and two clocks never agree exactly. */
const LARGEST_DRIFT_MS = 1_000;

export type Found = Extract<StoreAnswer, { state: 'found' }>;

/** A token as it was read from the store. */
export interface StoredToken {
  readonly token: AccessToken;
  /** The sealed text. */
  readonly value: string;
  /** When the token was obtained; undefined in an entry of an older version. */
  readonly obtainedAt: number | undefined;
  /** When this process read it. */
  readonly readAt: number;
}

export interface Lease {
  readonly takenAt: number;
  readonly ms: number;
  /** Whether the request of its owner has reached the token endpoint. */
  readonly isSent?: true | undefined;
}

/** A failed renewal: since when the token endpoint has failed, and until when no process should ask it. */
export interface FailureNote {
  readonly since: number;
  readonly endsAt: number;
}

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
 * and the note about a failure (S5). This class makes the name of the place, and seals and opens the records (B11). All moments in
 * them are by the store's clock. The seal proves that the writer knows the client secret. The content is checked too, because
 * another version of this library may have written it.
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

  sealToken(token: AccessToken, { obtainedAt, endsAt }: { obtainedAt: number; endsAt: number }): string {
    const { lifetimeMs } = token;
    return this.seal('token', { token: token.reveal(), lifetimeMs, endsAt, storeObtainedAt: obtainedAt });
  }

  /**
   * Undefined if this entry does not hold a token that this library sealed.
   *
   * @param askedAt the moment before the claim was sent. The lifetime counts from this moment (S11).
   */
  openToken({ value, now, expiresAt }: Omit<Found, 'state'>, askedAt: Deadline): StoredToken | undefined {
    const content = this.open('token', value);
    const [token, lifetimeMs, endsAt, obtainedAt] = ['token', 'lifetimeMs', 'endsAt', 'storeObtainedAt'].map(
      (name) => content?.get(name),
    );
    if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !VISIBLE.test(token)) return undefined;
    if (!isTime(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > LONGEST_LIFETIME_MS || !isTime(endsAt))
      return undefined;
    // A writer of the store can change the end that the store returns, but not the sealed end (B11). Even if the store's clock
    // is wrong, no token lives longer than the token endpoint said.
    const remainingMs = Math.min(expiresAt, endsAt) - now;
    const deadline = askedAt.plus(Math.min(remainingMs, lifetimeMs));
    // The store's clock was set back, or another server with a slower clock took over: the age of the token is unknown.
    if (isTime(obtainedAt) && obtainedAt > now + LARGEST_DRIFT_MS) return undefined;
    return {
      token: new AccessToken(token, { deadline, lifetimeMs, origin: 'store' }),
      value,
      obtainedAt: isTime(obtainedAt) ? obtainedAt : undefined,
      readAt: now,
    };
  }

  /** The sealed text is also the name of the owner: each text has its own nonce, so no two texts are equal. */
  sealLease(lease: Lease): string {
    return this.seal('lease', lease);
  }

  /** Undefined if this library did not seal this lease. */
  openLease(holder: string): Lease | undefined {
    const content = this.open('lease', holder);
    const [takenAt, ms] = [content?.get('takenAt'), content?.get('ms')];
    const isSent = content?.get('isSent') === true || undefined;
    return isTime(takenAt) && isTime(ms)
      ? { takenAt, ms: Math.min(ms, LONGEST_LEASE_MS), isSent }
      : undefined;
  }

  sealNote({ since, endsAt }: FailureNote): string {
    return this.seal('failure', { since, endsAt });
  }

  /** Undefined if this library did not seal this note. */
  openNote(value: string): FailureNote | undefined {
    const content = this.open('failure', value);
    const [since, endsAt] = [content?.get('since'), content?.get('endsAt')];
    return isTime(since) && isTime(endsAt) ? { since, endsAt } : undefined;
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
    if (bytes[0] !== VERSION) return undefined;
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
