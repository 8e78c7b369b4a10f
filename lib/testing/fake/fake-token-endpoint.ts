import { type AnyPair, interfaceName } from '../../catalogue/catalogue.js';
import { AccessToken } from '../../secrets/access-token.js';
import { systemClock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import type { TokenRequests } from '../../token/endpoint/token-endpoint.js';

const LIFETIME_MS = 3_600_000;

/**
 * Returns `fake-easy-sandbox-1`, then `-2`, and so on, without a request. For a provider of the application the name begins the
 * pair: `fake-warehouse-stock-test-1`. It replaces only the token endpoint: the module
 * itself caches tokens, lets them expire and renews them.
 */
export class FakeTokenEndpoint implements TokenRequests {
  /** @param issued how many tokens with the same name there are: those of other scopes have the name of their pair, too. */
  constructor(
    private readonly pair: AnyPair,
    private readonly issued: Map<string, number>,
  ) {}

  request(): Promise<AccessToken> {
    const { environment, account } = this.pair;
    const names = [interfaceName(this.pair, ' '), environment, account].filter((name) => name !== undefined);
    // An account may have any name, and a header may not.
    const name = names.join('-').replaceAll(/[^\w.~+/-]/g, '-');
    const number = (this.issued.get(name) ?? 0) + 1;
    this.issued.set(name, number);
    const deadline = Deadline.after(systemClock, LIFETIME_MS);
    return Promise.resolve(new AccessToken(`fake-${name}-${number}`, { deadline, lifetimeMs: LIFETIME_MS }));
  }
}
