import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TransportName } from './clients.js';
import { report, runPairs } from './pair-runner.js';

/** Always the same calls, so that a failure occurs again. `npm run soak` makes other calls in each run. */
const SEED = 20_261_122;
const PAIRS = 1_000;

/** Of each kind of pair. */
const SMALLEST_SHARE = 0.005;
/** Calls of these kinds need axios' general machinery. */
const ONLY_GENERAL = [
  'a header with several values',
  'a body that is read once, or a form',
  'the response type stream',
  'an encoding for texts',
  'a redirect that is followed',
];

const TRANSPORTS: readonly TransportName[] = ['axios', 'undici'];

describe.each(TRANSPORTS)('random calls that are sent by %s', (transport) => {
  // The library warns about bodies that it cannot send again.
  beforeAll(() => Logger.overrideLogger(false));

  it(
    'B17: get the same result on the direct path as on the general path, and the server sees the same bytes',
    { timeout: 120_000 },
    async () => {
      const { findings, pairs, express, kinds } = await runPairs({
        transport,
        pairs: PAIRS,
        seed: SEED,
        mostFindings: 3,
      });
      expect(findings.map(report).join('\n\n')).toBe('');
      expect(pairs).toBe(PAIRS);
      // Otherwise the test would compare the general path with itself.
      expect(express).toBeGreaterThan(PAIRS / 4);
      expect(kinds.rarerThan(SMALLEST_SHARE)).toEqual([]);
      expect(kinds.onlyGeneral).toEqual(ONLY_GENERAL);
    },
  );
});
