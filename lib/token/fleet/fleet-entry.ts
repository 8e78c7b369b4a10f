import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Profile } from '../../config/options/profile.js';
import type { Secret } from '../../secrets/secret.js';

/** What a sealed text is: one kind is never taken for the other. */
type Kind = 'token' | 'lease' | 'failure';

const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/**
 * The place in a store where a fleet keeps the token of one token URL, client id and client secret (S5): its name, and
 * the seal of what lies there (B11).
 *
 * Both are made from the client secret, so there is no further key to manage: who can open an entry could ask for a
 * token anyway. A name is a keyed digest: it tells neither client id nor secret, and a new secret is a new place.
 */
export class FleetEntry {
  readonly name: string;
  readonly #key: Buffer;

  constructor(profile: Pick<Profile, 'tokenUrl' | 'clientId'>, secret: Secret) {
    const identity = JSON.stringify([VERSION, profile.tokenUrl, profile.clientId.reveal()]);
    this.name = createHmac('sha256', secret.reveal()).update(identity).digest('base64url');
    this.#key = Buffer.from(
      hkdfSync('sha256', secret.reveal(), this.name, `provider-auth entry ${VERSION}`, KEY_BYTES),
    );
  }

  /** Version, nonce, ciphertext and tag, as text. The name is authenticated with it: moved elsewhere it does not open. */
  seal(kind: Kind, content: object): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#boundTo(kind));
    const sealed = [cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat([Buffer.of(VERSION), nonce, ...sealed]).toString('base64url');
  }

  /**
   * The members of what was sealed, each to be checked: another version of this library may have written it. Undefined
   * where it was altered, moved, cut short, sealed under another secret, or never sealed by us.
   */
  open(kind: Kind, value: string): ReadonlyMap<string, unknown> | undefined {
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined;
    // Reading base64 forgives much; an entry is ours to the letter or it is not ours.
    if (bytes.toString('base64url') !== value) return undefined;
    try {
      const nonce = bytes.subarray(1, HEAD_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(this.#boundTo(kind));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = [decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()];
      const sealed: unknown = JSON.parse(Buffer.concat(content).toString());
      return new Map(Object.entries(sealed ?? {}));
    } catch {
      return undefined;
    }
  }

  #boundTo(kind: Kind): Buffer {
    return Buffer.from(`${VERSION} ${kind} ${this.name}`);
  }
}
