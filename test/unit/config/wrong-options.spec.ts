import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import {
  CANARY,
  configErrorOf,
  optionsWith,
  problemsOf,
  shownBy,
} from '../../support/secrets/config-canaries.js';
import { ADDRESSES } from './wrong-options/addresses.js';
import { CREDENTIALS } from './wrong-options/credentials.js';
import { ENVIRONMENTS } from './wrong-options/environments.js';
import { type Refusal, refused } from './wrong-options/refusal.js';
import { TOKEN_AND_HTTP } from './wrong-options/token-and-http.js';

const UNKNOWN_MEMBERS: readonly Refusal[] = [
  refused(
    'an unknown member',
    { scopes: 'canary' },
    'scopes: Known here: environment, interfaces, token, http',
  ),
  refused('a misspelt member', { interface: {} }, 'interface: Did you mean interfaces?'),
  refused('isGlobal in the options of a factory', { isGlobal: false }, 'isGlobal: forRootAsync'),
  refused('a member that is no name', { 'canary canary': 1 }, '[not a name]: is not an option'),
];

const CASES = [...ENVIRONMENTS, ...ADDRESSES, ...CREDENTIALS, ...TOKEN_AND_HTTP, ...UNKNOWN_MEMBERS];

it.each(CASES)('C4 S10: refuses $name, and shows no value of it', async ({ changes, expected }) => {
  const error = await configErrorOf(optionsWith(changes));
  const { problems } = error;
  expect(problems.map(({ path }) => path)).toEqual(expected.map((line) => line.slice(0, line.indexOf(': '))));
  for (const [index, line] of expected.entries()) {
    expect(problems[index]?.message).toContain(line.slice(line.indexOf(': ') + 2));
    expect(problems[index]?.message).toMatch(/[.?]$/);
    expect(problems[index]).not.toHaveProperty('env');
  }
  expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
});

it.each([
  [undefined, 'are missing. Pass them.'],
  [null, 'must be an object, not null.'],
  ['canary', 'must be an object, not a string.'],
  [5, 'must be an object, not a number.'],
  [true, 'must be an object, not a boolean.'],
  [['canary'], 'must be an object, not a list.'],
  [() => 'canary', 'must be an object, not a function.'],
  [Symbol('canary'), 'must be an object, not a symbol.'],
])('C4: options that are not an object are reported with their kind: %s', async (options, message) => {
  const error = await configErrorOf(options);
  expect(error.problems).toEqual([{ path: '(options)', message }]);
  expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
});

it('C4: reports all problems of all interfaces in one error, in the order of a configuration', async () => {
  const { problems, code } = await configErrorOf(
    optionsWith({
      'http.headers.Authorization': 'canary',
      'token.maxAttempts': 0,
      'interfaces.easy.production.clientSecret': '',
      'interfaces.easy.sandbox.clientId': '',
      'interfaces.originations.tokenUrl': 'canary',
      'interfaces.originations.sandbox.clientSecret': 'xxx',
      'interfaces.originations.sandbox.baseUrl': 'http://canary',
      environment: 'canary',
      unknown: 1,
    }),
  );
  expect(code).toBe('CONFIG_INVALID');
  expect(problems.map(({ path }) => path)).toEqual([
    'environment',
    'unknown',
    'interfaces.originations.tokenUrl',
    'interfaces.originations.sandbox.baseUrl',
    'interfaces.originations.sandbox.clientSecret',
    'interfaces.easy.sandbox.clientId',
    'interfaces.easy.production.clientSecret',
    'token.maxAttempts',
    'http.headers.Authorization',
  ]);
});

it('S9: the variable that switches certificate checks off for the process is refused', async () => {
  const error = await configErrorOf(optionsWith({}), { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(error.problems).toEqual([
    {
      path: 'http.httpsAgent',
      env: 'NODE_TLS_REJECT_UNAUTHORIZED',
      message: expect.stringContaining('Remove it'),
    },
  ]);
});

const PROXY = { host: 'canary', port: 1 };
const STORE = { claim: () => {}, publish: () => {}, release: () => {} };

const pathsOf = async (member: string) =>
  (await problemsOf(optionsWith({ [member]: 1 }))).map(({ path }) => path);

describe('C4: limits are exact', () => {
  it.each([
    { path: 'token.timeoutMs', least: 1, most: 600_000, unit: ' of milliseconds' },
    { path: 'token.maxAttempts', least: 1, most: 10, unit: '' },
    { path: 'http.timeoutMs', least: 1, most: 600_000, unit: ' of milliseconds' },
    { path: 'http.maxRedirects', least: 0, most: 20, unit: '' },
    { path: 'http.proxy.port', least: 1, most: 65_535, unit: '' },
  ])('C4: $path goes from $least to $most', async ({ path, least, most, unit }) => {
    const withValue = (value: number) => optionsWith({ 'http.proxy': { ...PROXY }, [path]: value });
    for (const value of [least, most])
      await expect(validateOptions(withValue(value), {})).resolves.toBeDefined();
    const message = `must be a whole number${unit} from ${least} to ${most}.`;
    for (const value of [least - 1, least + 0.5, most + 1])
      expect(await problemsOf(withValue(value))).toEqual([{ path, message }]);
  });

  it.each(['token.expiryLeewayMs', 'token.renewAheadMs'])(
    'C4: %s starts at 0 and has no upper limit',
    async (path) => {
      for (const value of [0, Number.MAX_SAFE_INTEGER])
        await expect(validateOptions(optionsWith({ [path]: value }), {})).resolves.toBeDefined();
      const message = 'must be a whole number of milliseconds, 0 or more.';
      for (const value of [-1, 0.5, Number.POSITIVE_INFINITY])
        expect(await problemsOf(optionsWith({ [path]: value }))).toEqual([{ path, message }]);
    },
  );

  it('C4: the timeout of a store is above 0 and at most ten minutes', async () => {
    for (const timeoutMs of [undefined, 0.5, 600_000])
      await expect(
        validateOptions(optionsWith({ store: { ...STORE, timeoutMs } }), {}),
      ).resolves.toBeDefined();
    expect(await problemsOf(optionsWith({ store: Object.assign(() => {}, STORE) }))).toHaveLength(1);
    for (const timeoutMs of [0, -1, 600_001, Number.NaN, null])
      expect(await problemsOf(optionsWith({ store: { ...STORE, timeoutMs } }))).toEqual([
        {
          path: 'store',
          message:
            'must be a token store: an object with the functions claim, publish, release, and a timeoutMs above 0 and a function sealKey if it has them. Pass new RedisTokenStore(client), or leave it out.',
        },
      ]);
  });

  it('S10: a name of up to 64 letters is shown. A longer name may be a value in the wrong place', async () => {
    expect(await pathsOf('n'.repeat(64))).toEqual(['n'.repeat(64)]);
    expect(await pathsOf('n'.repeat(65))).toEqual(['[not a name]']);
    expect(await pathsOf('a_name$-1')).toEqual(['a_name$-1']);
    expect(await pathsOf('a name')).toEqual(['[not a name]']);
    expect(await pathsOf('name!')).toEqual(['[not a name]']);
  });
});
