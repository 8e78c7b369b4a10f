import { createECDH, createHash, createPrivateKey } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { SimulatorCredentials } from '../../testing/index.js';

/**
 * The same credentials at each start and in each folder, so that a restart of the simulator needs no restart of the
 * application. The secret contains characters that wrong form encoding breaks (S2), but none that an env file or a shell
 * treats specially, so the file works without quotes.
 */
export function fixedCredentials({ interface: name, environment, account }: AnyPair): SimulatorCredentials {
  const client = [name, environment, account].filter((part) => part !== undefined);
  const hash = createHash('sha256')
    .update(['provider-auth simulate', ...client].join(' '))
    .digest();
  const digest = hash.toString('hex');
  const parts = [digest.slice(0, 12), digest.slice(12, 24), digest.slice(24, 36), digest.slice(36, 48)];
  return {
    clientId: `${client.join('-')}-simulated`,
    clientSecret: parts.join('+%=').replace('=', '/'),
    clientKey: keyOf(hash),
  };
}

/** The private key with this number. Anyone can compute it: it is of no use outside of the simulator. */
function keyOf(number: Buffer): string {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(number);
  const point = curve.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: number.toString('base64url'),
    // The first byte says how the point is written. Two numbers of 32 bytes follow.
    x: point.toString('base64url', 1, 33),
    y: point.toString('base64url', 33),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' }).toString();
}
