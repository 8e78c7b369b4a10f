import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../support/run/runs.js';
import type { TransportName } from './clients.js';
import { runFetchPairs } from './fetch-pairs.js';

/** Always the same calls, so that a failure occurs again. */
const SEED = 20_261_122;
const PAIRS = runs(300);

const TRANSPORTS: readonly TransportName[] = ['axios', 'undici'];

describe.each(TRANSPORTS)('random calls by fetch that are sent by %s', (transport) => {
  // The library warns about bodies that it cannot send again.
  beforeAll(() => Logger.overrideLogger(false));

  it(
    'B21: get the same result on the direct path as on the general path, and the server sees the same bytes',
    { timeout: 600_000 },
    async () => {
      const { findings, pairs, express } = await runFetchPairs({ transport, pairs: PAIRS, seed: SEED });
      expect(findings.join('\n\n')).toBe('');
      expect(pairs).toBe(PAIRS);
      // Otherwise the test would compare the general path with itself.
      expect(express).toBeGreaterThan(PAIRS / 4);
    },
  );
});
