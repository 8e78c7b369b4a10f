import { once } from 'node:events';
import { request } from 'node:https';
import timers from 'node:timers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { exchangeBuiltIn } from '../../support/application/replaced-builtin.js';
import {
  askForToken,
  callApi,
  openTokenRequest,
  outcome,
  statuses,
  tokenOf,
} from '../../support/application/simulator.js';

const provider = await ProviderSimulator.start();
const token = await tokenOf(provider);
afterEach(() => provider.reset());
afterAll(() => provider.close());

type Script = (all: ProviderSimulator['token']) => void;

interface Expected {
  status: number;
  reason?: string;
  headers?: Record<string, unknown>;
  text?: unknown;
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const NO_TYPE = { 'Content-Type': 'text/html', 'Cache-Control': undefined, 'X-Mood': 'tea' };
const BASIC = { 'www-authenticate': 'Basic realm="token"' };
const ISSUED: unknown = expect.stringMatching(/^\{"access_token":"eyJh/);

/** Each row is one kind of answer of the next request. The request after it gets the regular answer. */
it.each<[what: string, script: Script, expected: Expected]>([
  ['regular()', (all) => all.regular(), { status: 200, headers: JSON_HEADERS, text: ISSUED }],
  ['answer() without members', (all) => all.answer({}), { status: 200, headers: JSON_HEADERS, text: '' }],
  [
    'answer() with everything',
    (all) => all.answer({ status: 999, reason: 'Odd', headers: NO_TYPE, body: '<h1>Login</h1>' }),
    {
      status: 999,
      reason: 'Odd',
      headers: {
        'content-type': 'text/html',
        'cache-control': undefined,
        'x-mood': 'tea',
        'content-length': '14',
      },
      text: '<h1>Login</h1>',
    },
  ],
  [
    'answer() with an object',
    (all) => all.answer({ body: { a: ['ü'] } }),
    { status: 200, headers: { 'content-length': '12' }, text: '{"a":["ü"]}' },
  ],
  [
    'a chunked answer',
    (all) => all.body('some', { headers: { 'Transfer-Encoding': 'chunked' } }),
    { status: 200, headers: { 'content-length': undefined }, text: 'some' },
  ],
  ['an unknown status', (all) => all.status(599), { status: 599, reason: 'unknown', text: '' }],
  [
    'a status without a body',
    (all) => all.status(204),
    { status: 204, headers: { 'content-length': undefined } },
  ],
  ['body()', (all) => all.body('mine', { status: 201 }), { status: 201, text: 'mine' }],
  [
    'body() with other bytes of the regular text',
    (all) => all.body((regular) => gzipSync(regular), { headers: { 'content-encoding': 'gzip' } }),
    { status: 200, headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' } },
  ],
  [
    'members()',
    (all) => all.members({ access_token: 'canary', expires_in: 'soon', token_type: undefined, b: 1 }),
    { status: 200, text: '{"access_token":"canary","expires_in":"soon","b":1}' },
  ],
  [
    'retryAfter() with a date',
    (all) => all.retryAfter(new Date('2027-03-02T01:00:00Z'), 429),
    { status: 429, headers: { 'retry-after': 'Tue, 02 Mar 2027 01:00:00 GMT' } },
  ],
  ['redirect()', (all) => all.redirect('/other'), { status: 302, headers: { location: '/other' } }],
  [
    'refuse()',
    (all) => all.refuse(),
    { status: 401, headers: { ...JSON_HEADERS, ...BASIC }, text: '{"error":"invalid_client"}' },
  ],
  [
    'refuse() with everything',
    (all) => all.refuse('odd', { status: 401, description: 'not you' }),
    { status: 401, headers: BASIC, text: '{"error":"odd","error_description":"not you"}' },
  ],
  [
    'handler()',
    (all) =>
      all.handler(async ({ method }, response, exchange) => {
        const { body } = await exchange.regular();
        response
          .writeHead(207)
          .end(`${method} ${exchange.body.length > 0} ${String(body).includes('access_token')}`);
      }),
    { status: 207, text: 'POST true true' },
  ],
])('B2: %s', async (_, script, { text, headers = {}, ...expected }) => {
  script(provider.token.next());
  const got = await askForToken(provider);
  expect(got).toMatchObject(expected);
  expect(got.text).toEqual(text ?? got.text);
  for (const [name, value] of Object.entries(headers))
    expect([name, got.headers[name]]).toEqual([name, value]);
  await expect.poll(() => provider.tokenRequests[0]?.status).toBe(expected.status);
  expect(await statuses(provider, 1)).toEqual([200]);
});

/** What a client gets from a connection that the script ends. */
it.each<[what: string, script: Script, error: object]>([
  ['reset()', (all) => all.reset(), { code: 'ECONNRESET', syscall: 'read' }],
  ['reset() in the middle', (all) => all.reset('mid-body'), { code: 'ECONNRESET', message: 'aborted' }],
  // Node's error for the regular end of a connection. The error of a reset names the system call.
  ['hangUp()', (all) => all.hangUp(), { message: 'socket hang up' }],
  ['hangUp() in the middle', (all) => all.hangUp('mid-body'), { code: 'ECONNRESET', message: 'aborted' }],
  ['garbage()', (all) => all.garbage(), { code: expect.stringMatching(/^HPE_/) }],
])('B2: %s, and the next request is answered', async (_, script, error) => {
  script(provider.token.next());
  await expect(askForToken(provider)).rejects.toMatchObject(error);
  expect(await statuses(provider, 1)).toEqual([200]);
});

it('B2: hang() never answers, and other requests are answered', async () => {
  provider.token.next().hang();
  const call = openTokenRequest(provider);
  let isSettled = false;
  call.on('response', () => (isSettled = true)).on('close', () => (isSettled = true));
  await expect.poll(() => provider.tokenRequests.length).toBe(1);
  expect(await statuses(provider, 2)).toEqual([200, 200]);
  expect([isSettled, provider.tokenRequests[0]?.status]).toEqual([false, undefined]);
  call.destroy();
});

it('B2: hold() waits for the release, and holds no later request', async () => {
  const held = provider.token.hold();
  const calls = Promise.all([askForToken(provider), askForToken(provider)]);
  await held.arrived;
  await expect.poll(() => provider.tokenRequests.length).toBe(2);
  expect(provider.tokenRequests.map(({ status }) => status)).toEqual([undefined, undefined]);
  held.release();
  expect((await calls).map(({ status }) => status)).toEqual([200, 200]);
  expect(await statuses(provider, 1)).toEqual([200]);
});

it.each<[what: string, script: Script]>([
  ['a reason that no status line can hold', (all) => all.status(503, { reason: 'Odd\r\nX-Mood: tea' })],
  ['a header that cannot be sent', (all) => all.status(503, { headers: { mood: 'ü→' } })],
  [
    'a handler that has chosen a reason and headers',
    (all) =>
      all.handler((_request, response) => {
        response.setHeader('trailer', 'mood').setHeader('content-encoding', 'gzip');
        response.statusMessage = 'ü→';
        throw new TypeError('written in haste');
      }),
  ],
])('a script that fails is answered with 500: %s', async (_, script) => {
  script(provider.token.next());
  const { status, reason, headers, json } = await askForToken(provider);
  expect([status, reason, json['error']]).toEqual([500, 'Internal Server Error', 'simulator_script_failed']);
  expect(json['error_description']).toMatch(/^\w*Error.*\n {4}at /);
  expect(headers).not.toHaveProperty('content-encoding');
  expect(await statuses(provider, 1)).toEqual([200]);
});

it('a script that fails ends the connection if it has begun an answer', async () => {
  provider.token.next().handler((_request, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('half');
    throw new Error('written in haste');
  });
  await expect(askForToken(provider)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(provider.tokenRequests[0]?.status).toBe(200);
});

/** How an API request with the valid token ends. */
function api(path = '/payments'): Promise<number | string> {
  return outcome(callApi(provider, token, path));
}

describe('a script is for', () => {
  it('B2: some requests, first those with a number in their order, then the newest without one', async () => {
    provider.token.status(501);
    provider.token.status(502);
    provider.token.next(2).status(503);
    provider.token.next().status(504);
    provider.token.next(0).status(505);
    expect(await statuses(provider, 5)).toEqual([503, 503, 504, 502, 502]);
  });

  it('B2: one interface or environment, which is that of the client id if environments share a URL', async () => {
    provider.token.for('originations', 'production').status(503);
    provider.token.next().for('originations').status(502);
    const got = [];
    const pairs = [
      ['easy', 'production'],
      ['originations', 'sandbox'],
      ['originations', 'sandbox'],
      ['originations', 'production'],
    ] as const;
    for (const [name, environment] of pairs)
      got.push((await askForToken(provider, name, environment)).status);
    expect(got).toEqual([200, 502, 200, 503]);
  });

  it('B2: a path, with any query unless it is an expression', async () => {
    provider.api.path('payments').status(501);
    provider.api.path(/^\/open.*state=7/g).status(502);
    const paths = [
      '/payments',
      '/payments?a=b',
      '/payments/7',
      '/x/payments',
      '/open?state=7',
      '/open?state=7',
      '/open',
    ];
    const got = [];
    for (const path of paths) got.push(await api(path));
    expect(got).toEqual([501, 501, 200, 200, 502, 502, 200]);
  });

  it('B2: an API request with a valid token only, by the same kinds of answers', async () => {
    provider.api.next().unauthorized();
    provider.api.next().reset();
    provider.api.next().body((regular) => regular.toUpperCase());
    expect(await outcome(callApi(provider, 'canary'))).toBe(401);
    expect([await api(), await api()]).toEqual([401, 'ECONNRESET']);
    expect((await callApi(provider, token)).text).toContain('"METHOD":"GET"');
  });

  it('B4: an upload before its body has arrived, with early()', async () => {
    provider.api.early().for('easy', 'sandbox').path('/upload').next().unauthorized();
    expect(await api('/other')).toBe(200);
    expect((await callApi(provider, 'canary', '/upload')).status).toBe(401);
    const upload = request(`${provider.baseUrl('easy', 'sandbox')}/upload`, {
      agent: provider.httpsAgent,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    upload.write('the first of many bytes');
    const [response] = await once(upload, 'response');
    expect(response.statusCode).toBe(401);
    upload.end();
    response.resume();
    await once(response, 'end');
    await callApi(provider, token, '/upload', { method: 'POST', body: 'all' });
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual(['', '', '', 'all']);
  });

  it('B2: late answers: the delays of the script and of the simulator add up', async () => {
    const late = await ProviderSimulator.start({ latencyMs: 2 });
    const { setTimeout } = timers;
    const after = vi.fn<typeof setTimeout>(setTimeout);
    onTestFinished(exchangeBuiltIn(timers, { setTimeout: after }));
    late.token.next().after(3).status(503);
    late.token.next().delay(5);
    expect(await statuses(late, 3)).toEqual([503, 200, 200]);
    expect(await statuses(provider, 1)).toEqual([200]);
    expect(after.mock.calls.map(([, ms]) => ms)).toEqual([5, 7, 2]);
    await late.close();
  });

  it('B25: all that waits is listed without its action, and can be taken back', async () => {
    provider.api.early().after(3).regular();
    provider.api.path('/x').regular();
    provider.token.next(2).regular();
    const waits = () => provider.simulation.scripts.waiting.map(({ scope, left }) => ({ ...scope, left }));
    expect(waits()).toEqual([
      { kind: 'token', times: 2, left: 2 },
      { kind: 'api', path: '/x', left: undefined },
      { kind: 'api', early: true, afterMs: 3, left: undefined },
    ]);
    await askForToken(provider);
    expect(waits()[0]).toEqual({ kind: 'token', times: 2, left: 1 });
    const ids = provider.simulation.scripts.waiting.map(({ id }) => id);
    expect(ids.map((id) => provider.simulation.scripts.remove(id))).toEqual([true, true, true]);
    expect([provider.simulation.scripts.remove(ids[0] ?? 0), waits()]).toEqual([false, []]);
  });
});

let now = Date.now();
it('B2: a token of a script has another lifetime, and a wrong expires_in if the test wants it', async () => {
  const clocked = await ProviderSimulator.start({ now: () => now });
  clocked.token.next().lifetime(0.5);
  clocked.token.next().lifetime(1, { expiresIn: 3600 });
  const answers = [await askForToken(clocked), await askForToken(clocked)];
  expect(answers.map(({ json }) => json['expires_in'])).toEqual([0.5, 3600]);
  const tokens = clocked.tokenRequests.map((one) => one.token ?? '');
  const use = () => Promise.all(tokens.map((one) => outcome(callApi(clocked, one))));
  expect(await use()).toEqual([200, 200]);
  now += 500;
  expect(await use()).toEqual([401, 200]);
  now += 500;
  expect(await use()).toEqual([401, 401]);
  await clocked.close();
});

it('B2: a token of a script is revoked at once, also while an answer is held: one token, those of a pair, or all', async () => {
  provider.token.revokeAll();
  const [one, other] = [await tokenOf(provider), await tokenOf(provider, 'easy', 'production')];
  const held = provider.api.next().hold();
  const call = callApi(provider, one);
  await held.arrived;
  expect([provider.token.revoke(one), provider.token.revoke(one)]).toEqual([true, false]);
  held.release();
  expect([await outcome(call), await outcome(callApi(provider, one))]).toEqual([200, 401]);
  expect(provider.token.for('originations').revokeAll()).toBe(0);
  expect(provider.token.for('easy', 'production').revokeAll()).toBe(1);
  const use = { environment: 'production' } as const;
  expect(await outcome(callApi(provider, other, '/', use))).toBe(401);
  await tokenOf(provider);
  expect([provider.token.revokeAll(), provider.token.revokeAll()]).toEqual([1, 0]);
});
