import { expect, it } from 'vitest';
import { CANARY, configErrorOf, optionsWith, shownBy } from '../../support/secrets/config-canaries.js';
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
