import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import type { AccountLoader } from '../../../lib/config/options/provider-auth-options.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { TokenBook } from '../../../lib/token/identified-tokens.js';
import { TokenIdentity } from '../../../lib/token/token-identity.js';
import { runs } from '../../support/run/runs.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf, failureOf, profileOf, tokenOf } from '../../support/token/token-fixtures.js';

interface Booked {
  readonly account: string;
  readonly state: string;
  isBusy: boolean;
}

function identityOf(account: string): TokenIdentity {
  const identity = TokenIdentity.of({ account });
  if (identity === undefined) throw new TypeError('This is the pair itself.');
  return identity;
}

function bookOf(most: number): { book: TokenBook<Booked>; made: Booked[] } {
  const made: Booked[] = [];
  const book = new TokenBook<Booked>(most, ({ account = '' }) => {
    const booked = { account, state: account.startsWith('bad') ? 'failing' : 'valid', isBusy: false };
    made.push(booked);
    return booked;
  });
  return { book, made };
}

/** The tokens of a pair whose accounts come from this function, and whose token endpoint is this one. */
function givenTokens(
  clock: FakeClock,
  {
    accounts,
    ...settings
  }: { maxAccounts: number; renewAheadMs?: number; accounts: AccountLoader<string, string> },
  endpoint: TokenRequests,
) {
  const token = { timeoutMs: 5_000, maxAttempts: 1, expiryLeewayMs: 0, renewAheadMs: 0, ...settings };
  const http = { httpsAgent: undefined, proxy: undefined };
  return createTokenProvider(profileOf(), { token, http, accounts }, clock, Math.random, () => endpoint);
}

describe('the book of the tokens of one pair', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('B33: gives the same provider again, and counts', () => {
    const { book, made } = bookOf(10);
    expect(book.counts).toBeUndefined();
    const one = book.of(identityOf('one'));
    expect(book.of(identityOf('one'))).toBe(one);
    book.of(identityOf('bad'));
    expect(made).toHaveLength(2);
    expect(book.counts).toEqual({ tokens: 1, failing: 1 });
  });

  it('B33: drops the one that was not used for longest', () => {
    const { book, made } = bookOf(2);
    for (const account of ['a', 'b', 'a', 'c', 'a', 'b']) book.of(identityOf(account));
    expect(made.map(({ account }) => account)).toEqual(['a', 'b', 'c', 'b']);
  });

  it('B33: drops names that never got a token before all that did', () => {
    const { book } = bookOf(10);
    const good = Array.from({ length: 5 }, (_, index) => identityOf(`good ${index}`));
    const providers = good.map((one) => book.of(one));
    for (const one of good) book.ended(one);
    for (let index = 0; index < 100; index += 1) {
      const guessed = identityOf(`bad ${index}`);
      book.of(guessed);
      book.ended(guessed);
    }
    expect(book.counts).toEqual({ tokens: 5, failing: 5 });
    expect(good.map((one) => book.of(one, false))).toEqual(providers);
  });

  it('B33: drops none whose request is under way, and makes room as soon as the requests have ended', () => {
    const { book, made } = bookOf(2);
    for (let index = 0; index < 50; index += 1) book.of(identityOf(`busy ${index}`)).isBusy = true;
    expect(book.counts?.tokens).toBe(50);
    for (const one of made) one.isBusy = false;
    for (let index = 0; index < 50; index += 1) book.of(identityOf(`next ${index}`));
    expect(book.counts?.tokens).toBe(2);
  });

  it('B33: has no more than the limit as soon as many requests at the same time have ended', () => {
    const { book, made } = bookOf(10);
    for (let index = 0; index < 500; index += 1) book.of(identityOf(`busy ${index}`)).isBusy = true;
    for (const one of made.toReversed()) {
      one.isBusy = false;
      book.ended(identityOf(one.account));
    }
    expect(book.counts?.tokens).toBe(10);
  });

  it('B33: does not count or keep one that is only looked at', () => {
    const { book, made } = bookOf(2);
    book.of(identityOf('seen'), false);
    expect(book.counts).toBeUndefined();
    made.length = 0;
    book.of(identityOf('a'));
    book.of(identityOf('b'));
    expect(book.of(identityOf('a'), false)).toBe(made[0]);
    book.of(identityOf('seen'), false);
    book.of(identityOf('c'));
    expect(book.counts?.tokens).toBe(2);
    expect(book.of(identityOf('a'), false)).not.toBe(made[0]);
  });

  it.each([
    [1, 5],
    [30, 5],
    [1, 10],
    [30, 10],
  ])(
    'B33: names that a caller guesses, %i at a time, cost none of %i good accounts its token',
    async (atOnce, accounts) => {
      const clock = new FakeClock();
      const asked: string[] = [];
      const tokens = givenTokens(
        clock,
        {
          maxAccounts: 10,
          accounts: (account) =>
            account.startsWith('good') ? { clientId: account, clientSecret: 'canary' } : undefined,
        },
        {
          request({ clientId }) {
            asked.push(clientId?.reveal() ?? '');
            return Promise.resolve(tokenOf(clock, 'canary'));
          },
        },
      );
      const good = Array.from({ length: accounts }, (_, index) => `good ${index}`);
      const use = (account: string): Promise<unknown> =>
        tokens
          .for({ account })
          .getToken()
          .catch(() => undefined);
      for (const account of good) await use(account);
      for (let index = 0; index < 60; index += atOnce)
        await Promise.all(Array.from({ length: atOnce }, (_, guess) => use(`guessed ${index + guess}`)));
      for (const account of good) await use(account);
      expect(asked).toEqual(good);
      const failing = Math.max(1, 10 - accounts);
      expect(tokens.status().accounts).toEqual({ tokens: accounts, failing });
    },
  );

  it('B7: accounts that fail keep their cool-downs, even if others have as many tokens as there may be', async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const tokens = givenTokens(
      clock,
      { maxAccounts: 30, accounts: (account) => ({ clientId: account, clientSecret: 'canary' }) },
      {
        async request({ clientId }) {
          const account = clientId?.reveal() ?? '';
          if (account.startsWith('good')) return tokenOf(clock, 'canary');
          asked.push(account);
          throw failureOf('TOKEN_REJECTED');
        },
      },
    );
    for (let index = 0; index < 50; index += 1) await tokens.for({ account: `good ${index}` }).getToken();
    const gone = ['gone 1', 'gone 2', 'gone 3'];
    for (let round = 0; round < 5; round += 1)
      for (const account of gone) await errorOf(tokens.for({ account }).getToken());
    expect(asked).toEqual(gone);
    expect(tokens.status().accounts).toEqual({ tokens: 30, failing: 3 });
  });

  it('B33: an account that has just got its token keeps it if another account is used at this moment', async () => {
    const clock = new FakeClock();
    const request = vi.fn<() => Promise<AccessToken>>(async () => tokenOf(clock, 'canary'));
    const tokens = givenTokens(
      clock,
      {
        maxAccounts: 1,
        accounts: (account) =>
          account === 'good' ? { clientId: account, clientSecret: 'canary' } : undefined,
      },
      { request },
    );
    const guess = vi.fn<() => void>();
    guess.mockImplementationOnce(() => void tokens.for({ account: 'guessed' }).getToken().catch(String));
    // This event is published as soon as the token is there.
    subscribe('provider-auth:token-cache', guess);
    onTestFinished(() => void unsubscribe('provider-auth:token-cache', guess));
    for (let calls = 0; calls < 2; calls += 1) await tokens.for({ account: 'good' }).getToken();
    expect(guess).toHaveBeenCalled();
    expect(request).toHaveBeenCalledTimes(1);
  });

  it('B33: names that are used once leave no token above the limit, and no timer', async () => {
    const clock = new FakeClock();
    const tokens = givenTokens(
      clock,
      {
        maxAccounts: 100,
        renewAheadMs: 60_000,
        accounts: (account) => ({ clientId: account, clientSecret: 'canary' }),
      },
      { request: () => Promise.resolve(tokenOf(clock, 'canary')) },
    );
    const names = runs(2_000);
    for (let index = 0; index < names; index += 1) await tokens.for({ account: `name ${index}` }).getToken();
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => tokens.for({ account: `name ${index}` }).getToken()),
    );
    expect(tokens.status().accounts).toEqual({ tokens: 100, failing: 0 });
    expect(clock.pending()).toEqual([]);
  }, 120_000);
});
