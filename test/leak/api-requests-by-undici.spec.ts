import { describe } from 'vitest';
import { PROVIDERS } from '../support/application/every-term.js';
import { forThisRun } from '../support/run/extent.js';
import { testNoLeaksOn } from './api-table.js';
import { CALL_STYLES, UNDICI } from './clients.js';

describe.each(PROVIDERS)("S10 B12: of %s, on undici's pools", (_, provider) => {
  // `api-requests-by-axios.spec.ts` has all call styles in each run.
  testNoLeaksOn(UNDICI, forThisRun({ all: CALL_STYLES, few: CALL_STYLES.slice(0, 1) }), provider);
});
