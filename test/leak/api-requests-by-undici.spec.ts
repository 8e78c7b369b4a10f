import { describe } from 'vitest';
import { forThisRun } from '../support/run/extent.js';
import { testNoLeaksOn } from './api-table.js';
import { CALL_STYLES, UNDICI } from './clients.js';

describe("S10 B12: on undici's pools", () => {
  // `api-requests-by-axios.spec.ts` has all call styles in each run.
  testNoLeaksOn(UNDICI, forThisRun({ all: CALL_STYLES, few: CALL_STYLES.slice(0, 1) }));
});
