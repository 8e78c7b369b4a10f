import type { Secret } from './secret.js';

/**
 * Where a client secret comes from. The secret is read again for each token request, so that a rotated secret needs no
 * restart (B8). If the secret cannot be read, `read` rejects.
 */
export interface SecretSource {
  /** The number of characters of the secret, if the module read the secret at boot. */
  readonly lengthAtBoot?: number | undefined;
  read(): Promise<Secret>;
}
