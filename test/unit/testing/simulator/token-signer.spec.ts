import * as fc from 'fast-check';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { TokenSigner } from '../../../../lib/testing/simulator/token-signer.js';

const EXPECTED = { algorithms: ['ES256'], typ: 'at+jwt' };

describe('a signed token of the simulator', () => {
  const signer = new TokenSigner();

  it('B19: holds any claims, and jose accepts its signature', async () => {
    const claims = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(claims, async (extra) => {
        const sent = { extra: JSON.parse(JSON.stringify(extra)), sub: 'a client' };
        const token = signer.sign(sent);
        const { payload, protectedHeader } = await jwtVerify(
          token,
          createLocalJWKSet(signer.jwks()),
          EXPECTED,
        );
        expect(payload).toEqual(sent);
        expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: signer.jwks().keys[0]?.kid });
      }),
    );
  });

  it('B19: always has a signature of 64 bytes', () => {
    const lengths = Array.from({ length: 300 }, (_, jti) => {
      const [, , signature = ''] = signer.sign({ jti }).split('.');
      return Buffer.from(signature, 'base64url').length;
    });
    expect(new Set(lengths)).toEqual(new Set([64]));
  });

  it('B19: is refused by jose when one claim was changed, or when another simulator signed it', async () => {
    const keys = createLocalJWKSet(signer.jwks());
    const [header, , signature] = signer.sign({ sub: 'a client' }).split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'another client' })).toString('base64url');
    await expect(jwtVerify(`${header}.${forged}.${signature}`, keys, EXPECTED)).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
    const foreign = new TokenSigner().sign({ sub: 'a client' });
    await expect(jwtVerify(foreign, keys, EXPECTED)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
  });

  it('B19: shows only the public key', () => {
    const [key] = signer.jwks().keys;
    expect(Object.keys(key ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(decodeProtectedHeader(signer.sign({})).kid).toBe(key?.kid);
  });
});
