import { describe } from 'vitest';
import { BUILT_IN_PROVIDER } from '../../support/application/every-term.js';
import { testNoLeaksOn } from './api-table.js';
import { NODE_HTTPS, CALL_STYLES } from './clients.js';

/** `nightly/leak/api-requests.spec.ts` has all ways to call, all transports and another provider. */
const callStyles = (wanted: string) => CALL_STYLES.filter(([name]) => name === wanted);

describe('S10 B12: on node:https', () => {
  testNoLeaksOn(NODE_HTTPS, callStyles('fetch'), BUILT_IN_PROVIDER);
});

describe('S10 B12 B33: of an account, on node:https', () => {
  testNoLeaksOn(NODE_HTTPS, callStyles('axiosRef'), BUILT_IN_PROVIDER, 'merchant-42');
});
