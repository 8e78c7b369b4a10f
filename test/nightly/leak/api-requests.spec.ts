import { describe } from 'vitest';
import { testNoLeaksOn } from '../../rules/leak/api-table.js';
import { NODE_HTTPS, CALL_STYLES, UNDICI } from '../../rules/leak/clients.js';
import { BUILT_IN_PROVIDER, EVERY_TERM } from '../../support/application/every-term.js';

const PROVIDERS = [
  ['the built-in provider', BUILT_IN_PROVIDER],
  ['a definition with every term (B31)', EVERY_TERM],
] as const;

describe.each(PROVIDERS)('S10 B12: of %s', (_, provider) => {
  describe('on node:https', () => {
    testNoLeaksOn(NODE_HTTPS, CALL_STYLES, provider);
  });
  describe("on undici's pools", () => {
    testNoLeaksOn(UNDICI, CALL_STYLES, provider);
  });
});
