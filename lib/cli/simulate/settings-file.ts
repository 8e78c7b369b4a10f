import { createHash, createPrivateKey } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator, SimulatorCredentials } from '../../testing/index.js';
import { CannotRun } from '../environment.js';

/**
 * The variable with the credentials of all accounts, as JSON: by account, interface and environment. Its name has no prefix of a
 * provider, because an application reads it, and not this module.
 */
export const ACCOUNTS_VARIABLE = 'SIMULATED_ACCOUNTS';

/** Adds `merchant-1` and so on, and returns the value of the variable. */
export function addAccounts(provider: ProviderSimulator<string, string>, count: number): string {
  const all: Record<string, Record<string, Record<string, object>>> = {};
  for (let number = 1; number <= count; number += 1) {
    const account = accountName(number);
    provider.addAccount(account);
    const ofAccount: Record<string, Record<string, object>> = (all[account] = {});
    for (const { interface: name, environment } of provider.simulation.catalogue.pairs)
      (ofAccount[name] ??= {})[environment] = provider.credentials(name, environment, account);
  }
  return JSON.stringify(all);
}

export function accountNames(count: number | undefined): string | undefined {
  if (count === undefined) return undefined;
  return count === 1 ? accountName(1) : `${accountName(1)} to ${accountName(count)}`;
}

function accountName(number: number): string {
  return `merchant-${number}`;
}

/** `@nestjs/config`, Node and a shell read the same value in single quotes. */
export function settingsLine([name, value]: readonly [name: string, value: string]): string {
  if (value.includes("'")) throw new CannotRun(`${name} must have no quote. Use another path.`);
  return /^[\w%+,./:=@-]*$/.test(value) ? `${name}=${value}\n` : `${name}='${value}'\n`;
}

/** A path as a person can paste it after a command. On Windows, cmd knows no single quotes. */
export function quotedPath(path: string): string {
  const quote = process.platform === 'win32' ? '"' : "'";
  return /^[\w./:-]+$/.test(path) ? path : quote + path + quote;
}

/** A private key on the curve P-256 as PKCS #8 (RFC 5915), up to its number. OpenSSL computes the public key. */
const BEFORE_KEY = Buffer.from(
  '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420',
  'hex',
);

/**
 * The same credentials at each start and in each folder, so that a restart of the simulator needs no restart of the
 * application. Anyone can compute them, so only the simulator accepts them. The secret contains characters that wrong form
 * encoding breaks, but none that an env file or a shell treats specially, so the file works without quotes.
 */
export function fixedCredentials({ interface: name, environment, account }: AnyPair): SimulatorCredentials {
  const client = [name, environment, account].filter((part) => part !== undefined);
  const hash = createHash('sha256')
    .update(['provider-auth simulate', ...client].join(' '))
    .digest();
  const [one, two, three, four] = hash.toString('hex').match(/.{12}/g) ?? [];
  const key = createPrivateKey({ key: Buffer.concat([BEFORE_KEY, hash]), format: 'der', type: 'pkcs8' });
  return {
    clientId: `${client.join('-')}-simulated`,
    clientSecret: `${one}+%/${two}+%=${three}+%=${four}`,
    clientKey: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
