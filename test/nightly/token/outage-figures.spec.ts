import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LEASE_MS } from '../../../lib/token/pauses.js';
import { playOutage, seededRandom } from '../../support/token/outage-trial.js';

/** An endpoint that refuses at once, one that takes its time, and one that does not answer. */
const ALL_LATENCIES = [10, 100, 5_000];

/** What B18 allows: the figures of one process, and one attempt for each process. */
const CASES = [
  { outage: '5 s', outageMs: 5_000, size: 16, requests: 20, untilSuccessMs: 600, callerEveryMs: 20 },
  { outage: '60 s', outageMs: 60_000, size: 16, requests: 50, untilSuccessMs: 6_000, callerEveryMs: 100 },
  // A large fleet, whose processes do not all get their turn before their callers have waited long enough.
  { outage: '60 s', outageMs: 60_000, size: 64, requests: 50, untilSuccessMs: 6_000, callerEveryMs: 500 },
  // A small fleet, because the pauses decide how many requests an hour costs, and not the processes.
  {
    outage: 'an hour',
    outageMs: 3_600_000,
    size: 4,
    requests: 900,
    untilSuccessMs: 6_000,
    callerEveryMs: 1_000,
  },
];

beforeEach(() => {
  for (const level of ['error', 'log'] as const)
    vi.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
});

describe('an outage of the token endpoint, and a fleet whose callers come all the time', () => {
  it.each(CASES)(
    'B18: of $outage costs a fleet of $size at most $requests token requests and one for each process',
    async ({ outageMs, size, requests, untilSuccessMs, callerEveryMs }) => {
      for (const latencyMs of ALL_LATENCIES) {
        const random = seededRandom(latencyMs);
        const figures = await playOutage({ size, outageMs, latencyMs, callerEveryMs, random });
        // If the endpoint hangs, one further process asks each time a lease ends.
        const most = latencyMs === 5_000 ? Math.max(requests, outageMs / LEASE_MS) : requests;
        expect(figures.requests).toBeLessThanOrEqual(most + size);
        // Each try starts with a caller, and a try that is under way at the end may fail one answer later.
        const sooner = figures.untilSuccessMs - callerEveryMs - Math.min(latencyMs, 100);
        expect(sooner).toBeLessThanOrEqual(untilSuccessMs);
      }
    },
    120_000,
  );

  it.each([
    { timeoutMs: 5_000, maxAttempts: 3, atOnce: 64 / 3 },
    { timeoutMs: 2_000, maxAttempts: 3, atOnce: 64 },
    { timeoutMs: 2_000, maxAttempts: 2, atOnce: 64 },
  ])(
    'B6: B18: even if the endpoint hangs, so that most processes wait until they ask without the lease: with $maxAttempts attempts of $timeoutMs ms, each call ends in time, and not all ask at once',
    async ({ timeoutMs, maxAttempts, atOnce }) => {
      const size = 64;
      const { requests, longestCallMs, mostInASecond } = await playOutage({
        size,
        outageMs: 60_000,
        latencyMs: timeoutMs,
        callerEveryMs: 500,
        random: seededRandom(1),
        timeoutMs,
        maxAttempts,
      });
      expect(requests).toBeLessThanOrEqual(50 + size);
      expect(longestCallMs).toBeLessThanOrEqual(maxAttempts * timeoutMs + 2_000);
      expect(mostInASecond).toBeLessThanOrEqual(atOnce);
    },
  );
});
