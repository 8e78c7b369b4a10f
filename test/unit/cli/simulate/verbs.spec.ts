import { describe, expect, it } from 'vitest';
import { ChainError, codeOf, describeVerbs, runChain, TARGETS } from '../../../../lib/cli/simulate/verbs.js';
import { startSimulator } from '../../../support/application/simulator.js';

/** These need a function as an argument, or return an object with functions. JSON has no functions. */
const ONLY_IN_CODE = ['handler', 'hold'];

/** These are internal. */
const INTERNAL = ['constructor', 'withScope', 'addScript'];

function methodsOf(scripts: object): string[] {
  const names = new Set<string>();
  for (
    let type = Object.getPrototypeOf(scripts);
    type !== Object.prototype;
    type = Object.getPrototypeOf(type)
  )
    for (const name of Object.getOwnPropertyNames(type)) names.add(name);
  return [...names].filter((name) => ![...INTERNAL, ...ONLY_IN_CODE].includes(name)).toSorted();
}

function namesOf(target: (typeof TARGETS)[number]): string[] {
  return describeVerbs(target)
    .map(({ verb }) => verb)
    .toSorted();
}

/** Values for the verbs that need one. */
const VALUES: Readonly<Record<string, unknown>> = {
  after: 1,
  delay: 1,
  for: ['easy', 'sandbox'],
  path: '/payments',
  status: [503, { headers: { 'x-a': ['b', 'c'] }, body: { a: 1 } }],
  body: ['text', { status: 201 }],
  answer: { status: 418, reason: 'Teapot', headers: { a: 'b' }, body: 'x' },
  retryAfter: [2, 429],
  redirect: ['https://elsewhere.example/', 307],
  lifetime: [2, { expiresIn: -1 }],
  members: { expires_in: 'soon' },
  refuse: ['invalid_request', { description: 'no' }],
  revoke: 'a token',
  takeBack: 1,
};

describe('the verbs of provider-auth simulate', () => {
  it('B25: are all methods of provider.token and provider.api that JSON can call', async () => {
    const provider = await startSimulator();
    expect(namesOf('token')).toEqual(methodsOf(provider.token));
    expect(namesOf('api')).toEqual(methodsOf(provider.api));
    expect(namesOf('simulator')).toEqual(['newSession', 'reset', 'takeBack']);
  });

  it.each(
    TARGETS.flatMap((target) => describeVerbs(target).map(({ verb, role }) => [target, verb, role] as const)),
  )('B25: run: %s %s', async (target, verb, role) => {
    const provider = await startSimulator();
    const chain = { ...(role === 'choice' && { regular: true }), [verb]: VALUES[verb] ?? true };
    // The methods of the command itself.
    const simulator = { reset: () => undefined, takeBack: () => true, newSession: () => undefined };
    expect(() => runChain(provider, target, chain, simulator)).not.toThrow();
  });

  it('B25: run in the order of the table, whatever the order of the object', async () => {
    const chain = { status: 503, next: 2, for: ['easy', 'sandbox'] };
    expect(codeOf('token', chain)).toBe('token.for("easy", "sandbox").next(2).status(503)');
  });

  it('S10: are printed without the texts of a token or a body', () => {
    expect(codeOf('token', { revoke: 'a-token' })).toBe('token.revoke(…)');
    expect(codeOf('token', { members: { access_token: 'a-token' } })).toBe('token.members({…})');
    expect(codeOf('api', { body: 'x'.repeat(41) })).toBe('api.body("…")');
  });

  it.each([
    ['token', null, 'one JSON object'],
    ['token', [], 'one JSON object'],
    ['token', {}, 'exactly one answer'],
    ['token', { constructor: true }, 'no verb "constructor"'],
    ['token', { toString: true }, 'no verb "toString"'],
    ['token', { hold: true }, 'no verb "hold"'],
    ['token', { 'a b': true }, 'There is no verb for token'],
    ['api', { revokeAll: true }, 'no verb "revokeAll" for api'],
    ['api', { early: 1, hang: true }, '"early" takes no value: write true'],
    ['token', { for: ['easy', 'sandbox', 1], hang: true }, '"for" takes at most 2'],
    ['token', { for: true, hang: true }, '"for" needs interface.'],
    ['token', { for: ['easy', 'live'], hang: true }, 'environment must be an environment of the provider'],
    ['token', { next: 1.5, hang: true }, 'count must be a whole number'],
    ['token', { after: 500, revokeAll: true }, '"revokeAll" acts at once. Leave out "after".'],
    ['token', { lifetime: 0 }, 'seconds must be a number of seconds above 0'],
    ['token', { redirect: 'a\nb' }, 'location must be'],
    ['token', { status: [503, { status: 1 }] }, 'rest must be an object with reason, headers, body'],
    ['token', { status: [503, { reason: 'ü→' }] }, 'rest must be an object with reason, headers, body'],
    ['api', { answer: { reason: 'Odd\r\nX-Mood: tea' } }, 'answer must be an object with status, reason'],
  ] as const)('B25: are refused: %s %j', async (target, chain, text) => {
    const provider = await startSimulator();
    expect(() => runChain(provider, target, chain)).toThrow(ChainError);
    expect(() => runChain(provider, target, chain)).toThrow(text);
  });
});
