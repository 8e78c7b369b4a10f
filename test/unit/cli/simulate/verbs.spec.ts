import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Chain,
  ChainError,
  codeOf,
  describeVerbs,
  runChain,
  type Target,
  TARGETS,
} from '../../../../lib/cli/simulate/verbs.js';
import { ProviderSimulator } from '../../../../lib/testing/index.js';
import { tableRowsOf } from '../../../support/package/manual-pages.js';

/** These need a function as an argument, return an object with functions, or are internal. */
const NOT_IN_JSON = new Set(['handler', 'hold', 'constructor', 'withScope', 'addScript']);

function methodsOf(scripts: object): string[] {
  const names = new Set<string>();
  for (
    let type = Object.getPrototypeOf(scripts);
    type !== Object.prototype;
    type = Object.getPrototypeOf(type)
  )
    for (const name of Object.getOwnPropertyNames(type)) names.add(name);
  return [...names].filter((name) => !NOT_IN_JSON.has(name)).toSorted();
}

function namesOf(target: Target): string[] {
  return describeVerbs(target)
    .map(({ verb }) => verb)
    .toSorted();
}

describe('the verbs of provider-auth simulate', () => {
  let provider: ProviderSimulator;
  beforeAll(async () => (provider = await ProviderSimulator.start()));
  afterAll(() => provider.close());

  it('B25: are all methods of provider.token and provider.api that JSON can call', () => {
    expect(namesOf('token')).toEqual(methodsOf(provider.token));
    expect(namesOf('api')).toEqual(methodsOf(provider.api));
    expect(describeVerbs('simulator').map(({ verb, role, example }) => [verb, role, example])).toEqual([
      ['reset', 'now', true],
      ['takeBack', 'now', 7],
      ['newSession', 'now', true],
    ]);
  });

  it.each(['token', 'api'] as const)('B25: of %s are described as on their page', async (target) => {
    const rows = await tableRowsOf(['docs/simulate.md']);
    const described = rows
      .map((row) => row.map((cell) => cell.replaceAll('`', '')))
      .filter(([, , targets]) => targets?.split(', ').includes(target))
      .map(([verb, role, , does, example = '']) => ({ verb, role, does, example: JSON.parse(example) }));
    expect(new Set(described)).toEqual(new Set(describeVerbs(target)));
  });

  it.each(TARGETS)('B25: of %s run with their examples', (target) => {
    const simulator = { reset: () => undefined, takeBack: () => true, newSession: () => undefined };
    for (const { verb, role, example } of describeVerbs(target)) {
      const chain = { ...(role === 'choice' && { regular: true }), [verb]: example };
      expect(() => runChain(provider, target, chain, simulator)).not.toThrow();
    }
  });

  it('B25: run in the order of the table, and are shown as code', () => {
    const chain = { status: 503, next: 2, for: ['easy', 'sandbox'] };
    expect(codeOf('token', chain)).toBe('token.for("easy", "sandbox").next(2).status(503)');
    expect(codeOf('api', { hang: true, early: true, path: '/a' })).toBe('api.path("/a").early().hang()');
  });

  it('S10: are printed without the texts of a token or a body', () => {
    expect(codeOf('token', { revoke: 'canary-token' })).toBe('token.revoke(…)');
    expect(codeOf('token', { members: { access_token: 'canary-token' } })).toBe('token.members({…})');
    expect(codeOf('api', { body: 'x'.repeat(41) })).toBe('api.body("…")');
    expect(codeOf('api', { body: 'x'.repeat(40) })).not.toContain('…');
  });

  it('B25: take a number at each end of its range', () => {
    for (const chain of [{ delay: 0 }, { delay: 600_000 }, { status: 100 }, { status: 999 }])
      expect(() => runChain(provider, 'token', chain, provider)).not.toThrow();
  });

  it('B25: a choice limits the fault, and an action returns its result', async () => {
    provider.reset();
    runChain(provider, 'token', { for: 'easy', next: 3, status: 503 }, provider);
    expect(provider.simulation.scripts.waiting).toMatchObject([{ scope: { interface: 'easy' }, left: 3 }]);
    expect(runChain(provider, 'token', { for: 'easy', revokeAll: true }, provider)).toBe(0);
    runChain(provider, 'simulator', { reset: true }, provider);
    expect(provider.simulation.scripts.waiting).toEqual([]);
  });

  it.each<[target: Target, chain: unknown, says: string]>([
    ['token', null, 'The body must be one JSON object, for example {"next":1,"status":503}.'],
    ['api', { status: 503, hang: true }, 'Name exactly one answer or action for api, for example "status".'],
    ['simulator', {}, 'Name exactly one answer or action for simulator, for example "reset".'],
    [
      'token',
      { constructor: true },
      'There is no verb "constructor" for token. GET this address to list the verbs.',
    ],
    ['token', { retryafter: 2 }, 'There is no verb "retryafter" for token. Did you mean "retryAfter"?'],
    ['token', { 'can ary': 1 }, 'There is no verb for token. GET this address to list the verbs.'],
    ...['eazy sandbox', 'easy test'].map((pair): [Target, unknown, string] => [
      'token',
      { for: pair.split(' '), hang: true },
      '"for" takes an interface of the provider, and an environment of it if you like.',
    ]),
    ['token', { next: 0, hang: true }, '"next" takes a number from 1 on.'],
    ...[[['(']], { a: 1 }, 5, true].map((path): [Target, unknown, string] => [
      'api',
      { path, next: 1, status: 503 },
      '"path" takes a text, for example "/payments/1".',
    ]),
    ...[1e12, -1, 0.5, '5', true].flatMap((ms): [Target, unknown, string][] => [
      ['api', { after: ms, status: 503 }, '"after" takes a whole number from 0 to 600000.'],
      ['token', { delay: ms }, '"delay" takes a whole number from 0 to 600000.'],
    ]),
    ...[99, 1_000, [[503]], true].map((status): [Target, unknown, string] => [
      'token',
      { status },
      '"status" takes a whole number from 100 to 999.',
    ]),
    ['token', { for: 'easy', next: 2, revoke: 'x' }, '"revoke" acts at once. Leave out "next".'],
    ['token', { revoke: 7 }, '"revoke" cannot take this: token.reveal is not a function'],
  ])('B25: are refused, and nothing happens: %s %j', (target, chain, says) => {
    provider.reset();
    expect(() => runChain(provider, target, chain as Chain, provider)).toThrow(new ChainError(says));
    expect(provider.simulation.scripts.waiting).toEqual([]);
  });
});
