import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { runs } from '../../support/run/runs.js';
import {
  CANARY,
  optionsAt,
  rightOptions,
  shownBy,
  type Tree,
} from '../../support/secrets/config-canaries.js';

const MEMBERS = [
  'environment interfaces token http originations easy other sandbox production tokenUrl baseUrl clientId clientSecret',
  'client_secret timeoutMs maxAttempts expiryLeewayMs renewAheadMs headers proxy auth host port username password',
  'httpsAgent transport retryUnauthorized Authorization length toString constructor __proto__',
].flatMap((names) => names.split(' '));

const EASY = ['', '.sandbox', '.production'].map((end) => `interfaces.easy${end}`);
const PLACES = [
  '',
  'interfaces',
  'interfaces.originations.sandbox',
  ...EASY,
  'token',
  'http',
  'http.headers',
].concat(['http.proxy', 'http.proxy.auth']);

/** Every text contains the canary. */
const text = fc
  .tuple(
    fc.constantFrom(
      '',
      'https://',
      'http://',
      '{',
      ' ',
      '\n',
      'Bearer ',
      '$value ',
      '$property',
      '$constraint1',
      '<',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('', '/oauth/token', '/auth/v0/connect/token', '}', '\n', '?x', '#x', '>'),
  )
  .map(([start, middle, end]) => `${start}${middle}${CANARY}${end}`);

const throwing = (message: string) => (): never => {
  throw new Error(message);
};

/** Values that throw or hide a text. They are created late, because fast-check reads the values that it generates. */
const ODD: readonly ((message: string) => unknown)[] = [
  (message) => new Secret(message),
  (message) => throwing(message),
  (message) => () => message,
  (message) => () => Promise.reject(new Error(message)),
  (message) => new Error(message),
  (message) => Symbol(message),
  (message) => new Map([[message, message]]),
  (message) =>
    new Proxy(
      {},
      {
        get: throwing(message),
        ownKeys: throwing(message),
        getPrototypeOf: throwing(message),
        has: throwing(message),
      },
    ),
  (message) => new Proxy(() => message, { get: throwing(message), getPrototypeOf: throwing(message) }),
  (message) => Object.defineProperty({}, 'clientSecret', { enumerable: true, get: throwing(message) }),
  (message) => ({
    toString: throwing(message),
    toJSON: throwing(message),
    [Symbol.toPrimitive]: throwing(message),
    reveal: throwing(message),
  }),
  (message) => ({ options: { rejectUnauthorized: message }, addRequest: message, open: message }),
];

const PLAIN = [undefined, null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 10n, true, '', 'sandbox'];

/** Creates a value for each call. */
const maker: fc.Arbitrary<() => unknown> = fc.oneof(
  text.map((value) => () => value),
  fc.tuple(fc.constantFrom(...ODD), text).map(
    ([make, message]) =>
      () =>
        make(message),
  ),
  fc.constantFrom(...PLAIN).map((value) => () => value),
  fc.array(text, { maxLength: 3 }).map((value) => () => value),
  fc.dictionary(fc.constantFrom(...MEMBERS), text, { maxKeys: 4 }).map((value) => () => ({ ...value })),
);

const changes = fc.array(
  fc.record({ place: fc.constantFrom(...PLACES), member: fc.constantFrom(...MEMBERS), make: maker }),
  { minLength: 1, maxLength: 6 },
);

type Changes = typeof changes extends fc.Arbitrary<infer Value> ? Value : never;

function changed(list: Changes): Tree {
  const options = rightOptions();
  for (const { place, member, make } of list) {
    try {
      Object.defineProperty(optionsAt(options, place), member, {
        value: make(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } catch {
      // Another change has put a value without members there.
    }
  }
  return options;
}

/** The error of the validation, if there is one. */
async function thrownBy(options: unknown): Promise<unknown> {
  try {
    await validateOptions(options, {});
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Correct options become settings. Wrong options become an error of this module with whole sentences and no value. */
async function endsWell(options: unknown): Promise<boolean> {
  const error = await thrownBy(options);
  if (error === undefined) return true;
  return (
    error instanceof ProviderAuthConfigError &&
    !shownBy(error).toLowerCase().includes(CANARY) &&
    error.problems.every(({ message }) => /[.?]$/.test(message))
  );
}

describe('S10: random wrong configurations', { timeout: 300_000 }, () => {
  it('C4: the error is of this module and shows no value', async () => {
    const property = fc.asyncProperty(changes, (list) => endsWell(changed(list)));
    await expect(fc.assert(property, { numRuns: runs(250) })).resolves.toBeUndefined();
  });

  it('C4: the same for a value that is no configuration', async () => {
    const property = fc.asyncProperty(maker, (make) => endsWell(make()));
    await expect(fc.assert(property, { numRuns: runs(100) })).resolves.toBeUndefined();
  });
});
