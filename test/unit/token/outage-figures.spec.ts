import { Logger } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { playOutage, seededRandom } from '../../support/token/outage-trial.js';

const JITTERS = [() => 0, () => 0.999, seededRandom(1)];

/** What B18 allows. An outage may end right after a request has failed, so callers succeed a whole pause later. */
it.each([
  ['5 s', 5_000, 20, 600, 5, [0, 50]],
  ['60 s', 60_000, 50, 6_000, 25, [0, 50]],
  ['an hour', 3_600_000, 900, 6_000, 1_000, [5]],
] as const)(
  'B18: an outage of %s, with callers all the time, costs few token requests, and callers succeed soon, whenever it ends',
  async (_, outageMs, most, longestPauseMs, callerEveryMs, latencies) => {
    for (const level of ['error', 'log'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
    for (const latencyMs of latencies)
      for (const random of JITTERS) {
        const figures = await playOutage({ outageMs, latencyMs, callerEveryMs, random });
        expect(figures.requests).toBeLessThanOrEqual(most);
        // A request that is under way at the end of the outage fails one answer later.
        expect(figures.longestPauseMs).toBeLessThanOrEqual(longestPauseMs + 0.12 * latencyMs + 1);
        expect(figures.untilSuccessMs).toBeLessThanOrEqual(
          figures.longestPauseMs + latencyMs + callerEveryMs,
        );
      }
  },
  120_000,
);
