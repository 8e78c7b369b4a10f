import { createECDH, createHash, createPrivateKey } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator, SimulatorCredentials } from '../../testing/index.js';
import { CannotRun } from '../environment.js';

/**
 * The variable with the credentials of all accounts, as JSON: by account, interface and environment. Its name has no prefix of a
 * provider, because an application reads it, and not this module.
 */
export const ACCOUNTS_VARIABLE = 'SIMULATED_ACCOUNTS';

export function settingsOf(
  provider: ProviderSimulator,
  variables: Readonly<Record<string, string>>,
  accounts = 0,
): string {
  const all = { ...variables, ...addAccounts(provider, accounts) };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${quotedValue(name, value)}\n`)
    .join('');
}

/** Adds `merchant-1` and so on, and returns the variable. Without accounts there is none. */
function addAccounts(provider: ProviderSimulator<string, string>, count: number): Record<string, string> {
  const all: Record<string, Record<string, Record<string, object>>> = {};
  for (let number = 1; number <= count; number += 1) {
    const account = accountName(number);
    provider.addAccount(account);
    const ofAccount: Record<string, Record<string, object>> = (all[account] = {});
    for (const { interface: name, environment } of provider.pairs)
      (ofAccount[name] ??= {})[environment] = provider.credentials(name, environment, account);
  }
  return count === 0 ? {} : { [ACCOUNTS_VARIABLE]: JSON.stringify(all) };
}

export function accountNames(count: number): string {
  return count === 1 ? accountName(1) : `${accountName(1)} to ${accountName(count)}`;
}

function accountName(number: number): string {
  return `merchant-${number}`;
}

/** `@nestjs/config`, Node and a shell read the same value in single quotes. */
function quotedValue(name: string, value: string): string {
  if (/^[\w%+,./:=@-]*$/.test(value)) return value;
  if (value.includes("'")) throw new CannotRun(`${name} must have no quote. Use another path.`);
  return `'${value}'`;
}

/** A path as a person can paste it after a command. On Windows, cmd knows no single quotes. */
export function quotedPath(path: string): string {
  const quote = process.platform === 'win32' ? '"' : "'";
  return /^[\w./:-]+$/.test(path) ? path : quote + path + quote;
}

/**
 * The same credentials at each start and in each folder, so that a restart of the simulator needs no restart of the
 * application. The secret contains characters that wrong form encoding breaks, but none that an env file or a shell
 * treats specially, so the file works without quotes.
 */
export function fixedCredentials({ interface: name, environment, account }: AnyPair): SimulatorCredentials {
  const client = [name, environment, account].filter((part) => part !== undefined);
  const hash = createHash('sha256')
    .update(['provider-auth simulate', ...client].join(' '))
    .digest();
  const digest = hash.toString('hex');
  const parts = [digest.slice(0, 12), digest.slice(12, 24), digest.slice(24, 36), digest.slice(36, 48)];
  return {
    clientId: `${client.join('-')}-simulated`,
    clientSecret: parts.join('+%=').replace('=', '/'),
    clientKey: keyOf(hash),
  };
}

/** The private key with this number. Anyone can compute it, so only the simulator accepts it. */
function keyOf(number: Buffer): string {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(number);
  const point = curve.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: number.toString('base64url'),
    // The first byte says how the point is written. Two numbers of 32 bytes follow.
    x: point.toString('base64url', 1, 33),
    y: point.toString('base64url', 33),
  };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
