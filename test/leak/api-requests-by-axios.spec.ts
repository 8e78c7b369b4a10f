import { describe } from 'vitest';
import { testNoLeaksOn } from './api-table.js';
import { AXIOS_ADAPTER } from './clients.js';

describe("S10 B12: on axios' http adapter", () => {
  testNoLeaksOn(AXIOS_ADAPTER);
});
