import type { Secret } from './secret.js';

/**
 * Where a client secret comes from. It is read for each token request, so that a rotated secret needs no restart (B8). A
 * source that has no secret rejects.
 */
export interface SecretSource {
  read(): Promise<Secret>;
}
