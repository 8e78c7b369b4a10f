import { createPrivateKey, KeyObject } from 'node:crypto';
import { signingAlgorithm } from '../../secrets/signing-key.js';
import { safely } from '../../values/safely.js';
import { flawOfKey } from './pem-rules.js';
import { type Flaw, kindOf } from './text-rules.js';

/** What is wrong with the private key of a client, as a PEM text or as a `KeyObject`. */
export function flawOfClientKey(value: unknown): Flaw {
  if (value === undefined || value === '')
    return 'is missing. Set it to the private key of this environment, or to the file that holds it.';
  if (value instanceof KeyObject) {
    return value.type === 'private' ? flawOfAlgorithm(value) : `is a ${value.type} key. Set the private key.`;
  }
  if (typeof value !== 'string')
    return `must be a PEM text, a KeyObject or a function that gives one, not ${kindOf(value)}.`;
  const flaw = flawOfKey(value);
  if (flaw !== undefined) return flaw;
  const key = safely<KeyObject | undefined>(() => createPrivateKey(value), undefined);
  return key && flawOfAlgorithm(key);
}

function flawOfAlgorithm(key: KeyObject): Flaw {
  return signingAlgorithm(key) === undefined
    ? 'holds a private key that cannot sign client assertions. Use an RSA key of 2048 bits or more, or a key for P-256 or Ed25519.'
    : undefined;
}
