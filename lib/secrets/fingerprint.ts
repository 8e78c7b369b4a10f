import { createHash } from 'node:crypto';

/** Identifies a token in logs and metrics without revealing it: the first 16 hexadecimal digits of its SHA-256. */
export function fingerprintOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}
