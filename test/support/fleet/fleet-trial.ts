import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { Random } from '../../../lib/time/backoff.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { FakeClock } from '../token/fake-clock.js';
import { endpointInOutage, OUTAGE_SETTINGS } from '../token/outage-trial.js';
import { profileOf } from '../token/token-fixtures.js';
import { withoutStacks } from '../run/without-stacks.js';

interface FleetOutage {
  readonly size: number;
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

/** What an outage costs a fleet. */
export interface FleetOutageFigures {
  /** The token requests during the outage, of all processes. */
  readonly requests: number;
  /** From the end of the outage to the arrival of the last process's first caller who gets a token. */
  readonly untilSuccessMs: number;
  /** How long a call took that failed, at most. */
  readonly longestCallMs: number;
  /** The most token requests in a second, of all processes. */
  readonly mostInASecond: number;
}

/**
 * Plays an outage of the token endpoint against a fleet of whole token providers, on a virtual clock.
 */
export function playFleetOutage(outage: FleetOutage): Promise<FleetOutageFigures> {
  return withoutStacks(() => play(outage));
}

async function play(outage: FleetOutage): Promise<FleetOutageFigures> {
  const { size, outageMs, latencyMs, callerEveryMs, random, ...given } = outage;
  const token = { ...OUTAGE_SETTINGS.token, ...given };
  const clock = new FakeClock();
  const upLatencyMs = Math.min(latencyMs, 100);
  const { endpoint, endOfOutage, requestsWhileDown } = endpointInOutage(
    clock,
    outageMs,
    latencyMs,
    upLatencyMs,
  );
  const shared = new MemoryTokenStore(() => clock.wall());
  const providers = Array.from({ length: size }, () => {
    // Each process has its own store object, and so its own guard.
    const store = {
      claim: shared.claim.bind(shared),
      publish: shared.publish.bind(shared),
      release: shared.release.bind(shared),
    };
    const settings = { ...OUTAGE_SETTINGS, token, store };
    return createTokenProvider(profileOf(), settings, clock, random, () => endpoint);
  });
  const succeededAt = new Map<number, number>();
  let longestCallMs = 0;
  while (succeededAt.size < size) {
    const arrivedAt = clock.monotonic();
    if (arrivedAt > endOfOutage.monotonic + 60_000) throw new Error('No caller gets a token any more.');
    for (const [index, provider] of providers.entries()) {
      void provider.getToken().then(
        () => void (succeededAt.has(index) || succeededAt.set(index, arrivedAt)),
        () => void (longestCallMs = Math.max(longestCallMs, clock.monotonic() - arrivedAt)),
      );
    }
    await clock.advance(callerEveryMs);
  }
  return {
    requests: requestsWhileDown.length,
    untilSuccessMs: Math.max(0, Math.max(...succeededAt.values()) - endOfOutage.monotonic),
    longestCallMs,
    mostInASecond: Math.max(
      ...requestsWhileDown.map(
        (first) => requestsWhileDown.filter((at) => at >= first && at < first + 1_000).length,
      ),
    ),
  };
}
