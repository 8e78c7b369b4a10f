import { describe } from 'vitest';
import { nothingLeaksOn } from './api-table.js';
import { AXIOS_ADAPTER } from './clients.js';

describe("S10 B12: on axios' http adapter", () => {
  nothingLeaksOn(AXIOS_ADAPTER);
});
