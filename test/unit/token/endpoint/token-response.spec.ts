import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderTerms } from '../../../../lib/catalogue/catalogue.js';
import {
  readErrorMember,
  readTokenResponse,
  UnusableTokenResponse,
} from '../../../../lib/token/endpoint/token-response.js';
import { CANARY, DAY } from '../../../support/token/token-fixtures.js';

const GOOD = { access_token: 'abc.DEF-1_2~3+4/5==', token_type: 'Bearer', expires_in: 3600 };

function read(answer: unknown): ReturnType<typeof readTokenResponse> {
  return readTokenResponse(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)));
}

function reasonOf(answer: unknown): string {
  const result = read(answer);
  if (result instanceof UnusableTokenResponse) return result.reason;
  throw new Error('The answer was accepted.');
}

describe('readTokenResponse', () => {
  it('S3: takes the token and its lifetime, in any order, whatever else is there', () => {
    const granted = { value: GOOD.access_token, lifetimeMs: 3_600_000 };
    expect(read(GOOD)).toEqual(granted);
    expect(
      read({ scope: '', expires_in: 3600, x: [{}], token_type: 'Bearer', access_token: GOOD.access_token }),
    ).toEqual(granted);
    expect(read({ ...GOOD, refresh_token: 'r', id_token: 'i', scope: 'narrow' })).toEqual(granted);
  });

  it.each([
    ['a fraction', 0.5, 500],
    ['a string of digits', '3600', 3_600_000],
    ['leading zeros', '0060', 60_000],
    ['1', 1, 1_000],
    ['30 days', 30 * 24 * 3600, 30 * DAY],
    ['more than 30 days', 31 * 24 * 3600, 30 * DAY],
    ['2^53', 2 ** 53, 30 * DAY],
    ['a string of a thousand digits', '9'.repeat(1000), 30 * DAY],
  ])('S3 S11: a lifetime of %s', (_, seconds, ms) => {
    expect(read({ ...GOOD, expires_in: seconds })).toMatchObject({ lifetimeMs: ms });
  });

  it('B13: refuses a body that is no UTF-8, though what is needed of it could be read', () => {
    const body = Buffer.from(JSON.stringify({ ...GOOD, name: 'ünreadable' }), 'latin1');
    expect(readTokenResponse(body)).toEqual(new UnusableTokenResponse('the answer is not a JSON object.'));
  });

  it.each(['access_token', 'token_type', 'expires_in'])('B29: says that %s is missing', (member) => {
    expect(reasonOf({ ...GOOD, [member]: undefined })).toBe(`"${member}" is missing.`);
    expect(reasonOf({ ...GOOD, [member]: null })).toMatch(new RegExp(`^"${member}" is not `));
  });

  it.each([
    ['an error of an API', { message: 'Not Found', status: 404 }, 'other-address'],
    ['an empty object', {}, 'other-address'],
    ['a token response without a token', { token_type: 'Bearer', expires_in: 1 }, 'other-service'],
  ])('B29: knows the answer of another address: %s', (_, answer, trouble) => {
    expect(read(answer)).toMatchObject({ trouble });
  });

  it('S10: no reason repeats anything of the answer', () => {
    const marked = [
      `<b>${CANARY.token}</b>`,
      { ...GOOD, access_token: `${CANARY.token} ` },
      { ...GOOD, token_type: CANARY.token },
      { ...GOOD, expires_in: CANARY.token },
      { ...GOOD, error: CANARY.token },
    ];
    for (const answer of marked) expect(reasonOf(answer)).not.toContain('cAnArY');
  });

  it('B13: whatever is accepted is a usable token with a usable life', () => {
    const members = fc.record(
      {
        access_token: fc.anything(),
        token_type: fc.oneof(fc.constant('Bearer'), fc.anything()),
        expires_in: fc.oneof(fc.double(), fc.anything()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(members, (answer) => {
        const body = JSON.stringify({ access_token: 'abc', ...answer });
        const result = readTokenResponse(Buffer.from(body));
        if (result instanceof UnusableTokenResponse) return;
        expect(result.value).toMatch(/^[\w\-.~+/]+=*$/);
        expect(result.lifetimeMs).toBeGreaterThan(0);
        expect(result.lifetimeMs).toBeLessThanOrEqual(30 * DAY);
      }),
    );
  });
});

describe('readErrorMember', () => {
  it('finds the error code of a refusal', () => {
    expect(readErrorMember(Buffer.from('{"error":"invalid_client"}'))).toBe('invalid_client');
  });

  it.each(['', 'x', '[]', 'null', '{"__proto__":{"error":"a"}}', '{}'])('finds none in %s', (body) => {
    expect(readErrorMember(Buffer.from(body))).toBeUndefined();
  });
});

function answerOf(members: object, terms: ProviderTerms): ReturnType<typeof readTokenResponse> {
  return readTokenResponse(Buffer.from(JSON.stringify({ ...GOOD, ...members })), terms);
}

function unusable(reason: string, member?: keyof ProviderTerms): UnusableTokenResponse {
  return new UnusableTokenResponse(reason, member);
}

describe('the answers that a definition accepts', () => {
  it('B31: expiresIn is the lifetime if the answer has none, and never more than 30 days', () => {
    const absent = { expires_in: undefined };
    expect(answerOf(absent, { expiresIn: 7_200 })).toMatchObject({ lifetimeMs: 7_200_000 });
    expect(answerOf(absent, { expiresIn: 10 ** 9 })).toMatchObject({ lifetimeMs: 30 * DAY });
    expect(answerOf({ expires_in: 60 }, { expiresIn: 7_200 })).toMatchObject({ lifetimeMs: 60_000 });
  });

  it.each([null, 0, 'soon', '', -1, [7]])('B31: expires_in of %j stays an error with expiresIn', (given) => {
    const reason = '"expires_in" is not a number of seconds above 0.';
    expect(answerOf({ expires_in: given }, { expiresIn: 7_200 })).toEqual(unusable(reason));
    expect(answerOf({ expires_in: given }, {})).toEqual(unusable(reason));
    expect(answerOf({ expires_in: undefined }, {})).toEqual(
      unusable('"expires_in" is missing.', 'expiresIn'),
    );
  });

  it('B31: tokenTypes are compared without case', () => {
    const tokenTypes = ['BearerToken', 'Application Access Token'] as const;
    const value = GOOD.access_token;
    expect(answerOf({ token_type: 'bearertoken' }, { tokenTypes })).toMatchObject({ value });
    expect(answerOf({ token_type: 'application access token' }, { tokenTypes })).toMatchObject({ value });
    expect(answerOf({}, { tokenTypes })).toEqual(
      unusable('"token_type" is not BearerToken or Application Access Token.', 'tokenTypes'),
    );
    expect(answerOf({ token_type: 'BearerToken' }, {})).toEqual(
      unusable('"token_type" is not Bearer.', 'tokenTypes'),
    );
  });

  it.each([undefined, null, 7, 'mac'])("B31: tokenTypes 'any' accept the type %j", (type) => {
    const value = GOOD.access_token;
    expect(answerOf({ token_type: type }, { tokenTypes: 'any' })).toMatchObject({ value });
    expect(answerOf({ token_type: type }, {})).toBeInstanceOf(UnusableTokenResponse);
  });

  it('B31: tokenCharacters visible accept every visible character, and no other', () => {
    const visible = { tokenCharacters: 'visible' } as const;
    const all = String.fromCodePoint(...Array.from({ length: 94 }, (_, index) => 33 + index));
    expect(answerOf({ access_token: all }, visible)).toMatchObject({ value: all });
    expect(answerOf({ access_token: '00D!AQ' }, {})).toEqual(
      unusable('"access_token" is not a bearer token of RFC 6750.', 'tokenCharacters'),
    );
    for (const value of ['', 'a b', 'a\n', 'a\u007f', 'ä', '\u0000', 7, '!'.repeat(16 * 1024 + 1)]) {
      // No member accepts such a token, so the error names none.
      expect(answerOf({ access_token: value }, visible)).toEqual(
        unusable('"access_token" is not a text of visible characters.'),
      );
      expect(answerOf({ access_token: value }, {})).toEqual(
        unusable('"access_token" is not a bearer token of RFC 6750.'),
      );
    }
  });
});
