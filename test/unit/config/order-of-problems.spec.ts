import { expect, it } from 'vitest';
import { Validation } from '../../../lib/config/validation.js';
import { CATALOGUE } from '../../support/application/built-in.js';

type Problem = Parameters<Validation['add']>[0];

/** The problems of the error, in its order. */
function problemsOf(...given: readonly Problem[]) {
  const validation = new Validation(CATALOGUE, {});
  for (const problem of given) validation.add(problem);
  return validation.problems;
}

const AS_WRITTEN = [
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
  'interfaces.originations.sandbox.tls.ca',
  'interfaces.originations.sandbox.another',
  'interfaces.originations.production.baseUrl',
  'interfaces.easy.sandbox.tokenUrl',
  'interfaces.easy.sandbox.baseUrl',
  'interfaces.easy.other',
  'token',
  'token.timeoutMs',
  'token.maxAttempts',
  'http.timeoutMs',
  'http.proxy.auth.username',
  'http.headers',
  'http.headers.a',
  'http.other',
  'store',
  'another',
];

it('C4: problems are in the order of the options. An unknown member comes after all others of its object', () => {
  const message = 'is wrong.';
  for (const paths of [AS_WRITTEN.toReversed(), AS_WRITTEN.toSorted()])
    expect(problemsOf(...paths.map((path) => ({ path, message }))).map(({ path }) => path)).toEqual(
      AS_WRITTEN,
    );
});

it('C4: the problems of one place stay in the order in which they were found', () => {
  const messages = ['second', 'first', 'third'];
  const problems = problemsOf(...messages.map((message) => ({ path: 'http', message })));
  expect(problems.map(({ message }) => message)).toEqual(messages);
});

it('C4: a problem is reported once for each path or variable', () => {
  const message = 'is wrong.';
  const problems = problemsOf(
    { path: 'a', message },
    { path: 'a', message },
    { path: 'b', message },
    { path: 'environment.easy', env: 'VARIABLE', message },
    { path: 'environment.originations', env: 'VARIABLE', message },
    { path: 'environment.originations', env: 'VARIABLE', message: 'is wrong in another way.' },
  );
  expect(problems.map(({ path, env, message: words }) => [env ?? path, words])).toEqual([
    ['VARIABLE', 'is wrong in another way.'],
    ['VARIABLE', message],
    ['a', message],
    ['b', message],
  ]);
  expect(problems.every((problem) => Object.isFrozen(problem))).toBe(true);
});
