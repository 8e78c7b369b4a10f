import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import type { Answer } from '../../../../lib/testing/simulator/answer.js';
import { TokenRequestRecord } from '../../../../lib/testing/simulator/records.js';
import { ScriptQueue } from '../../../../lib/testing/simulator/script-queue.js';
import { TokenExchange } from '../../../../lib/testing/simulator/token-exchange.js';
import { type IssueOptions, TokenMint } from '../../../../lib/testing/simulator/token-mint.js';
import { TokenScripts } from '../../../../lib/testing/simulator/token-scripts.js';
import { EASY, exchangeContext, JSON_HEADERS } from '../../../support/application/exchange-context.js';
import { NOW } from '../../../support/token/fake-clock.js';
import { ReceivedRequest } from '../../../support/http/received-request.js';

const REGULAR = { access_token: 'canary-token', token_type: 'Bearer', expires_in: 60 };

function givenScripts() {
  const queue: ScriptQueue<TokenExchange> = new ScriptQueue();
  const mint = new TokenMint(() => NOW);
  const scripts: TokenScripts = new TokenScripts(queue, mint);
  return { queue, mint, scripts };
}

/** Plays a script, and returns the answer and what its token was to be. */
async function play(add: (scripts: TokenScripts) => void) {
  const { queue, scripts } = givenScripts();
  add(scripts);
  const { exchange, received, createAnswer, record } = await givenExchange();
  await queue.take(exchange)?.action(exchange);
  return { answer: await received.answer(), asked: createAnswer.mock.calls, record };
}

async function givenExchange() {
  const received = await ReceivedRequest.with({ method: 'POST', path: '/token?tenant=7' });
  const { request, response } = received;
  const record = new TokenRequestRecord({
    ...EASY,
    at: new Date(NOW),
    method: 'POST',
    path: '/token?tenant=7',
    headers: {},
    body: Buffer.from('a=1'),
  });
  const createAnswer = vi.fn<(options: IssueOptions) => Promise<Answer>>(() =>
    Promise.resolve({ status: 200, headers: { a: 'b' }, body: JSON.stringify(REGULAR) }),
  );
  const { context } = exchangeContext();
  const exchange: TokenExchange = new TokenExchange({ request, response, record, context, createAnswer });
  return { received, record, createAnswer, exchange };
}

it('an exchange of a token request has the body and the pair of its record', async () => {
  const { exchange, createAnswer } = await givenExchange();
  expect(exchange).toMatchObject({ ...EASY, path: '/token?tenant=7', body: Buffer.from('a=1') });
  await exchange.regular();
  await exchange.regular({ seconds: 7 });
  expect(createAnswer.mock.calls).toEqual([[{}], [{ seconds: 7 }]]);
});

describe('a script of the token endpoint', () => {
  it.each<[what: string, add: (scripts: TokenScripts) => void, options: IssueOptions]>([
    ['another lifetime', (all) => all.lifetime(2), { seconds: 2, expiresIn: 2 }],
    [
      'another lifetime, and a lie about it',
      (all) => all.lifetime(2, { expiresIn: 7 }),
      { seconds: 2, expiresIn: 7 },
    ],
    ['the last token', (all) => all.sameTokenAgain(), { again: true }],
  ])('asks for %s, and sends the regular answer', async (_, add, options) => {
    const { answer, asked, record } = await play(add);
    expect(asked).toEqual([[options]]);
    expect(answer).toMatchObject({ status: 200, headers: { a: 'b' }, body: JSON.stringify(REGULAR) });
    expect(record.status).toBe(200);
  });

  it('changes, adds and removes members', async () => {
    const { answer } = await play((all) => all.members({ expires_in: 'soon', token_type: undefined, b: 1 }));
    expect(JSON.parse(answer.body)).toEqual({ access_token: 'canary-token', expires_in: 'soon', b: 1 });
    expect(answer).toMatchObject({ status: 200, headers: { a: 'b' } });
  });

  it.each<
    [what: string, add: (scripts: TokenScripts) => void, status: number, challenge: object, body: object]
  >([
    [
      'the client',
      (all) => all.refuse(),
      401,
      { 'www-authenticate': 'Basic realm="token"' },
      { error: 'invalid_client' },
    ],
    ['the grant', (all) => all.refuse('unauthorized_client'), 400, {}, { error: 'unauthorized_client' }],
    [
      'anything, with words',
      (all) => all.refuse('odd', { status: 401, description: 'not you' }),
      401,
      { 'www-authenticate': 'Basic realm="token"' },
      { error: 'odd', error_description: 'not you' },
    ],
    [
      'the client, with another status',
      (all) => all.refuse('invalid_client', { status: 400 }),
      400,
      {},
      { error: 'invalid_client' },
    ],
  ])('refuses %s', async (_, add, status, challenge, body) => {
    const { answer, asked } = await play(add);
    const text = JSON.stringify(body);
    expect([answer.status, answer.headers, answer.body]).toEqual([
      status,
      { ...JSON_HEADERS, ...challenge, 'content-length': String(text.length) },
      text,
    ]);
    expect(asked).toEqual([]);
  });

  it('is for some requests, as a script of the API is', () => {
    const { scripts, queue } = givenScripts();
    scripts.for('easy', 'sandbox').next(2).after(5).regular();
    expect(queue.waiting.map(({ scope }) => scope)).toEqual([{ ...EASY, times: 2, afterMs: 5 }]);
  });
});

const issue = (mint: TokenMint, environment: string): string =>
  mint.issue({ ...EASY, environment }, { iss: '', aud: '', sub: '' }, { seconds: 60 }).value;

describe('B2: the scripts of the token endpoint revoke', () => {
  it('one token, once', () => {
    const { mint, scripts } = givenScripts();
    const [one, other] = [issue(mint, 'sandbox'), issue(mint, 'sandbox')];
    expect([scripts.revoke(one), scripts.revoke(one), scripts.revoke(new Secret(other))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('the tokens of a pair, or all', () => {
    const { mint, scripts } = givenScripts();
    for (const environment of ['sandbox', 'sandbox', 'production']) issue(mint, environment);
    expect([scripts.for('easy', 'sandbox').revokeAll(), scripts.revokeAll()]).toEqual([2, 1]);
  });
});
