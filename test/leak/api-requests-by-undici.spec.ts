import { describe } from 'vitest';
import { nothingLeaksOn } from './api-table.js';
import { UNDICI } from './clients.js';

describe("S10 B12: on undici's pools", () => {
  nothingLeaksOn(UNDICI);
});
