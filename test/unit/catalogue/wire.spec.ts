import { describe, expect, it } from 'vitest';
import * as wire from '../../../lib/catalogue/wire.js';

it('S1, S2, S3, S6: a token request and a call use the words of the document', () => {
  expect(wire).toMatchObject({
    TOKEN_REQUEST_METHOD: 'POST',
    TOKEN_REQUEST_CONTENT_TYPE: 'application/x-www-form-urlencoded',
    GRANT_TYPE: 'client_credentials',
    TOKEN_TYPE: 'Bearer',
    AUTHORIZATION_HEADER: 'Authorization',
    SCHEME: 'Bearer',
    ASSERTION_TYPE: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
});

it('B31: a definition cannot set the fields of a token request that the module writes', () => {
  expect(wire.WRITTEN_FIELDS.toSorted()).toEqual([
    'audience',
    'client_assertion',
    'client_assertion_type',
    'client_id',
    'client_secret',
    'grant_type',
    'resource',
    'scope',
  ]);
});

it('B32: an assertion of the simulator names an issuer that cannot exist', () => {
  expect(new URL(wire.SIMULATED_PLATFORM).hostname).toMatch(/\.invalid$/);
});

it('S11: a token lives at most 30 days', () => {
  expect(wire.LONGEST_LIFETIME_MS).toBe(2_592_000_000);
});

describe('S3: the characters of a token', () => {
  it.each([
    ['AZaz09-._~+/', true, true],
    ['token==', true, true],
    ['=', false, true],
    ['to=ken', false, true],
    ['to!ken', false, true],
    ['!~', false, true],
    ['to ken', false, false],
    [' token', false, false],
    ['token\n', false, false],
    ['tök', false, false],
    ['', false, false],
  ])('%j: of a bearer token: %s, visible: %s', (token, isBearer, isVisible) => {
    const { bearer, visible } = wire.TOKEN_CHARACTERS;
    expect([bearer.pattern.test(token), visible.pattern.test(token)]).toEqual([isBearer, isVisible]);
  });

  it('B29: have a name for the error', () => {
    const { bearer, visible } = wire.TOKEN_CHARACTERS;
    expect([bearer.name, visible.name]).toEqual([
      'a bearer token of RFC 6750',
      'a text of visible characters',
    ]);
  });
});

it.each([
  ['invalid_client', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['a code', false],
  ['Code', false],
  ['with\nline', false],
  ['ü', false],
  ['', false],
])('S10: only a code of lower-case words is shown: %j: %s', (code, isCode) => {
  expect(wire.OAUTH_ERROR_CODE.test(code)).toBe(isCode);
});
