import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InterfaceTerms, ProviderTerms } from '../../../../lib/catalogue/catalogue.js';
import { remedyOf } from '../../../../lib/errors/troubles.js';
import { readRetryAfter, readTokenResponse } from '../../../../lib/token/endpoint/token-response.js';
import { CANARY, DAY, HOUR, profileOf } from '../../../support/token/token-fixtures.js';

const GOOD = { access_token: 'abc.DEF-1_2~3+4/5==', token_type: 'Bearer', expires_in: 3600 };
const pair = profileOf();

function read(answer: unknown, terms?: InterfaceTerms): ReturnType<typeof readTokenResponse> {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return readTokenResponse(Buffer.from(body), terms ? profileOf({ provider: 'own', terms }) : pair);
}

const readWith = (members: object, terms: InterfaceTerms) => read({ ...GOOD, ...members }, terms);

/** A failure with this reason, which names the member of a definition that would accept the answer. */
function unusable(reason: string, member?: keyof ProviderTerms) {
  const advice = member ? `set ${member} in the definition` : /^(?!.*in the definition)/;
  return { reason: expect.stringContaining(`: ${reason}`), remedy: expect.stringMatching(advice) };
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
    ['a string with leading zeros', '0060', 60_000],
    ['more than 30 days', 31 * 24 * 3600, 30 * DAY],
    ['a string of a thousand digits', '9'.repeat(1000), 30 * DAY],
  ])('S3 S11: a lifetime of %s', (_, seconds, ms) => {
    expect(read({ ...GOOD, expires_in: seconds })).toMatchObject({ lifetimeMs: ms });
  });

  it('B13: refuses a body that is no UTF-8, though what is needed of it could be read', () => {
    const body = Buffer.from(JSON.stringify({ ...GOOD, name: 'ünreadable' }), 'latin1');
    expect(readTokenResponse(body, pair)).toMatchObject(unusable('the answer is not a JSON object.'));
  });

  it.each(['access_token', 'token_type', 'expires_in'])('B29: says that %s is missing', (member) => {
    expect(read({ ...GOOD, [member]: undefined })).toMatchObject(unusable(`"${member}" is missing.`));
    expect(read({ ...GOOD, [member]: null })).toMatchObject(unusable(`"${member}" is not `));
  });

  it.each([
    ['an error of an API', { message: 'Not Found', status: 404 }, 'other-address'],
    ['an empty object', {}, 'other-address'],
    ['a token response without a token', { token_type: 'Bearer', expires_in: 1 }, 'other-service'],
  ] as const)('B29: knows the answer of another address: %s', (_, answer, trouble) => {
    expect(read(answer)).toMatchObject({
      code: 'TOKEN_RESPONSE_INVALID',
      transient: false,
      remedy: remedyOf(trouble, pair),
    });
  });

  it.each([
    `<b>${CANARY.token}</b>`,
    { ...GOOD, access_token: `${CANARY.token} ` },
    { ...GOOD, token_type: CANARY.token },
    { ...GOOD, expires_in: CANARY.token },
    { ...GOOD, error: CANARY.token },
  ])('S10: no failure repeats anything of the answer %j', (answer) => {
    const failure = read(answer);
    expect(failure).toHaveProperty('reason');
    expect(JSON.stringify(failure)).not.toContain('cAnArY');
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
        const result = read({ access_token: 'abc', ...answer });
        if ('reason' in result) return;
        expect(result.value).toMatch(/^[\w\-.~+/]+=*$/);
        expect(result.lifetimeMs).toBeGreaterThan(0);
        expect(result.lifetimeMs).toBeLessThanOrEqual(30 * DAY);
      }),
    );
  });
});

describe('the answers that a definition accepts', () => {
  it('B31: expiresIn is the lifetime if the answer has none, and never more than 30 days', () => {
    const absent = { expires_in: undefined };
    expect(readWith(absent, { expiresIn: 7_200 })).toMatchObject({ lifetimeMs: 7_200_000 });
    expect(readWith(absent, { expiresIn: 10 ** 9 })).toMatchObject({ lifetimeMs: 30 * DAY });
    expect(readWith({ expires_in: 60 }, { expiresIn: 7_200 })).toMatchObject({ lifetimeMs: 60_000 });
    expect(readWith(absent, {})).toMatchObject(unusable('"expires_in" is missing.', 'expiresIn'));
  });

  it.each([null, 0, 'soon', '', -1, [7]])('B31: expires_in of %j stays an error with expiresIn', (given) => {
    const reason = '"expires_in" is not a number of seconds above 0.';
    expect(readWith({ expires_in: given }, { expiresIn: 7_200 })).toMatchObject(unusable(reason));
  });

  it('B31: tokenTypes are compared without case', () => {
    const tokenTypes = ['BearerToken', 'Application Access Token'] as const;
    const value = GOOD.access_token;
    expect(readWith({ token_type: 'bearertoken' }, { tokenTypes })).toMatchObject({ value });
    expect(readWith({ token_type: 'application access token' }, { tokenTypes })).toMatchObject({ value });
    const reason = '"token_type" is not BearerToken or Application Access Token.';
    expect(readWith({}, { tokenTypes })).toMatchObject(unusable(reason, 'tokenTypes'));
  });

  it.each([undefined, null, 'mac'])("B31: tokenTypes 'any' accept the type %j", (type) => {
    const value = GOOD.access_token;
    expect(readWith({ token_type: type }, { tokenTypes: 'any' })).toMatchObject({ value });
    expect(readWith({ token_type: type }, {})).toHaveProperty('reason');
  });

  it('B31: tokenCharacters visible accept every visible character, and no other', () => {
    const visible = { tokenCharacters: 'visible' } as const;
    const all = String.fromCodePoint(...Array.from({ length: 94 }, (_, index) => 33 + index));
    expect(readWith({ access_token: all }, visible)).toMatchObject({ value: all });
    const reason = '"access_token" is not a bearer token of RFC 6750.';
    expect(readWith({ access_token: '00D!AQ' }, {})).toMatchObject(unusable(reason, 'tokenCharacters'));
    for (const value of ['', 'a b', 'a\n', 'a\u007f', 'ä', '\u0000', 7, '!'.repeat(16 * 1024 + 1)]) {
      const ofVisible = '"access_token" is not a text of visible characters.';
      // No member accepts such a token, so the error names none.
      expect(readWith({ access_token: value }, visible)).toMatchObject(unusable(ofVisible));
      expect(readWith({ access_token: value }, {})).toMatchObject(unusable(reason));
    }
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');

  it.each([
    ['seconds in white space', ' 120 ', 120_000],
    ['a date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['a long time', '86400', 24 * HOUR],
    ['a number without an end', '9'.repeat(400), Infinity],
    ['nothing', undefined, undefined],
    ['zero', '0', undefined],
    ['a negative number', '-5', undefined],
    ['a fraction', '1.5', undefined],
    ['a past date', 'Sun, 01 Mar 2026 11:59:59 GMT', undefined],
    ['something that is no text', ['3'], undefined],
  ])('B6: reads %s', (_, header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
