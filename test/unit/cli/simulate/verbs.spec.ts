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

function namesOf(target: Target): string[] {
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

/** The verbs of `token` and of `api`. */
const OF_BOTH = [
  [
    'for',
    'choice',
    '[interface: an interface of the provider, environment: an environment of the provider (optional)]',
    'only requests to this interface and environment',
  ],
  [
    'next',
    'choice',
    'count: a whole number from 1 to 1000000 (optional)',
    'only the next requests; without it, all requests until reset',
  ],
  ['after', 'choice', 'ms: a whole number from 0 to 600000', 'waits before the answer'],
  ['regular', 'answer', 'true', 'the regular answer'],
  ['delay', 'answer', 'ms: a whole number from 0 to 600000', 'the regular answer, after a delay'],
  [
    'status',
    'answer',
    '[status: a whole number from 200 to 999, rest: an object with reason, headers, body (optional)]',
    'a status, by default without a body',
  ],
  [
    'body',
    'answer',
    '[body: a text or an object, rest: an object with status, reason, headers (optional)]',
    'a body, by default with status 200',
  ],
  ['answer', 'answer', 'answer: an object with status, reason, headers, body', 'your own answer'],
  [
    'retryAfter',
    'answer',
    '[when: a number of seconds, or a text of Latin-1 characters without control characters, status: a whole number from 200 to 999 (optional)]',
    'an answer with Retry-After, by default with status 503',
  ],
  [
    'redirect',
    'answer',
    '[location: a number of seconds, or a text of Latin-1 characters without control characters, status: a whole number from 200 to 999 (optional)]',
    'a redirect, by default with status 302',
  ],
  [
    'reset',
    'answer',
    'where: "before-headers" or "mid-body" (optional)',
    'resets the connection instead of answering',
  ],
  [
    'hangUp',
    'answer',
    'where: "before-headers" or "mid-body" (optional)',
    'closes the connection instead of answering',
  ],
  ['hang', 'answer', 'true', 'never answers'],
  [
    'drip',
    'answer',
    '[part: "body" or "headers" or "interim" (optional), everyMs: a whole number from 1 to 600000 (optional)]',
    'an endless answer in small steps',
  ],
  ['flood', 'answer', 'rest: an object with status, headers (optional)', 'an endless body'],
  ['garbage', 'answer', 'bytes: a text (optional)', 'bytes that are not HTTP, then closes the connection'],
  [
    'switchProtocols',
    'answer',
    'protocol: a number of seconds, or a text of Latin-1 characters without control characters (optional)',
    'status 101, although the client did not ask for it',
  ],
] as const;

const ONLY_OF_API = [
  ['path', 'choice', 'path: a text', 'only requests to this path under the base URL'],
  ['early', 'choice', 'true', "answers without reading the request's body"],
] as const;

const DESCRIPTIONS = {
  token: [
    ...OF_BOTH,
    [
      'lifetime',
      'answer',
      '[seconds: a number of seconds above 0, at most 10 years, rest: an object with expiresIn (optional)]',
      'tokens with this lifetime in seconds; expiresIn changes what the answer says',
    ],
    ['sameTokenAgain', 'answer', 'true', "the pair's last token again, valid or not"],
    ['members', 'answer', 'members: an object', 'the regular answer with these members changed'],
    [
      'refuse',
      'answer',
      '[error: a text (optional), rest: an object with status, description (optional)]',
      'an error as in RFC 6749, by default invalid_client',
    ],
    ['revoke', 'now', 'token: a text', 'revokes this token; the result says whether it was valid'],
    [
      'revokeAll',
      'now',
      'true',
      'revokes all valid tokens, or those of the pair in for; the result is their number',
    ],
  ],
  api: [
    ...OF_BOTH.slice(0, 3),
    ...ONLY_OF_API,
    ...OF_BOTH.slice(3),
    ['unauthorized', 'answer', 'true', '401, although the token is valid'],
  ],
  simulator: [
    ['reset', 'now', 'true', 'removes all faults; tokens stay valid'],
    [
      'takeBack',
      'now',
      'id: a whole number from 1 to 9007199254740991',
      'removes one fault; the result says whether it still waited',
    ],
    [
      'newSession',
      'now',
      'true',
      'starts over: ends callers, and removes faults, counts and requests; tokens stay valid',
    ],
  ],
} as const;

/** A provider that only notes which methods were called. `revokeAll` has a result, and `hang` is no method. */
function givenProvider() {
  const calls: string[] = [];
  const recorder = (target: string): object =>
    new Proxy(
      { hang: undefined },
      {
        get(methods, name) {
          if (name in methods) return undefined;
          return function (this: object, ...values: readonly unknown[]): unknown {
            calls.push(
              `${target}.${String(name)}(${values.map((value) => JSON.stringify(value)).join(', ')})`,
            );
            return name === 'revokeAll' ? 3 : this;
          };
        },
      },
    );
  const provider = {
    pairs: [
      { interface: 'easy', environment: 'sandbox' },
      { interface: 'stock', environment: 'live' },
    ],
    token: recorder('token'),
    api: recorder('api'),
    reset: () => void calls.push('reset()'),
  };
  const run = (target: Target, chain: unknown, simulator?: object): unknown =>
    runChain(provider as unknown as ProviderSimulator, target, chain, simulator);
  return { calls, run };
}

const LIST = 'GET this address to list the verbs.';
const HEADER_TEXT = 'a number of seconds, or a text of Latin-1 characters without control characters';
const OF_STATUS = '"status": rest must be an object with reason, headers, body.';

const needsOne = (target: Target, example: string): string =>
  `Name exactly one answer or action for ${target}, for example "${example}".`;

describe('the verbs of provider-auth simulate', () => {
  let provider: ProviderSimulator;
  beforeAll(async () => (provider = await ProviderSimulator.start()));
  afterAll(() => provider.close());

  it('B25: are all methods of provider.token and provider.api that JSON can call', () => {
    expect(namesOf('token')).toEqual(methodsOf(provider.token));
    expect(namesOf('api')).toEqual(methodsOf(provider.api));
    expect(namesOf('simulator')).toEqual(['newSession', 'reset', 'takeBack']);
  });

  it.each(
    TARGETS.flatMap((target) => DESCRIPTIONS[target].map(([verb, role]) => [target, verb, role] as const)),
  )('B25: run: %s %s', (target, verb, role) => {
    const chain = { ...(role === 'choice' && { regular: true }), [verb]: VALUES[verb] ?? true };
    // The methods of the command itself.
    const simulator = { reset: () => undefined, takeBack: () => true, newSession: () => undefined };
    expect(() => runChain(provider, target, chain, simulator)).not.toThrow();
  });

  it('B25: run in the order of the table, whatever the order of the object', () => {
    const chain = { status: 503, next: 2, for: ['easy', 'sandbox'] };
    expect(codeOf('token', chain)).toBe('token.for("easy", "sandbox").next(2).status(503)');
  });

  it('S10: are printed without the texts of a token or a body', () => {
    expect(codeOf('token', { revoke: 'canary-token' })).toBe('token.revoke(…)');
    expect(codeOf('token', { members: { access_token: 'canary-token' } })).toBe('token.members({…})');
    expect(codeOf('api', { body: 'x'.repeat(41) })).toBe('api.body("…")');
  });

  it.each(TARGETS)('B25: say what they take and what they do: %s', (target) => {
    expect(describeVerbs(target).map(({ verb, role, value, does }) => [verb, role, value, does])).toEqual(
      DESCRIPTIONS[target],
    );
  });

  it.each<[chain: object, calls: readonly string[]]>([
    [
      { status: [503, { body: 'x' }], for: ['easy', 'sandbox'], next: true },
      ['token.for("easy", "sandbox")', 'token.next()', 'token.status(503, {"body":"x"})'],
    ],
    [{ for: 'stock', regular: true }, ['token.for("stock")', 'token.regular()']],
    [{ after: 0, body: { a: 1 } }, ['token.after(0)', 'token.body({"a":1})']],
    [
      { next: 1_000_000, after: 600_000, status: 999 },
      ['token.next(1000000)', 'token.after(600000)', 'token.status(999)'],
    ],
    [{ next: 1, status: 200 }, ['token.next(1)', 'token.status(200)']],
    [{ lifetime: [0.001, { expiresIn: -1 }] }, ['token.lifetime(0.001, {"expiresIn":-1})']],
    [{ lifetime: 315_360_000 }, ['token.lifetime(315360000)']],
    [{ retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' }, ['token.retryAfter("Wed, 21 Oct 2026 07:28:00 GMT")']],
    [{ reset: 'before-headers' }, ['token.reset("before-headers")']],
    [{ hangUp: 'mid-body' }, ['token.hangUp("mid-body")']],
    [{ drip: ['body', 1] }, ['token.drip("body", 1)']],
    [{ drip: 'headers' }, ['token.drip("headers")']],
    [{ drip: ['interim', 600_000] }, ['token.drip("interim", 600000)']],
    [{ garbage: '\n' }, ['token.garbage("\\n")']],
    [
      { flood: { headers: { 'x-a': 5, 'x-b': ['c', 'd'] }, status: 201 } },
      ['token.flood({"headers":{"x-a":5,"x-b":["c","d"]},"status":201})'],
    ],
    [
      { answer: { status: 418, reason: 'Théière', headers: {}, body: {} } },
      ['token.answer({"status":418,"reason":"Théière","headers":{},"body":{}})'],
    ],
    [
      { refuse: ['invalid_scope', { status: 401, description: 'no' }] },
      ['token.refuse("invalid_scope", {"status":401,"description":"no"})'],
    ],
    [{ members: { a: 1 } }, ['token.members({"a":1})']],
    [{ revoke: 'canary-token' }, ['token.revoke("canary-token")']],
    [{ revokeAll: true, for: 'easy' }, ['token.for("easy")', 'token.revokeAll()']],
  ])('B25: call the method with the same name, first the choices: %j', (chain, calls) => {
    const given = givenProvider();
    given.run('token', chain);
    expect(given.calls).toEqual(calls);
  });

  it('B25: return what their action returns', () => {
    expect(givenProvider().run('token', { revokeAll: true })).toBe(3);
  });

  it('B25: of the API act on the API, and of the simulator on the simulator', () => {
    const { calls, run } = givenProvider();
    run('api', { path: '/payments', early: true, unauthorized: true });
    run('simulator', { reset: true });
    const ids: number[] = [];
    run('simulator', { takeBack: 7 }, { takeBack: (id: number) => ids.push(id) });
    expect(calls).toEqual(['api.path("/payments")', 'api.early()', 'api.unauthorized()', 'reset()']);
    expect(ids).toEqual([7]);
  });

  it.each<[chain: object, code: string]>([
    [{ hang: true, early: true, path: '/a' }, 'api.path("/a").early().hang()'],
    [{ reset: 'mid-body', next: true, after: 5 }, 'api.next().after(5).reset("mid-body")'],
    [{ body: 'x'.repeat(40) }, `api.body("${'x'.repeat(40)}")`],
    [{ status: [503, { a: 1 }] }, 'api.status(503, {…})'],
    [{ retryAfter: [2, 429] }, 'api.retryAfter(2, 429)'],
  ])('B25: are shown as code: %j', (chain, code) => {
    expect(codeOf('api', chain as Chain)).toBe(code);
  });

  const noObject = 'The body must be one JSON object of at most 64 KiB, for example {"next":1,"status":503}.';

  it.each<[target: Target, chain: unknown, says: string]>([
    ['token', undefined, noObject],
    ['token', null, noObject],
    ['token', [], noObject],
    ['token', 'status', noObject],
    ['token', {}, needsOne('token', 'status')],
    ['api', { next: 1 }, needsOne('api', 'status')],
    ['api', { status: 503, hang: true }, needsOne('api', 'status')],
    ['simulator', {}, needsOne('simulator', 'reset')],
    ['token', { constructor: true }, `There is no verb "constructor" for token. ${LIST}`],
    ['token', { toString: true }, `There is no verb "toString" for token. ${LIST}`],
    ['token', { hold: true }, `There is no verb "hold" for token. ${LIST}`],
    ['token', { 'a b': true }, `There is no verb for token. ${LIST}`],
    ['token', { '!abcdefgh': true }, `There is no verb for token. ${LIST}`],
    ['token', { 'abcdefgh!': true }, `There is no verb for token. ${LIST}`],
    ['token', { ['x'.repeat(40)]: true }, `There is no verb "${'x'.repeat(40)}" for token. ${LIST}`],
    ['token', { ['x'.repeat(41)]: true }, `There is no verb for token. ${LIST}`],
    ['token', { retryafter: 2 }, 'There is no verb "retryafter" for token. Did you mean "retryAfter"?'],
    ['simulator', { hang: true }, `There is no verb "hang" for simulator. ${LIST}`],
    ['api', { revokeAll: true }, `There is no verb "revokeAll" for api. ${LIST}`],
    ['token', { early: true }, `There is no verb "early" for token. ${LIST}`],
    ['api', { early: 1, hang: true }, '"early" takes no value: write true.'],
    ['token', { for: ['easy', 'sandbox', 1], hang: true }, '"for" takes at most 2.'],
    ['token', { for: true, hang: true }, '"for" needs interface.'],
    ['token', { lifetime: [] }, '"lifetime" needs seconds.'],
    ['token', { for: 'eazy', hang: true }, '"for": interface must be an interface of the provider.'],
    [
      'token',
      { for: ['easy', 'production'], hang: true },
      '"for": environment must be an environment of the provider.',
    ],
    ['token', { next: 1.5, hang: true }, '"next": count must be a whole number from 1 to 1000000.'],
    ['token', { next: 0, hang: true }, '"next": count must be a whole number from 1 to 1000000.'],
    ['token', { next: 1_000_001, hang: true }, '"next": count must be a whole number from 1 to 1000000.'],
    ['token', { after: '5', hang: true }, '"after": ms must be a whole number from 0 to 600000.'],
    ['token', { after: -1, hang: true }, '"after": ms must be a whole number from 0 to 600000.'],
    ['token', { delay: 600_001 }, '"delay": ms must be a whole number from 0 to 600000.'],
    ['token', { after: 500, revokeAll: true }, '"revokeAll" acts at once. Leave out "after".'],
    ['token', { for: 'easy', next: 2, revoke: 'x' }, '"revoke" acts at once. Leave out "next".'],
    ['token', { status: '503' }, '"status": status must be a whole number from 200 to 999.'],
    ['token', { status: 199 }, '"status": status must be a whole number from 200 to 999.'],
    ['token', { status: 1000 }, '"status": status must be a whole number from 200 to 999.'],
    ['token', { lifetime: 0 }, '"lifetime": seconds must be a number of seconds above 0, at most 10 years.'],
    [
      'token',
      { lifetime: 315_360_001 },
      '"lifetime": seconds must be a number of seconds above 0, at most 10 years.',
    ],
    [
      'token',
      { lifetime: '5' },
      '"lifetime": seconds must be a number of seconds above 0, at most 10 years.',
    ],
    ['token', { lifetime: [5, { expiresIn: 'soon' }] }, '"lifetime": rest must be an object with expiresIn.'],
    ['token', { redirect: 'a\nb' }, `"redirect": location must be ${HEADER_TEXT}.`],
    ['token', { retryAfter: { a: 1 } }, `"retryAfter": when must be ${HEADER_TEXT}.`],
    ['token', { retryAfter: null }, `"retryAfter": when must be ${HEADER_TEXT}.`],
    ['token', { retryAfter: [2, 99] }, '"retryAfter": status must be a whole number from 200 to 999.'],
    ['token', { reset: 'elsewhere' }, '"reset": where must be "before-headers" or "mid-body".'],
    ['token', { drip: ['trailers'] }, '"drip": part must be "body" or "headers" or "interim".'],
    ['token', { drip: ['body', 0] }, '"drip": everyMs must be a whole number from 1 to 600000.'],
    ['token', { body: 5 }, '"body": body must be a text or an object.'],
    ['token', { body: [[1]] }, '"body": body must be a text or an object.'],
    ['token', { garbage: 5 }, '"garbage": bytes must be a text.'],
    ['token', { members: 'x' }, '"members": members must be an object.'],
    ['token', { status: [503, { status: 1 }] }, OF_STATUS],
    ['token', { status: [503, { reason: 'Odd', status: 1 }] }, OF_STATUS],
    ['token', { status: [503, 'x'] }, OF_STATUS],
    ['token', { status: [503, { reason: 'ü→' }] }, OF_STATUS],
    ['token', { status: [503, { reason: 5 }] }, OF_STATUS],
    ['token', { status: [503, { headers: 'x' }] }, OF_STATUS],
    ['token', { status: [503, { headers: { 'x y': 'a' } }] }, OF_STATUS],
    ['token', { status: [503, { headers: { 'x-a': ['b', 'c\n'] } }] }, OF_STATUS],
    ['token', { status: [503, { headers: { 'x-a': 'b', 'x-b': null } }] }, OF_STATUS],
    ['token', { status: [503, { constructor: 1 }] }, OF_STATUS],
    ['token', { flood: { reason: 'Odd' } }, '"flood": rest must be an object with status, headers.'],
    ['token', { refuse: ['x', { body: 'x' }] }, '"refuse": rest must be an object with status, description.'],
    [
      'api',
      { answer: { reason: 'Odd\r\nX-Mood: tea' } },
      '"answer": answer must be an object with status, reason, headers, body.',
    ],
    [
      'api',
      { answer: { headers: { a: 'b\nc' } } },
      '"answer": answer must be an object with status, reason, headers, body.',
    ],
    ['simulator', { takeBack: 0 }, '"takeBack": id must be a whole number from 1 to 9007199254740991.'],
    ['token', { hang: true }, '"hang" cannot be used here.'],
    ['simulator', { newSession: true }, '"newSession" cannot be used here.'],
  ])('B25: are refused: %s %j', (target, chain, says) => {
    const { calls, run } = givenProvider();
    expect(() => run(target, chain)).toThrow(ChainError);
    expect(() => run(target, chain)).toThrow(new ChainError(says));
    expect(calls).toEqual([]);
  });
});
