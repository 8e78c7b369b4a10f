import type { Secret } from './secret.js';

/**
 * Where a client secret comes from. It is read again for each token request, so that a rotated secret needs no restart
 * (B8); a source that cannot give one rejects.
 */
export interface SecretSource {
  read(): Promise<Secret>;
}
