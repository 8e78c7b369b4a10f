import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../../support/run/runs.js';
import { withoutStacks } from '../../support/run/without-stacks.js';
import { type OutageFigures, playOutage, seededRandom } from '../../support/token/outage-trial.js';

/** What B18 allows. */
const CASES = [
  {
    outage: '5 s',
    outageMs: 5_000,
    requests: 20,
    untilSuccessMs: 600,
    callerEveryMs: 5,
    seeds: runs(15),
  },
  {
    outage: '60 s',
    outageMs: 60_000,
    requests: 50,
    untilSuccessMs: 6_000,
    callerEveryMs: 25,
    seeds: runs(9),
  },
  {
    outage: 'an hour',
    outageMs: 3_600_000,
    requests: 900,
    untilSuccessMs: 6_000,
    callerEveryMs: 200,
    seeds: runs(3),
  },
] as const;

const LATENCIES = [0, 5, 50] as const;

/** The worst figures of many outages that differ by their jitter and by the latency of the endpoint. */
async function worstOf({ outageMs, callerEveryMs, seeds }: (typeof CASES)[number]): Promise<OutageFigures> {
  let worst: OutageFigures = { requests: 0, untilSuccessMs: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const latencyMs = LATENCIES[seed % LATENCIES.length] ?? 0;
    const figures = await playOutage({ outageMs, latencyMs, callerEveryMs, random: seededRandom(seed) });
    // A try that is under way at the end of the outage fails one latency later, and each try starts with a caller.
    const untilSuccessMs = figures.untilSuccessMs - latencyMs - callerEveryMs;
    worst = {
      requests: Math.max(worst.requests, figures.requests),
      untilSuccessMs: Math.max(worst.untilSuccessMs, untilSuccessMs),
    };
  }
  return worst;
}

describe('an outage of the token endpoint, with callers arriving all the time', () => {
  it.each(CASES)(
    'B18: of $outage costs at most $requests token requests, and callers succeed at most $untilSuccessMs ms after it',
    async (outage) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
      const worst = await withoutStacks(() => worstOf(outage));
      expect(worst.requests).toBeLessThanOrEqual(outage.requests);
      expect(worst.untilSuccessMs).toBeLessThanOrEqual(outage.untilSuccessMs);
    },
    120_000,
  );
});
