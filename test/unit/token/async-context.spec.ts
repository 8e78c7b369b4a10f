import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { MINUTE, tokenOf, tokensOf } from '../../support/token/token-fixtures.js';

it("B28: secrets, accounts and renewals ahead run in no caller's async context, a token request in that of its first caller", async () => {
  const callers = new AsyncLocalStorage<string>();
  const clock = new FakeClock();
  const seen: (string | undefined)[] = [];
  const requests: (string | undefined)[] = [];
  const note = (): void => void seen.push(callers.getStore());
  const request = async () => {
    requests.push(callers.getStore());
    return tokenOf(clock, 'canary', 2 * MINUTE);
  };
  const read = async () => {
    note();
    return new Secret('canary');
  };
  const tokens = tokensOf(clock, request, {
    profile: { clientSecret: { read } },
    token: { renewAheadMs: MINUTE },
    accounts: (account) => {
      note();
      return { clientId: account, clientSecret: 'canary' };
    },
  });
  await callers.run('one', async () => {
    await tokens.getToken();
    await tokens.for({ account: 'merchant' }).getToken();
    await clock.advance(90_000);
    // Starts the renewal ahead.
    await tokens.getToken();
    await clock.advance(0);
    expect(callers.getStore()).toBe('one');
  });
  expect(seen).toEqual([undefined, undefined, undefined]);
  expect(requests).toEqual(['one', 'one', undefined]);
});
