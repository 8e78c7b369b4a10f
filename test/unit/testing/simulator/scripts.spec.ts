import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../../lib/testing/simulator/answer.js';
import { ApiExchange } from '../../../../lib/testing/simulator/api-exchange.js';
import { ApiScripts } from '../../../../lib/testing/simulator/api-scripts.js';
import { type Scope, ScriptQueue } from '../../../../lib/testing/simulator/script-queue.js';
import {
  EASY,
  exchangeContext,
  JSON_HEADERS,
  KEEP_ALIVE,
} from '../../../support/application/exchange-context.js';
import { ReceivedRequest } from '../../../support/http/received-request.js';
import { settled } from '../../../support/token/fake-clock.js';

type Queue = ScriptQueue<ApiExchange>;

function givenScripts() {
  const [queue, earlyQueue]: [Queue, Queue] = [new ScriptQueue(), new ScriptQueue()];
  const scripts: ApiScripts = new ApiScripts(queue, earlyQueue);
  const scopes = (): Scope[] => queue.waiting.map(({ scope }) => scope);
  return { scripts, queue, earlyQueue, scopes };
}

async function givenExchange(terms?: { scheme: string }) {
  const received = await ReceivedRequest.with();
  const { request, response } = received;
  response.sendDate = false;
  const { context, timers, reset } = exchangeContext();
  const record = { ...EASY, path: '/payments', body: Buffer.alloc(0), status: undefined };
  const exchange: ApiExchange = new ApiExchange({
    request,
    response,
    context,
    record,
    refusal: undefined,
    terms,
  });
  vi.spyOn(exchange, 'regular').mockReturnValue({ status: 200, headers: { a: 'b' }, body: 'regular' });
  return { received, exchange, timers, reset };
}

/** Plays the script that this function adds. */
async function play(add: (scripts: ApiScripts) => void, terms?: { scheme: string }) {
  const given = await givenExchange(terms);
  const { scripts, queue } = givenScripts();
  add(scripts);
  const script = queue.take(given.exchange);
  if (script === undefined) throw new Error('No script was added.');
  const played = Promise.resolve(script.action(given.exchange));
  return { ...given, played };
}

describe('a script applies', () => {
  it.each<[what: string, add: (scripts: ApiScripts) => void, scope: Scope]>([
    ['always', (all) => all.regular(), {}],
    ['to one interface', (all) => all.for('easy').regular(), { interface: 'easy' }],
    ['to one pair', (all) => all.for('easy', 'sandbox').regular(), EASY],
    ['once', (all) => all.next().regular(), { times: 1 }],
    ['some times', (all) => all.next(3).regular(), { times: 3 }],
    ['late', (all) => all.after(200).regular(), { afterMs: 200 }],
    ['late, in short', (all) => all.delay(200), { afterMs: 200 }],
    ['to a path', (all) => all.path('/payments').regular(), { path: '/payments' }],
    ['to a path without its slash', (all) => all.path('payments').regular(), { path: '/payments' }],
    ['to an expression', (all) => all.path(/^\/pay/).regular(), { path: /^\/pay/ }],
    [
      'to all of this',
      (all) => all.for('easy', 'sandbox').path('/a').next(2).after(5).regular(),
      { ...EASY, path: '/a', times: 2, afterMs: 5 },
    ],
    [
      'to what was said last',
      (all) => all.next(2).for('easy').next(3).regular(),
      { interface: 'easy', times: 3 },
    ],
  ])('%s', (_, add, scope) => {
    const { scripts, scopes } = givenScripts();
    add(scripts);
    expect(scopes()).toStrictEqual([scope]);
  });

  it('without changing the scripts that it came from', () => {
    const { scripts, scopes } = givenScripts();
    const next = scripts.next();
    next.for('easy').regular();
    next.regular();
    scripts.regular();
    expect(scopes()).toEqual([{ interface: 'easy', times: 1 }, { times: 1 }, {}]);
  });

  it('B4: before the body is read', () => {
    const { scripts, queue, earlyQueue } = givenScripts();
    scripts.for('easy').early().next().unauthorized();
    scripts.early().early().regular();
    expect(earlyQueue.waiting.map(({ scope }) => scope)).toEqual([{ interface: 'easy', times: 1 }, {}]);
    expect(queue.isEmpty).toBe(true);
  });
});

describe('the answer of a script', () => {
  it.each<[what: string, add: (scripts: ApiScripts) => void, answer: object]>([
    [
      'regular()',
      (all) => all.regular(),
      { status: 200, reason: 'OK', headers: { a: 'b', 'content-length': '7' }, body: 'regular' },
    ],
    [
      'answer()',
      (all) => all.answer({ status: 418, reason: 'Teapot', body: { short: 'stout' } }),
      {
        status: 418,
        reason: 'Teapot',
        headers: { ...JSON_HEADERS, 'content-length': '17' },
        body: '{"short":"stout"}',
      },
    ],
    [
      'answer() with the regular text',
      (all) => all.answer({ body: (regular) => `${regular}!` }),
      { status: 200, reason: 'OK', headers: { a: 'b', 'content-length': '8' }, body: 'regular!' },
    ],
    [
      'status()',
      (all) => all.status(503),
      {
        status: 503,
        reason: 'Service Unavailable',
        headers: { ...JSON_HEADERS, 'content-length': '0' },
        body: '',
      },
    ],
    [
      'status() with a body',
      (all) => all.status(503, { body: 'later' }),
      {
        status: 503,
        reason: 'Service Unavailable',
        headers: { ...JSON_HEADERS, 'content-length': '5' },
        body: 'later',
      },
    ],
    [
      'body()',
      (all) => all.body('mine'),
      { status: 200, reason: 'OK', headers: { ...JSON_HEADERS, 'content-length': '4' }, body: 'mine' },
    ],
    [
      'body() with a status',
      (all) => all.body('mine', { status: 201 }),
      { status: 201, reason: 'Created', headers: { ...JSON_HEADERS, 'content-length': '4' }, body: 'mine' },
    ],
  ])('%s', async (_, add, answer) => {
    const { received, played } = await play(add);
    await played;
    expect(await received.answer()).toEqual(answer);
  });

  it.each<[what: string, add: (scripts: ApiScripts) => void, status: number, header: object]>([
    ['seconds', (all) => all.retryAfter(7), 503, { 'retry-after': '7' }],
    ['any text', (all) => all.retryAfter('whenever', 429), 429, { 'retry-after': 'whenever' }],
    [
      'a date',
      (all) => all.retryAfter(new Date('2030-01-02T03:04:05Z')),
      503,
      { 'retry-after': 'Wed, 02 Jan 2030 03:04:05 GMT' },
    ],
    ['a redirect', (all) => all.redirect('/elsewhere'), 302, { location: '/elsewhere' }],
    ['another redirect', (all) => all.redirect('/elsewhere', 307), 307, { location: '/elsewhere' }],
  ])('can have the header of %s', async (_, add, status, header) => {
    const { received, played } = await play(add);
    await played;
    const answer = await received.answer();
    expect([answer.status, answer.headers]).toEqual([
      status,
      { ...JSON_HEADERS, ...header, 'content-length': '0' },
    ]);
  });

  it.each([
    ['Bearer', undefined],
    ['Easy-Token', { scheme: 'Easy-Token' }],
  ])('B3: unauthorized() refuses the token as the definition says: %s', async (scheme, terms) => {
    const { received, played } = await play((all) => all.unauthorized(), terms);
    await played;
    expect(await received.answer()).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': `${scheme} error="invalid_token"` },
    });
  });

  it('hold() waits for the release', async () => {
    const { scripts, queue } = givenScripts();
    const held = scripts.next().hold();
    const { received, exchange } = await givenExchange();
    const played = Promise.resolve(queue.take(exchange)?.action(exchange));
    await held.arrived;
    await settled();
    expect(received.response.headersSent).toBe(false);
    held.release();
    await played;
    expect(await received.answer()).toMatchObject({ status: 200, body: 'regular' });
  });

  it('handler() gets the request, the response and the exchange', async () => {
    const handler = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('written in haste')));
    const { exchange, played } = await play((all) => all.handler(handler));
    await expect(played).rejects.toThrow('written in haste');
    expect(handler.mock.calls).toEqual([[exchange.request, exchange.response, exchange]]);
  });
});

describe('the fault of a script', () => {
  it.each<[what: string, add: (scripts: ApiScripts) => void, resets: number, sent: string]>([
    ['reset()', (all) => all.reset(), 1, ''],
    [
      'reset() in the body',
      (all) => all.reset('mid-body'),
      0,
      `HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 7\r\n${KEEP_ALIVE}regu`,
    ],
    ['hangUp()', (all) => all.hangUp(), 0, ''],
    [
      'hangUp() in the body',
      (all) => all.hangUp('mid-body'),
      0,
      `HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 7\r\n${KEEP_ALIVE}regu`,
    ],
    ['hang()', (all) => all.hang(), 0, ''],
    ['garbage()', (all) => all.garbage(), 0, 'This is not HTTP.\r\n\r\n'],
    ['garbage(bytes)', (all) => all.garbage(Buffer.from('odd')), 0, 'odd'],
    [
      'switchProtocols()',
      (all) => all.switchProtocols(),
      0,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: something-else\r\n\r\n',
    ],
    [
      'switchProtocols(name)',
      (all) => all.switchProtocols('tea'),
      0,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n',
    ],
    ['drip("headers")', (all) => all.drip('headers'), 0, 'HTTP/1.1 200 OK\r\n'],
  ])('%s', async (_, add, resets, sent) => {
    const { received, reset, played } = await play(add);
    await played;
    expect([reset.mock.calls.length, await received.sent()]).toEqual([resets, sent]);
  });

  it.each<[what: string, add: (scripts: ApiScripts) => void, ends: number]>([
    ['reset()', (all) => all.reset(), 0],
    ['hangUp()', (all) => all.hangUp(), 1],
    ['garbage()', (all) => all.garbage(), 1],
    ['switchProtocols()', (all) => all.switchProtocols(), 0],
    ['hang()', (all) => all.hang(), 0],
  ])('%s ends the connection or keeps it', async (_, add, ends) => {
    const { exchange } = await givenExchange();
    const end = vi.spyOn(exchange.socket, 'end');
    const { scripts, queue } = givenScripts();
    add(scripts);
    await queue.take(exchange)?.action(exchange);
    expect(end).toHaveBeenCalledTimes(ends);
  });

  it('drip() sends the body every 20 ms, unless the script says otherwise', async () => {
    const { timers, received, played } = await play((all) => all.drip());
    await played;
    timers.fire();
    expect(timers.ms).toEqual([20]);
    expect((await received.sent()).endsWith('1\r\nr\r\n')).toBe(true);
    const other = await play((all) => all.drip('interim', 3));
    await other.played;
    expect(other.timers.ms).toEqual([3]);
  });

  it.each<[what: string, add: (scripts: ApiScripts) => void, head: Omit<Answer, 'body'>]>([
    ['flood()', (all) => all.flood(), { status: 200, headers: {} }],
    [
      'flood(settings)',
      (all) => all.flood({ status: 401, headers: { 'X-Mood': 'tea' } }),
      { status: 401, headers: { 'x-mood': 'tea' } },
    ],
  ])('%s sends a body without end', async (_, add, head) => {
    const { exchange } = await givenExchange();
    const write = vi.spyOn(exchange.response, 'write').mockReturnValue(false);
    const sendHead = vi.spyOn(exchange, 'sendHead');
    const { scripts, queue } = givenScripts();
    add(scripts);
    await queue.take(exchange)?.action(exchange);
    expect(sendHead.mock.calls).toEqual([
      [{ ...head, headers: { ...head.headers, 'transfer-encoding': 'chunked' }, body: '' }],
    ]);
    expect(write).toHaveBeenCalledTimes(1);
  });
});
