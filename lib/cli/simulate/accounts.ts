import type { ProviderSimulator } from '../../testing/index.js';
import { CannotRun } from '../environment.js';

/**
 * The variable with the credentials of all accounts, as JSON: by account, interface and environment. Its name has no prefix of a
 * provider, because an application reads it, and not this module.
 */
export const ACCOUNTS_VARIABLE = 'SIMULATED_ACCOUNTS';

/** Linux starts no process with a longer variable. Its name, the `=` and a zero byte count, too. */
const LONGEST_VARIABLE = 128 * 1024;

/** Adds `merchant-1` and so on, and returns the variable. Without accounts there is none. */
export function addAccounts(provider: ProviderSimulator<string, string>, count = 0): Record<string, string> {
  const all: Record<string, Record<string, Record<string, object>>> = {};
  for (let number = 1; number <= count; number += 1) {
    const account = accountName(number);
    provider.addAccount(account);
    const ofAccount: Record<string, Record<string, object>> = (all[account] = {});
    for (const { interface: name, environment } of provider.pairs)
      (ofAccount[name] ??= {})[environment] = provider.credentials(name, environment, account);
  }
  const value = JSON.stringify(all);
  const length = Buffer.byteLength(`${ACCOUNTS_VARIABLE}=${value}`) + 1;
  if (length > LONGEST_VARIABLE) {
    // The first names are the shortest, so these fit.
    const fitting = Math.floor((count * LONGEST_VARIABLE) / length);
    throw new CannotRun(
      `--accounts ${count} needs a variable of ${Math.ceil(length / 1024)} KiB, and Linux starts no process with more than 128 KiB. ` +
        `Use --accounts ${fitting} or fewer.`,
    );
  }
  return count === 0 ? {} : { [ACCOUNTS_VARIABLE]: value };
}

/** `merchant-1`, or `merchant-1 to merchant-3`. */
export function accountNames(count: number): string {
  return count === 1 ? accountName(1) : `${accountName(1)} to ${accountName(count)}`;
}

function accountName(number: number): string {
  return `merchant-${number}`;
}
