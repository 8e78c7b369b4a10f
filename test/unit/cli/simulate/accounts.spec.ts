import { describe, expect, it, vi } from 'vitest';
import { CannotRun } from '../../../../lib/cli/environment.js';
import { accountNames, addAccounts } from '../../../../lib/cli/simulate/accounts.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';

const PAIRS = [
  { interface: 'easy', environment: 'sandbox' },
  { interface: 'easy', environment: 'production' },
  { interface: 'originations', environment: 'sandbox' },
];

type AnySimulator = ProviderSimulator<string, string>;

/** A simulator whose credentials are the names that they are for. */
function givenProvider(
  pairs = PAIRS,
  credentials: (...names: string[]) => object = (...names) => ({ names }),
) {
  const addAccount = vi.fn<(account: string) => void>();
  return { addAccount, provider: { pairs, addAccount, credentials } as unknown as AnySimulator };
}

/** All credentials of an account. */
const ofAccount = (account: string) => ({
  easy: {
    sandbox: { names: ['easy', 'sandbox', account] },
    production: { names: ['easy', 'production', account] },
  },
  originations: { sandbox: { names: ['originations', 'sandbox', account] } },
});

/** Credentials with a text. One character has two bytes, so that the length is not that of the text. */
const withText = (text: string) => givenProvider(PAIRS.slice(0, 1), () => ({ id: `é${text}` })).provider;

describe('the variable with the accounts', () => {
  it('B25 B33: holds the credentials by account, interface and environment, and the provider knows each account', () => {
    const { provider, addAccount } = givenProvider();
    const { SIMULATED_ACCOUNTS: value = '', ...others } = addAccounts(provider, 2);
    expect(others).toEqual({});
    expect(JSON.parse(value)).toEqual({
      'merchant-1': ofAccount('merchant-1'),
      'merchant-2': ofAccount('merchant-2'),
    });
    expect(addAccount.mock.calls).toEqual([['merchant-1'], ['merchant-2']]);
  });

  it('B25 B33: is absent without accounts', () => {
    const { provider, addAccount } = givenProvider();
    expect(addAccounts(provider)).toEqual({});
    expect(addAccounts(provider, 0)).toEqual({});
    expect(addAccount).not.toHaveBeenCalled();
  });

  it('B25 B33: may be as long as Linux permits, with its name and its zero byte, and not one byte longer', () => {
    const { SIMULATED_ACCOUNTS: shortest = '' } = addAccounts(withText(''), 1);
    const used = Buffer.byteLength(`SIMULATED_ACCOUNTS=${shortest}\0`);
    const room = 131_072 - used;
    expect(addAccounts(withText('x'.repeat(room)), 1)).toEqual({ SIMULATED_ACCOUNTS: expect.any(String) });
    const tooLong = () => addAccounts(withText('x'.repeat(room + 1)), 1);
    expect(tooLong).toThrow(CannotRun);
    expect(tooLong).toThrow(
      '--accounts 1 needs a variable of 129 KiB, and Linux starts no process with more than 128 KiB. Use --accounts 0 or fewer.',
    );
  });

  it('B25 B33: that is too long says how many accounts fit', () => {
    const { provider } = givenProvider(PAIRS, () => ({ id: 'x'.repeat(1000) }));
    expect(() => addAccounts(provider, 100)).toThrow(
      '--accounts 100 needs a variable of 304 KiB, and Linux starts no process with more than 128 KiB. Use --accounts 42 or fewer.',
    );
    expect(addAccounts(provider, 42)).toEqual({ SIMULATED_ACCOUNTS: expect.any(String) });
  });
});

it.each([
  [1, 'merchant-1'],
  [2, 'merchant-1 to merchant-2'],
  [30, 'merchant-1 to merchant-30'],
])('B25 B33: the names of %d accounts are %s', (count, names) => {
  expect(accountNames(count)).toBe(names);
});
