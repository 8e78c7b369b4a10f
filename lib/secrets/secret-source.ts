import type { ClientCredential } from './client-credential.js';

/**
 * Where a client secret comes from. The secret is read again for each token request, so that a rotated secret needs no
 * restart (B8). If the secret cannot be read, `read` rejects.
 */
export interface SecretSource {
  /** The secret that was read last, if the module read one at boot. It may have been rotated since. */
  readonly atBoot?: ClientCredential | undefined;
  read(): Promise<ClientCredential>;
}
