import { describe } from 'vitest';
import { testNoLeaksOn } from './api-table.js';
import { UNDICI } from './clients.js';

describe("S10 B12: on undici's pools", () => {
  testNoLeaksOn(UNDICI);
});
