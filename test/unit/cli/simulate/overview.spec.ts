import { describe, expect, it } from 'vitest';
import { nameOf, Overview, type PairOverview, shownPath } from '../../../../lib/cli/simulate/overview.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { NO_COUNTS } from '../../../support/application/shown-session.js';

const EASY = { interface: 'easy', environment: 'sandbox' } as const;
const STOCK = { interface: 'stock', environment: 'live' } as const;
const NO_FAILURES = { tokenFailures: 0, tokenFailure: '', callFailures: 0, callFailure: '' };
const IDLE = { level: 'idle', text: 'No requests yet.' };

type Changes = Partial<ObservedRequest>;

const call = (changes: Changes = {}): ObservedRequest => ({
  ...EASY,
  account: undefined,
  kind: 'api',
  at: new Date('2026-01-02T03:04:05.678Z'),
  method: 'GET',
  path: '/payments/1',
  status: 200,
  reason: 'valid token',
  fault: undefined,
  refusedWith: [401],
  isEarly: false,
  isComplete: true,
  durationMs: 3.6,
  ...changes,
});
const token = (changes: Changes = {}): ObservedRequest =>
  call({ kind: 'token', method: 'POST', path: '/token', reason: 'token issued', ...changes });
const refused = (changes: Changes = {}): ObservedRequest =>
  call({ status: 401, reason: 'token revoked', ...changes });
/** To an address that no pair has. */
const nowhere = (changes: Changes = {}): ObservedRequest =>
  call({
    interface: undefined,
    environment: undefined,
    status: 404,
    reason: 'no such address',
    refusedWith: [],
    ...changes,
  });

/** The overview of a simulator with two pairs, whose newest tokens the test chooses. */
function givenOverview(...requests: readonly ObservedRequest[]) {
  const tokens = new Map<string, PairOverview['token']>();
  const provider = { pairs: [EASY, STOCK], newestToken: (pair: object) => tokens.get(nameOf(pair)) };
  const overview = new Overview(provider as unknown as ProviderSimulator);
  const add = (...more: readonly ObservedRequest[]) => more.map((request) => overview.add(request));
  add(...requests);
  const pair = (name: string) => overview.pairs().find((one) => one.name === name);
  return { overview, tokens, add, pair };
}

describe('the counts of an overview', () => {
  it('B25: begin at 0 for each pair, and nothing is shown for unknown addresses', () => {
    const { overview } = givenOverview();
    expect(overview.counts).toEqual(NO_COUNTS);
    expect(overview.summary).toEqual({
      pairs: [EASY, STOCK].map((pair) => ({
        ...pair,
        name: nameOf(pair),
        ...NO_COUNTS,
        ...NO_FAILURES,
        token: { state: 'none' },
        verdict: IDLE,
      })),
      headline: IDLE,
    });
  });

  it('B25: are of all pairs together, and of each pair', () => {
    const { overview, pair } = givenOverview(
      token(),
      call(),
      call(),
      call({ ...STOCK, status: 500, reason: 'valid token' }),
      token({ ...STOCK, status: 503, reason: 'unavailable' }),
    );
    expect(overview.counts).toEqual({
      ...NO_COUNTS,
      tokenRequests: 2,
      apiRequests: 3,
      failed: 2,
      failedTokenRequests: 1,
      failedCalls: 1,
    });
    expect(pair('easy sandbox')).toMatchObject({
      ...NO_COUNTS,
      ...NO_FAILURES,
      tokenRequests: 1,
      apiRequests: 2,
    });
    expect(pair('stock live')).toMatchObject({
      ...NO_COUNTS,
      tokenRequests: 1,
      apiRequests: 1,
      failed: 2,
      failedTokenRequests: 1,
      failedCalls: 1,
      tokenFailures: 1,
      tokenFailure: '503 unavailable',
      callFailures: 1,
      callFailure: '500 valid token',
    });
  });

  it('B25: are copies: a request that comes later does not change them', () => {
    const { overview, add } = givenOverview();
    const before = overview.counts;
    add(call());
    expect(before).toEqual(NO_COUNTS);
  });

  it.each<[what: string, request: ObservedRequest, failed: number]>([
    ['status 399', call({ status: 399 }), 0],
    ['status 400', call({ status: 400 }), 1],
    ['no answer', call({ status: undefined, isComplete: false }), 1],
    ['an answer that broke off', call({ isComplete: false }), 1],
  ])('B25: count a request as failed or not: %s', (_, request, failed) => {
    const { overview } = givenOverview(request);
    expect(overview.counts).toEqual({ ...NO_COUNTS, apiRequests: 1, failed, failedCalls: failed });
  });

  it('B25: count failures in a row of each kind, until a request of the kind works', () => {
    const { add, pair } = givenOverview(
      token({ status: 503, reason: 'one' }),
      token({ status: undefined, reason: 'two' }),
      refused({ reason: 'no token' }),
    );
    expect(pair('easy sandbox')).toMatchObject({
      tokenFailures: 2,
      tokenFailure: 'no answer the client left before the answer',
      callFailures: 1,
      callFailure: '401 no token',
    });
    add(token());
    expect(pair('easy sandbox')).toMatchObject({ tokenFailures: 0, tokenFailure: '', callFailures: 1 });
    add(call());
    expect(pair('easy sandbox')).toMatchObject(NO_FAILURES);
  });

  it('B25: of a fault repeat only its status', () => {
    const { pair } = givenOverview(token({ status: 503, fault: 1 }), call({ status: undefined, fault: 2 }));
    expect(pair('easy sandbox')).toMatchObject({ tokenFailure: '503', callFailure: 'no answer' });
  });

  it('B25: count the calls of callers that could not be sent', () => {
    const { overview, pair } = givenOverview();
    overview.noteUnsent(EASY);
    overview.noteUnsent(EASY);
    expect(overview.counts).toEqual({ ...NO_COUNTS, unsent: 2 });
    expect(pair('easy sandbox')?.unsent).toBe(2);
    expect(pair('stock live')?.unsent).toBe(0);
  });

  it('B25: begin at 0 again in a new session, and the ids go on', () => {
    const { overview, add } = givenOverview(
      token(),
      refused(),
      token(),
      call({ account: 'merchant-1' }),
      nowhere(),
    );
    overview.clear();
    expect(overview.counts).toEqual(NO_COUNTS);
    expect(overview.stories.list()).toEqual([]);
    expect(overview.pairs().map(({ name, apiRequests }) => [name, apiRequests])).toEqual([
      ['easy sandbox', 0],
      ['stock live', 0],
    ]);
    expect(add(nowhere(), call()).map(({ id, count }) => [id, count])).toEqual([
      [6, 1],
      [7, 1],
    ]);
    expect(overview.pairs().map(({ name }) => name)).toEqual([
      'easy sandbox',
      'stock live',
      'unknown address',
    ]);
  });
});

const earlyOf = (...requests: readonly ObservedRequest[]): number =>
  givenOverview(...requests).overview.counts.early;

describe('an early token', () => {
  const early = token({ isEarly: true });

  it('B25: is counted for its pair, and its request says why', () => {
    const { overview, add, pair } = givenOverview(token());
    expect(add(early)).toMatchObject([{ reason: 'token issued; the last token was still valid', ok: true }]);
    expect([overview.counts.early, pair('easy sandbox')?.early, pair('stock live')?.early]).toEqual([
      1, 1, 0,
    ]);
  });

  it('B25: is one after each other early token', () => expect(earlyOf(token(), early, early)).toBe(2));

  it('B25: is also the first one that is seen, because a token from before may still be valid', () =>
    expect(earlyOf(early)).toBe(1));

  it('B25: is none if no token was issued', () =>
    expect(earlyOf(token(), token({ isEarly: true, status: 400 }))).toBe(0));

  it.each([401, 403])(
    'B25: is none after the API has refused the token with one of its statuses: %i',
    (status) => {
      const refusedWith = [401, 403];
      expect(earlyOf(token(), call({ status, refusedWith }), early)).toBe(0);
      expect(earlyOf(token(), call({ status, refusedWith }), early, early)).toBe(1);
      expect(earlyOf(token(), call({ status, refusedWith }), token({ status: 503 }), early)).toBe(0);
      expect(earlyOf(token(), call({ status, refusedWith: [] }), early)).toBe(1);
      expect(earlyOf(token(), call({ ...STOCK, status, refusedWith }), early)).toBe(1);
    },
  );

  it('B25: is none of a client that has just started', () => {
    const { overview, add } = givenOverview(token());
    overview.noteStart(EASY);
    expect(add(early)).toMatchObject([{ reason: 'token issued' }]);
    expect(overview.counts.early).toBe(0);
    add(early);
    expect(overview.counts.early).toBe(1);
  });
});

describe('a call that was sent again', () => {
  it('B25: names the refused call, and has recovered if it worked', () => {
    const { overview, add, pair } = givenOverview(token(), refused(), token());
    expect(overview.stories.takeChanged()).toHaveLength(1);
    expect(overview.stories.takeChanged()).toEqual([]);
    const [again] = add(call());
    expect(again).toMatchObject({ id: 4, resendOf: 2 });
    expect(overview.counts.recovered).toBe(1);
    expect(pair('easy sandbox')?.recovered).toBe(1);
    expect(overview.stories.list()).toMatchObject([
      { name: 'easy sandbox', reason: 'token revoked', sentAgain: 1 },
    ]);
  });

  it('B25: has not recovered if it failed again', () => {
    const { overview, add } = givenOverview(token(), refused(), token());
    expect(add(call({ status: 500 }))).toMatchObject([{ resendOf: 2 }]);
    expect(overview.counts).toMatchObject({ recovered: 0, failedCalls: 2 });
  });

  it('B25: is of the same account', () => {
    const { add } = givenOverview(
      token(),
      refused({ account: 'merchant-1' }),
      token({ account: 'merchant-1' }),
    );
    const [other, same] = add(call(), call({ account: 'merchant-1' }));
    expect(other).not.toHaveProperty('resendOf');
    expect(same).toMatchObject({ account: 'merchant-1', resendOf: 2 });
  });

  it('B25: a call without a token is no refused token', () => {
    const { overview, add } = givenOverview(refused({ reason: 'no token' }), token());
    expect(add(call())[0]).not.toHaveProperty('resendOf');
    expect(overview.stories.list()).toEqual([]);
  });
});

describe('a request in the overview', () => {
  it('B25: is shown with all that is known of it, and nothing else', () => {
    const { add } = givenOverview();
    const shown = {
      ...EASY,
      at: '2026-01-02T03:04:05.678Z',
      ok: true,
      status: 200,
      durationMs: 4,
    };
    expect(
      add(
        token(),
        call({ account: 'merchant-7' }),
        call({ method: 'PO\u001bST', path: '/a?b=c', durationMs: 0.4 }),
        call({ status: 503, reason: '', fault: 9 }),
        nowhere({ status: undefined }),
      ),
    ).toStrictEqual([
      { ...shown, id: 1, kind: 'token', method: 'POST', path: '/token', reason: 'token issued', count: 1 },
      {
        ...shown,
        id: 2,
        kind: 'api',
        account: 'merchant-7',
        method: 'GET',
        path: '/payments/1',
        reason: 'valid token',
        count: 1,
      },
      {
        ...shown,
        id: 3,
        kind: 'api',
        method: 'PO\ufffdST',
        path: '/a?…',
        reason: 'valid token',
        durationMs: 0,
        count: 1,
      },
      {
        ...shown,
        id: 4,
        kind: 'api',
        method: 'GET',
        path: '/payments/1',
        status: 503,
        ok: false,
        reason: 'caused by a fault',
        fault: 9,
        count: 2,
      },
      {
        id: 5,
        at: shown.at,
        kind: 'api',
        method: 'GET',
        path: '/payments/1',
        ok: false,
        reason: 'the client left before the answer',
        durationMs: 4,
        count: 1,
      },
    ]);
  });

  it('B25: has the number of its kind and pair', () => {
    const { add } = givenOverview();
    expect(add(token(), call(), call(), token(), call(STOCK)).map(({ count }) => count)).toEqual([
      1, 1, 2, 2, 1,
    ]);
  });

  it.each<[request: ObservedRequest, reason: string]>([
    [call({ fault: 1, status: undefined }), 'caused by a fault: no answer'],
    [call({ fault: 1, isComplete: false }), 'caused by a fault: the answer broke off'],
    [token({ fault: 1, reason: 'token issued for 3 s' }), 'caused by a fault: token issued for 3 s'],
    [token({ fault: 1, reason: 'no token issued' }), 'caused by a fault'],
    [token({ fault: 1, status: 201 }), 'caused by a fault'],
    [call({ status: undefined }), 'the client left before the answer'],
    [call({ isComplete: false }), 'valid token'],
  ])('B25: says why it has its answer: %j', (request, reason) => {
    expect(givenOverview().add(request)).toMatchObject([{ reason }]);
  });
});

describe('the pairs of an overview', () => {
  it('B25: have their newest token and one sentence', () => {
    const { overview, tokens, pair } = givenOverview(token(), call());
    const newest = { state: 'valid', fingerprint: 'abc', expiresAt: 5, lifetimeMs: 9 } as const;
    tokens.set('easy sandbox', newest);
    expect(pair('easy sandbox')).toEqual({
      ...EASY,
      name: 'easy sandbox',
      ...NO_COUNTS,
      ...NO_FAILURES,
      tokenRequests: 1,
      apiRequests: 1,
      token: newest,
      verdict: { level: 'good', text: '1 token request served 1 call.' },
    });
    expect(overview.summary.headline).toEqual({ level: 'good', text: '1 token request served 1 call.' });
  });

  it('B25 B33: include each account that was seen, with its own numbers', () => {
    const { overview, pair } = givenOverview(
      call(),
      call({ account: 'merchant-1' }),
      call({ account: 'merchant-1' }),
      call({ account: 'merchant-2' }),
    );
    expect(overview.pairs().map(({ name, apiRequests }) => [name, apiRequests])).toEqual([
      ['easy sandbox', 1],
      ['stock live', 0],
      ['easy sandbox merchant-1', 2],
      ['easy sandbox merchant-2', 1],
    ]);
    expect(pair('easy sandbox merchant-1')).toMatchObject({ ...EASY, account: 'merchant-1' });
    expect(pair('easy sandbox')).not.toHaveProperty('account');
  });

  it('B25 B29: end with unknown addresses as soon as a request has come to one', () => {
    const { overview, add } = givenOverview(call());
    add(nowhere());
    expect(overview.pairs().at(-1)).toEqual({
      name: 'unknown address',
      ...NO_COUNTS,
      ...NO_FAILURES,
      apiRequests: 1,
      failed: 1,
      failedCalls: 1,
      callFailures: 1,
      callFailure: '404 no such address',
      token: { state: 'none' },
      verdict: { level: 'bad', text: '1 call failed in a row (404 no such address).' },
    });
    expect(overview.summary.headline).toEqual({
      level: 'bad',
      text: 'unknown address: 1 call failed in a row (404 no such address).',
    });
  });

  it('B25 B29: a call that works says that the addresses are right again', () => {
    const { overview, add } = givenOverview(nowhere());
    const last = () => overview.pairs().at(-1)?.verdict;
    add(token());
    expect(last()?.level).toBe('bad');
    add(call({ status: 500 }));
    expect(last()?.level).toBe('bad');
    add(call());
    expect(last()).toEqual({ level: 'idle', text: '1 request to addresses that no pair has.' });
  });

  it('B25 B29: token requests to an unknown address are trouble, too', () => {
    const { overview, add } = givenOverview(token(), nowhere({ kind: 'token' }), nowhere());
    const last = () => overview.pairs().at(-1)?.verdict;
    expect(last()).toEqual({
      level: 'warn',
      text: '1 token request refused (404 no such address). The last token is still valid.',
    });
    add(call());
    expect(last()?.level).toBe('warn');
    add(token());
    expect(last()).toEqual({ level: 'idle', text: '2 requests to addresses that no pair has.' });
  });
});

describe('the name of a pair', () => {
  it('B25: has an account if there is one, and says if no pair has the address', () => {
    expect(nameOf(EASY)).toBe('easy sandbox');
    expect(nameOf({ ...EASY, account: 'merchant-1' })).toBe('easy sandbox merchant-1');
    expect(nameOf({})).toBe('unknown address');
  });
});

describe('the path of a request', () => {
  const [header, claims] = [{ alg: 'ES256' }, { sub: 'canary' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const JWT = `${header}.${claims}.canary_-d`;

  it.each([
    ['', ''],
    ['/payments/1', '/payments/1'],
    ['/payments?', '/payments?…'],
    ['/payments?secret=1?2', '/payments?…'],
    ['/a\u001b[2J', '/a\ufffd[2J'],
    [`/${JWT}/x/${JWT}`, '/[redacted]/x/[redacted]'],
    ['/eyJhbGciOiJ/x', '/[redacted]/x'],
    ['/eyJhbGciOi/x', '/eyJhbGciOi/x'],
    ['/eyJhbGciOiJ.a.b.c', '/[redacted].c'],
    ['/eyJhbGciOiJ..', '/[redacted]'],
  ])('S10: is shown without its query, tokens and control characters: %j', (path, shown) => {
    expect(shownPath(path)).toBe(shown);
  });
});
