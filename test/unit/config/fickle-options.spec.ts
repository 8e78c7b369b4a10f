import { expect, it } from 'vitest';
import { problemsOf, optionsWith } from '../../support/secrets/config-canaries.js';

/** An object that is no agent at the first check, and an agent at later checks. */
function fickleAgent(): object {
  let asked = 0;
  return {
    get addRequest(): unknown {
      asked += 1;
      return asked === 1 ? undefined : () => {};
    },
  };
}

it('C4: an option that changes while it is checked is refused', async () => {
  expect(await problemsOf(optionsWith({ 'http.httpsAgent': fickleAgent() }))).toEqual([
    { path: 'http.httpsAgent', message: 'changed while it was checked. Start again.' },
  ]);
});

it('S10: an option that throws when it is read is refused, and its text is not shown', async () => {
  const throwing = {
    get addRequest(): never {
      throw new Error('canary');
    },
  };
  expect(await problemsOf(optionsWith({ 'http.httpsAgent': throwing }))).toEqual([
    {
      path: 'http.httpsAgent',
      message: 'cannot be inspected: it throws when it is touched. Pass a plain value.',
    },
  ]);
});
