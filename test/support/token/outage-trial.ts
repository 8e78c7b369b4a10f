import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Deadline } from '../../../lib/time/deadline.js';
import type { Random } from '../../../lib/time/backoff.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { FakeClock } from './fake-clock.js';
import { failureOf, HOUR, profileOf, tokenOf } from './token-fixtures.js';

/** The settings of the providers in an outage trial. */
export const OUTAGE_SETTINGS = {
  token: { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, renewAheadMs: 0 },
  http: { httpsAgent: undefined, proxy: undefined },
};

interface Outage {
  readonly outageMs: number;
  /** How long the endpoint takes for an answer. */
  readonly latencyMs: number;
  /** The time from one caller to the next. */
  readonly callerEveryMs: number;
  readonly random: Random;
}

/** What an outage costs. */
export interface OutageFigures {
  /** The token requests during the outage. */
  readonly requests: number;
  /** From the end of the outage to the arrival of the first caller who gets a token. */
  readonly untilSuccessMs: number;
}

/** Numbers from 0 to 1 that the same seed repeats. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A token endpoint that is down at first, and notes when it gets a request while it is down. Each request reaches it at once. */
export function endpointInOutage(
  clock: FakeClock,
  outageMs: number,
  downLatencyMs: number,
  upLatencyMs: number,
) {
  const endOfOutage = Deadline.after(clock, outageMs);
  const requestsWhileDown: number[] = [];
  const endpoint: TokenRequests = {
    request: () =>
      new Promise<AccessToken>((resolve, reject) => {
        const isDown = !endOfOutage.hasCome(clock);
        if (isDown) requestsWhileDown.push(clock.monotonic());
        const answer = (): void => (isDown ? reject(failureOf()) : resolve(tokenOf(clock, 'one', HOUR)));
        clock.after(isDown ? downLatencyMs : upLatencyMs, answer);
      }),
  };
  return { endpoint, endOfOutage, requestsWhileDown };
}

/** Plays an outage of the token endpoint against a whole token provider, on a virtual clock. */
export async function playOutage({
  outageMs,
  latencyMs,
  callerEveryMs,
  random,
}: Outage): Promise<OutageFigures> {
  const clock = new FakeClock();
  const { endpoint, endOfOutage, requestsWhileDown } = endpointInOutage(
    clock,
    outageMs,
    latencyMs,
    latencyMs,
  );
  const provider = createTokenProvider(profileOf(), OUTAGE_SETTINGS, clock, random, () => endpoint);
  /** When the callers who got a token had arrived. */
  const successes: number[] = [];
  for (;;) {
    const arrivedAt = clock.monotonic();
    if (arrivedAt > endOfOutage.monotonic + 60_000) throw new Error('No caller gets a token any more.');
    void provider.getToken().then(
      () => void successes.push(arrivedAt),
      () => undefined,
    );
    await clock.advance(callerEveryMs);
    const [first] = successes;
    if (first !== undefined)
      return {
        requests: requestsWhileDown.length,
        untilSuccessMs: Math.max(0, first - endOfOutage.monotonic),
      };
  }
}
