import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A JWT with these claims, as another system signs it. */
export function signedAssertion(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
}
