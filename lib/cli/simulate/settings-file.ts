import { createECDH, createHash, createPrivateKey } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator, SimulatorCredentials } from '../../testing/index.js';
import { CannotRun } from '../environment.js';

/**
 * The variable with the credentials of all accounts, as JSON: by account, interface and environment. Its name has no prefix of a
 * provider, because an application reads it, and not this module.
 */
export const ACCOUNTS_VARIABLE = 'SIMULATED_ACCOUNTS';

/** Linux starts no process with a longer variable. Its name, the `=` and a zero byte count, too. */
const LONGEST_VARIABLE = 128 * 1024;

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

export function accountNames(count: number): string {
  return count === 1 ? accountName(1) : `${accountName(1)} to ${accountName(count)}`;
}

function accountName(number: number): string {
  return `merchant-${number}`;
}

/** Each kind of quotes, and what a value in them cannot contain: `@nestjs/config`, Node or a shell would change it. */
const QUOTES: readonly (readonly [quote: string, not: RegExp])[] = [
  ["'", /'/],
  ['"', /["$`\\]/],
  // A shell would run this one as a command.
  ['`', /`/],
];

/** `@nestjs/config` and Node read the same value. A shell reads it too if one of its quotes fits. */
function quotedValue(name: string, value: string): string {
  if (/^[\w%+,./:=@-]*$/.test(value)) return value;
  const [quote] = QUOTES.find(([, not]) => !not.test(value)) ?? [];
  if (quote === undefined)
    throw new CannotRun(`${name} has too many kinds of quotes for a settings file. Use another path.`);
  return quote + value + quote;
}

/**
 * A path as a person can paste it after a command. On Windows, cmd knows no single quotes, and no path contains a double quote.
 *
 * @param platform as `process.platform`.
 */
export function quotedPath(path: string, platform: string = process.platform): string {
  if (/^[\w./:-]+$/.test(path)) return path;
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
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
