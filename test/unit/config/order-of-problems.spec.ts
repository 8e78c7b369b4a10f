import { expect, it } from 'vitest';
import { ProblemList } from '../../support/application/built-in.js';

const pathsIn = (...paths: string[]): string[] => {
  const problems = new ProblemList();
  for (const path of paths) problems.add({ path, env: undefined, message: 'is wrong.' });
  return problems.toError().problems.map(({ path }) => path);
};

const AS_WRITTEN = [
  '(options)',
  'environment',
  'environment.originations',
  'environment.easy',
  'interfaces',
  'interfaces.originations',
  'interfaces.originations.tokenUrl',
  'interfaces.originations.sandbox',
  'interfaces.originations.sandbox.baseUrl',
  'interfaces.originations.sandbox.clientId',
  'interfaces.originations.sandbox.clientSecret',
  'interfaces.originations.sandbox.another',
  'interfaces.originations.production.baseUrl',
  'interfaces.easy.sandbox.tokenUrl',
  'interfaces.easy.sandbox.baseUrl',
  'interfaces.easy.other',
  'token',
  'token.timeoutMs',
  'token.expiryLeewayMs',
  'token.maxAttempts',
  'token.renewAheadMs',
  'http.timeoutMs',
  'http.headers',
  'http.headers.a',
  'http.headers.b',
  'store',
  'another',
  'other',
];

it('C4: problems are in the usual order of a configuration, then in the order of their names', () => {
  expect(pathsIn(...AS_WRITTEN.toReversed())).toEqual(AS_WRITTEN);
  expect(pathsIn(...AS_WRITTEN.toSorted())).toEqual(AS_WRITTEN);
});

it('C4: the problems of one place stay in the order in which they were found', () => {
  const problems = new ProblemList();
  for (const message of ['second', 'first', 'third']) problems.add({ path: 'http', env: undefined, message });
  expect(problems.toError().problems.map(({ message }) => message)).toEqual(['second', 'first', 'third']);
});

it('C4: a problem is reported once for each path or variable', () => {
  const problems = new ProblemList();
  const message = 'is wrong.';
  const given = [
    { path: 'a', env: undefined, message },
    { path: 'a', env: undefined, message },
    { path: 'b', env: undefined, message },
    { path: 'environment.easy', env: 'VARIABLE', message },
    { path: 'environment.originations', env: 'VARIABLE', message },
    { path: 'environment.originations', env: 'VARIABLE', message: 'is wrong in another way.' },
  ];
  for (const problem of given) problems.add(problem);
  expect(problems.toError().problems.map(({ path, env, message }) => [env ?? path, message])).toEqual([
    ['VARIABLE', 'is wrong in another way.'],
    ['VARIABLE', message],
    ['a', message],
    ['b', message],
  ]);
  expect(problems.toError().problems.every((problem) => Object.isFrozen(problem))).toBe(true);
});
