import type { Profile } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import type { Clock } from '../time/clock.js';
import { settledWithin, TooSlowError } from '../time/within.js';
import { secretSourceFailure } from './endpoint/token-failures.js';

/** Reads the client secret from its source, and remembers which secret the last token request used. */
export class CurrentSecret {
  #used: ClientCredential | undefined;

  constructor(
    private readonly profile: Profile,
    private readonly clock: Clock,
  ) {}

  /** The secret of the last token request. */
  get lastUsed(): ClientCredential | undefined {
    return this.#used;
  }

  /**
   * Rejects with `TokenRequestError`.
   *
   * @param signal ends the wait for a slow source.
   */
  async read(withinMs: number, isAgain = false, signal?: AbortSignal): Promise<ClientCredential> {
    try {
      // A source that throws is treated as a source that rejects. A source that needs this token itself must find its renewal,
      // which is known only after this turn, and wait for it.
      const asked = Promise.resolve().then(() => this.profile.clientSecret.read(isAgain));
      return await settledWithin(withinMs, asked, this.clock, signal);
    } catch (error) {
      const how = error instanceof TooSlowError ? 'slow' : 'failed';
      throw new TokenRequestError(this.profile, secretSourceFailure(how, this.profile, error));
    }
  }

  /** This secret is used for a token request. */
  use(secret: ClientCredential): ClientCredential {
    return (this.#used = secret);
  }

  /** Whether this is another secret than that of the last token request. */
  isChanged(secret: ClientCredential): boolean {
    return this.#used !== undefined && !secret.equals(this.#used);
  }
}
