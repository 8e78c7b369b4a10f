import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { signingInput } from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';

/** The public key that verifies the tokens, as a JSON Web Key (RFC 7517). */
export type SimulatorPublicKey = Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'alg' | 'use', string>;

/** Signs tokens in the form of RFC 9068. Each signer has its own key. */
export class TokenSigner {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #keyId = randomUUID();

  /** A JWS in compact form (RFC 7515 section 3.1). */
  sign(claims: object): string {
    const header = { alg: 'ES256', typ: 'at+jwt', kid: this.#keyId };
    const content = signingInput(header, claims);
    // RFC 7518 section 3.4: the two numbers one after the other, not in DER.
    const key = { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${content}.${sign('sha256', unpooledText(content), key).toString('base64url')}`;
  }

  /** One key: the key of this signer. */
  jwks(): { keys: SimulatorPublicKey[] } {
    const { kty = '', crv = '', x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return { keys: [{ kty, crv, x, y, kid: this.#keyId, alg: 'ES256', use: 'sig' }] };
  }
}
