import type { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { Random } from '../../../lib/time/backoff.js';
import { Deadline, pause } from '../../../lib/time/clock.js';
import { withoutStacks } from '../run/without-stacks.js';
import { FakeClock } from './fake-clock.js';
import { failureOf, HOUR, tokenOf, tokensOf } from './token-fixtures.js';

interface Outage {
  /** How many processes share tokens. One alone has no store. @default 1 */
  readonly size?: number;
  readonly outageMs: number;
  /** How long the endpoint takes for an answer, or for its client to give up. */
  readonly latencyMs: number;
  /** The time from one caller of a process to the next. */
  readonly callerEveryMs: number;
  readonly random: Random;
  /** Of the option `token`. */
  readonly timeoutMs?: number;
  readonly maxAttempts?: number;
}

/** What an outage costs. */
export interface OutageFigures {
  /** The token requests during the outage, of all processes. */
  readonly requests: number;
  /** The longest time for which callers got an error without a request. */
  readonly longestPauseMs: number;
  /** From the end of the outage to the arrival of the last process's first caller who gets a token. */
  readonly untilSuccessMs: number;
  /** How long a call took that failed, at most. */
  readonly longestCallMs: number;
  /** The most token requests in a second, of all processes. */
  readonly mostInASecond: number;
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

/** Plays an outage of the token endpoint against whole token providers, on a virtual clock. Each request reaches it at once. */
export function playOutage(outage: Outage): Promise<OutageFigures> {
  return withoutStacks(() => play(outage));
}

async function play({ size = 1, outageMs, latencyMs, callerEveryMs, random, ...given }: Outage) {
  const clock = new FakeClock();
  const endOfOutage = Deadline.after(clock, outageMs);
  const requests: number[] = [];
  const request = async (): Promise<AccessToken> => {
    const isDown = !endOfOutage.hasCome(clock);
    if (isDown) requests.push(clock.monotonic());
    await pause(clock, isDown ? latencyMs : Math.min(latencyMs, 100));
    if (isDown) throw failureOf();
    return tokenOf(clock, 'one', HOUR);
  };
  const shared = new MemoryTokenStore(() => clock.wall());
  const providers = Array.from({ length: size }, () => {
    // Each process has its own store object, and so its own guard.
    const store = {
      claim: shared.claim.bind(shared),
      publish: shared.publish.bind(shared),
      release: shared.release.bind(shared),
    };
    return tokensOf(clock, request, { token: given, random, store: size > 1 ? store : undefined });
  });
  const succeededAt = new Map<number, number>();
  let [longestPauseMs, longestCallMs] = [0, 0];
  while (succeededAt.size < size) {
    const arrivedAt = clock.monotonic();
    if (arrivedAt > endOfOutage.monotonic + 60_000) throw new Error('No caller gets a token any more.');
    const failed = ({ retryAt }: TokenRequestError): void => {
      longestPauseMs = Math.max(longestPauseMs, (retryAt?.getTime() ?? NaN) - clock.wall());
      longestCallMs = Math.max(longestCallMs, clock.monotonic() - arrivedAt);
    };
    for (const [index, provider] of providers.entries())
      void provider
        .getToken()
        .then(() => void (succeededAt.has(index) || succeededAt.set(index, arrivedAt)), failed);
    await clock.advance(callerEveryMs);
  }
  return {
    requests: requests.length,
    longestPauseMs,
    untilSuccessMs: Math.max(0, Math.max(...succeededAt.values()) - endOfOutage.monotonic),
    longestCallMs,
    mostInASecond: Math.max(
      ...requests.map((first) => requests.filter((at) => at >= first && at < first + 1_000).length),
    ),
  };
}
