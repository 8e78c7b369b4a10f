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

/** Values for the verbs that need one: at the limits of what they take. */
const VALUES: Readonly<Record<string, unknown>> = {
  next: 1_000_000,
  after: 600_000,
  delay: 0,
  for: ['easy', 'sandbox'],
  path: '/payments',
  status: [999, { reason: 'Théière', headers: { 'x-a': ['b', 'c'] }, body: { a: 1 } }],
  body: ['text', { status: 200 }],
  answer: { status: 418, reason: 'Teapot', headers: { a: 'b' }, body: 'x' },
  retryAfter: [2, 429],
  redirect: ['https://elsewhere.example/', 307],
  reset: 'mid-body',
  hangUp: 'before-headers',
  garbage: '\n',
  lifetime: [315_360_000, { expiresIn: -1 }],
  members: { expires_in: 'soon' },
  refuse: ['invalid_request', { status: 401, description: 'no' }],
  revoke: 'a token',
  takeBack: 1,
};

describe('the verbs of provider-auth simulate', () => {
  let provider: ProviderSimulator;
  beforeAll(async () => (provider = await ProviderSimulator.start()));
  afterAll(() => provider.close());

  it('B25: are all methods of provider.token and provider.api that JSON can call', () => {
    expect(namesOf('token')).toEqual(methodsOf(provider.token));
    expect(namesOf('api')).toEqual(methodsOf(provider.api));
    expect(namesOf('simulator')).toEqual(['newSession', 'reset', 'takeBack']);
  });

  it.each(TARGETS)('B25: of %s run, with all of their arguments', (target) => {
    const simulator = { reset: () => undefined, takeBack: () => true, newSession: () => undefined };
    for (const { verb, role, value, does } of describeVerbs(target)) {
      const given = value === 'true' ? true : (VALUES[verb] ?? true);
      const chain = { ...(role === 'choice' && { regular: true }), [verb]: given };
      expect(() => runChain(provider, target, chain, simulator)).not.toThrow();
      expect([value, does]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
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
  });

  it('B25: a choice limits the fault, and an action returns its result', async () => {
    provider.reset();
    runChain(provider, 'token', { for: 'easy', next: 3, status: 503 });
    expect(provider.waitingScripts).toMatchObject([{ scope: { interface: 'easy' }, left: 3 }]);
    expect(runChain(provider, 'token', { for: 'easy', revokeAll: true })).toBe(0);
    runChain(provider, 'simulator', { reset: true });
    expect(provider.waitingScripts).toEqual([]);
  });

  it.each<[target: Target, chain: unknown, says: string]>([
    [
      'token',
      null,
      'The body must be one JSON object of at most 64 KiB, for example {"next":1,"status":503}.',
    ],
    ['api', { status: 503, hang: true }, 'Name exactly one answer or action for api, for example "status".'],
    ['simulator', {}, 'Name exactly one answer or action for simulator, for example "reset".'],
    [
      'token',
      { constructor: true },
      'There is no verb "constructor" for token. GET this address to list the verbs.',
    ],
    ['token', { retryafter: 2 }, 'There is no verb "retryafter" for token. Did you mean "retryAfter"?'],
    ['api', { early: 1, hang: true }, '"early" takes no value: write true.'],
    ['token', { for: true, hang: true }, '"for" needs interface.'],
    ['token', { for: 'eazy', hang: true }, '"for": interface must be an interface of the provider.'],
    ['token', { next: 0, hang: true }, '"next": count must be a whole number from 1 to 1000000.'],
    ['token', { after: 600_001, hang: true }, '"after": ms must be a whole number from 0 to 600000.'],
    ['token', { for: 'easy', next: 2, revoke: 'x' }, '"revoke" acts at once. Leave out "next".'],
    ['token', { status: '503' }, '"status": status must be a whole number from 200 to 999.'],
    ['token', { lifetime: 0 }, '"lifetime": seconds must be a number of seconds above 0, at most 10 years.'],
    ['token', { lifetime: [5, 'soon'] }, '"lifetime": rest must be an object.'],
    ['token', { reset: 'elsewhere' }, '"reset": where must be "before-headers" or "mid-body".'],
    ['token', { body: 5 }, '"body": body must be a text or an object.'],
    ['token', { retryAfter: null }, '"retryAfter": when must be a number of seconds or a text.'],
    ['simulator', { newSession: true }, '"newSession" cannot be used here.'],
  ])('B25: are refused, and nothing happens: %s %j', (target, chain, says) => {
    provider.reset();
    expect(() => runChain(provider, target, chain as Chain)).toThrow(new ChainError(says));
    expect(provider.waitingScripts).toEqual([]);
  });
});
