import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import { AccessToken } from '../../secrets/access-token.js';
import { systemClock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { TokenRequests } from '../../token/endpoint/token-endpoint.js';

const LIFETIME_MS = 3_600_000;

/**
 * Gives `fake-easy-sandbox-1`, then `-2`, and so on, asking nobody. It stands where the provider's endpoint stands: keeping,
 * expiring and renewing tokens are the module's own doing.
 */
export class FakeTokenEndpoint implements TokenRequests {
  readonly #pair: ProviderPair;
  #issued = 0;

  constructor(pair: ProviderPair) {
    this.#pair = pair;
  }

  request(): Promise<AccessToken> {
    this.#issued += 1;
    const { interface: name, environment } = this.#pair;
    const deadline = Deadline.after(systemClock, LIFETIME_MS);
    return Promise.resolve(
      new AccessToken(`fake-${name}-${environment}-${this.#issued}`, { deadline, lifetimeMs: LIFETIME_MS }),
    );
  }
}
