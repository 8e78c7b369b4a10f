import { describe, expect, it, vi } from 'vitest';
import {
  type Answer,
  createScriptedAnswer,
  invalidToken,
  json,
  lowerCased,
  type ScriptedAnswer,
} from '../../../../lib/testing/simulator/answer.js';
import { JSON_HEADERS } from '../../../support/application/exchange-context.js';

const REGULAR: Answer = { status: 418, headers: { 'x-mood': 'tea' }, body: Buffer.from('regular') };

describe('an answer of the simulator', () => {
  it('S3: is JSON that no cache stores', () => {
    expect(json(201, { a: 1 })).toEqual({ status: 201, headers: JSON_HEADERS, body: '{"a":1}' });
  });

  it('has further headers, which win', () => {
    expect(json(200, [], { pragma: 'no-cache', 'cache-control': 'private' }).headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'private',
      pragma: 'no-cache',
    });
  });

  it.each([
    [undefined, 401, 'Bearer error="invalid_token"'],
    [{}, 401, 'Bearer error="invalid_token"'],
    [{ scheme: 'Easy-Token', refusedWith: [403] as const }, 403, 'Easy-Token error="invalid_token"'],
    [{ refusedWith: [401, 403] as const }, 401, 'Bearer error="invalid_token"'],
  ])('B31: refuses a token as the definition says: %j', (terms, status, challenge) => {
    expect(invalidToken(terms)).toEqual({
      status,
      headers: { ...JSON_HEADERS, 'www-authenticate': challenge },
      body: '{"error":"invalid_token"}',
    });
  });

  it('has header names in lower case', () => {
    expect(lowerCased({ 'X-Mood': 'tea', 'set-COOKIE': ['a', 'b'] })).toEqual({
      'x-mood': 'tea',
      'set-cookie': ['a', 'b'],
    });
  });
});

describe('a scripted answer', () => {
  const bytes = Buffer.of(0, 255);

  it.each<[what: string, script: ScriptedAnswer, answer: Answer]>([
    ['without members', {}, { status: 200, headers: JSON_HEADERS, body: '' }],
    ['with a text', { body: 'text' }, { status: 200, headers: JSON_HEADERS, body: 'text' }],
    ['with bytes', { body: bytes }, { status: 200, headers: JSON_HEADERS, body: bytes }],
    ['with an object', { body: { a: [1] } }, { status: 200, headers: JSON_HEADERS, body: '{"a":[1]}' }],
    [
      'with a status, a reason and headers',
      { status: 503, reason: 'Odd', headers: { 'X-Mood': 'tea', 'Cache-Control': undefined } },
      {
        status: 503,
        reason: 'Odd',
        headers: { 'content-type': 'application/json', 'cache-control': undefined, 'x-mood': 'tea' },
        body: '',
      },
    ],
  ])('%s does not need the regular answer', async (_, script, answer) => {
    const regular = vi.fn<() => Answer>();
    expect(await createScriptedAnswer(script, regular)).toStrictEqual(answer);
    expect(regular).not.toHaveBeenCalled();
  });

  it('can change the text of the regular answer, and keeps its status and headers', async () => {
    const answer = await createScriptedAnswer({ body: (text) => text.toUpperCase() }, () => REGULAR);
    expect(answer).toStrictEqual({ status: 418, headers: { 'x-mood': 'tea' }, body: 'REGULAR' });
  });

  it('can change everything of the regular answer', async () => {
    const script = {
      status: 200,
      reason: 'Fine',
      headers: { 'X-Mood': 'coffee' },
      body: () => Buffer.from('b'),
    };
    const answer = await createScriptedAnswer(script, () => Promise.resolve(REGULAR));
    expect(answer).toStrictEqual({
      status: 200,
      reason: 'Fine',
      headers: { 'x-mood': 'coffee' },
      body: Buffer.from('b'),
    });
  });
});
