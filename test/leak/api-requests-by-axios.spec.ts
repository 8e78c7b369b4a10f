import { describe } from 'vitest';
import { BUILT_IN_PROVIDER, PROVIDERS } from '../support/application/every-term.js';
import { forThisRun } from '../support/run/extent.js';
import { testNoLeaksOn } from './api-table.js';
import { AXIOS_ADAPTER, CALL_STYLES } from './clients.js';

describe.each(PROVIDERS)("S10 B12: of %s, on axios' http adapter", (_, provider) => {
  const few = CALL_STYLES.filter(([name]) => name === 'fetch');
  testNoLeaksOn(AXIOS_ADAPTER, forThisRun({ all: CALL_STYLES, few }), provider);
});

describe("S10 B12 B33: of an account, on axios' http adapter", () => {
  const few = CALL_STYLES.filter(([name]) => name === 'axiosRef');
  testNoLeaksOn(AXIOS_ADAPTER, forThisRun({ all: CALL_STYLES, few }), BUILT_IN_PROVIDER, 'merchant-42');
});
