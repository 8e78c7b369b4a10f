import { AccessToken } from '../../../lib/secrets/access-token.js';
import type { ClientCredential } from '../../../lib/secrets/client-credential.js';
import type { TokenRequestManner } from '../../../lib/token/endpoint/token-endpoint.js';
import { Outage } from '../../../lib/token/outage.js';
import { Renewal } from '../../../lib/token/renewal.js';
import type { TokenNeed } from '../../../lib/token/token-need.js';
import { TokenOrigin } from '../../../lib/token/token-origins.js';
import { FakeClock } from './fake-clock.js';
import { HOUR, profileOf, SteeredSecret, tokenOf } from './token-fixtures.js';

/** What the token endpoint answers to a secret. `token` is a token of this test. */
type Answer = Error | AccessToken | 'token';

interface SentRequest {
  readonly secret: string;
  /** From the start of the test. */
  readonly at: number;
  readonly within: number;
  readonly manner: TokenRequestManner | undefined;
}

/** A `Renewal` with a fake clock, and an endpoint and a secret that the test steers. 0.5 is no jitter, and half of a back-off. */
export function givenRenewal(
  answer: (secret: string) => Answer | Promise<Answer>,
  { maxAttempts = 1, random = (): number => 0.5 } = {},
) {
  const clock = new FakeClock();
  const start = clock.monotonic();
  const token = tokenOf(clock, 'one', 30 * 24 * HOUR);
  const source = new SteeredSecret('first');
  const requests: SentRequest[] = [];
  const endpoint = {
    async request(secret: ClientCredential, within: number, manner?: TokenRequestManner) {
      requests.push({ secret: secret.reveal(), at: clock.monotonic() - start, within, manner });
      const result = await answer(secret.reveal());
      if (result instanceof Error) throw result;
      return result === 'token' ? token : result;
    },
  };
  const reported: unknown[] = [];
  const outage = new Outage(clock, random);
  const origin = new TokenOrigin(clock);
  const renewal = new Renewal({
    profile: profileOf({ clientSecret: source }),
    slot: (ends) => origin.slot('own', ends),
    endpoint,
    settings: { timeoutMs: 5_000, maxAttempts },
    outage,
    report: { attemptTimedOut: (error) => void reported.push(error) },
    clock,
    random,
  });
  /** The moments of the requests. */
  const attempts = (): number[] => requests.map(({ at }) => at);
  const obtain = (need: TokenNeed = { reason: 'cold' }) => renewal.obtain(need);
  return { clock, token, source, requests, attempts, reported, outage, obtain };
}
