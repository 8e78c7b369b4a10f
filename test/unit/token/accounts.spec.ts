import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../../../lib/token/accounts.js';
import { TokenIdentity } from '../../../lib/token/token-identity.js';

interface Known {
  readonly account: string;
  readonly state: string;
  isBusy: boolean;
}

function identityOf(account: string): TokenIdentity {
  const identity = TokenIdentity.of({ account });
  if (identity === undefined) throw new TypeError('This is the pair itself.');
  return identity;
}

function accountsOf(most: number): { accounts: Accounts<Known>; made: Known[] } {
  const made: Known[] = [];
  const accounts = new Accounts<Known>(most, ({ account = '' }) => {
    const known = { account, state: account.startsWith('bad') ? 'failing' : 'valid', isBusy: false };
    made.push(known);
    return known;
  });
  return { accounts, made };
}

describe('the accounts of one pair', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('B33: gives the same provider again, and counts', () => {
    const { accounts, made } = accountsOf(10);
    expect(accounts.counts).toBeUndefined();
    const one = accounts.of(identityOf('one'));
    expect(accounts.of(identityOf('one'))).toBe(one);
    accounts.of(identityOf('bad'));
    expect(made).toHaveLength(2);
    expect(accounts.counts).toEqual({ tokens: 1, failing: 1 });
  });

  it('B33: drops the one that was not used for longest', () => {
    const { accounts, made } = accountsOf(2);
    for (const account of ['a', 'b', 'a', 'c', 'a', 'b']) accounts.of(identityOf(account));
    expect(made.map(({ account }) => account)).toEqual(['a', 'b', 'c', 'b']);
  });

  it('B33: drops none whose request is under way, and makes room as soon as the requests have ended', () => {
    const { accounts, made } = accountsOf(2);
    for (let index = 0; index < 50; index += 1) accounts.of(identityOf(`busy ${index}`)).isBusy = true;
    expect(accounts.counts?.tokens).toBe(50);
    for (const one of made) one.isBusy = false;
    for (let index = 0; index < 50; index += 1) accounts.of(identityOf(`next ${index}`));
    expect(accounts.counts?.tokens).toBe(2);
  });

  it('B33: does not count or keep one that is only looked at', () => {
    const { accounts, made } = accountsOf(2);
    accounts.of(identityOf('seen'), false);
    expect(accounts.counts).toBeUndefined();
    made.length = 0;
    accounts.of(identityOf('a'));
    accounts.of(identityOf('b'));
    expect(accounts.of(identityOf('a'), false)).toBe(made[0]);
    accounts.of(identityOf('seen'), false);
    accounts.of(identityOf('c'));
    expect(accounts.counts?.tokens).toBe(2);
    expect(accounts.of(identityOf('a'), false)).not.toBe(made[0]);
  });
});
