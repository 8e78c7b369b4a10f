import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { nameErrors, ProviderAuthError } from '../../../lib/errors/provider-auth.error.js';

/** A class whose name a bundler has shortened. */
class E extends ProviderAuthError {
  readonly code = 'BROKEN';

  static {
    nameErrors(this, 'BrokenError');
  }
}

it('B15: an error has the full name of its class after a bundler shortened that, and no property for it', () => {
  const error = new E('It is broken.');
  expect(error.name).toBe('BrokenError');
  expect(Object.keys(error)).toEqual(['code']);
  expect(inspect(error)).toMatch(/^BrokenError: It is broken\.\n/);
});
