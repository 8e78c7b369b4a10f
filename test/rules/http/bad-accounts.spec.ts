import { expect, it } from 'vitest';
import type { AccountCredentials } from '../../../lib/index.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

const GOOD = Array.from({ length: 10 }, (_, index) => `good ${index}`);

/** An account whose loader hangs, one whose credentials are wrong, and one whose API answers 401. */
function start(): Promise<RunningApp> {
  return given()
    .simulator({}, (provider) => {
      for (const name of [...GOOD, 'hangs', 'wrong', 'refused']) provider.addAccount(name);
      provider.api.path('/refused').unauthorized();
    })
    .app((provider) =>
      provider.options({
        accounts: (account) => {
          if (account === 'hangs') return new Promise<AccountCredentials>(() => {});
          const credentials = provider.credentials('easy', 'sandbox', account);
          return account === 'wrong' ? { ...credentials, clientSecret: 'another' } : credentials;
        },
      }),
    )
    .start();
}

it('B33: accounts that hang, are refused or get only 401 delay no call of the others', async () => {
  const { easy, provider, status } = await start();
  const leave = new AbortController();
  const call = (account: string) =>
    easy.for({ account }).axiosRef.get(`/${account}`, { signal: leave.signal });
  const hanging = Array.from({ length: 30 }, () => new Watched(errorOf(call('hangs'))));
  for (let round = 0; round < 3; round += 1) {
    expect(await errorOf(call('wrong'))).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect(await errorOf(call('refused'))).toMatchObject({ response: { status: 401 } });
    await Promise.all(GOOD.map(call));
  }
  expect(new Set(hanging.map(({ state }) => state))).toEqual(new Set(['waiting']));
  const ofGood = provider.tokenRequests.filter(({ account = '' }) => GOOD.includes(account));
  expect(ofGood).toHaveLength(GOOD.length);
  const pair = status.status().find(({ active, interface: name }) => active && name === 'easy');
  // The account that gets only 401 has a token.
  expect(pair).toMatchObject({ accounts: { tokens: GOOD.length + 1, failing: 1 } });
  expect(pair?.apiError).toBeUndefined();
  leave.abort();
});
