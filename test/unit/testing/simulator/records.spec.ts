import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../lib/secrets/access-token.js';
import { ApiRequestRecord, bearerOf, TokenRequestRecord } from '../../../../lib/testing/simulator/records.js';
import { NOW } from '../../../support/token/fake-clock.js';

const SHOWN = {
  interface: 'easy',
  environment: 'sandbox',
  account: 'merchant-42',
  at: new Date(NOW),
  method: 'POST',
  path: '/payments',
};
const HEADERS = { authorization: 'Bearer canary-token' };
const FACTS = { ...SHOWN, headers: HEADERS, body: Buffer.from('a=1&b=%26&a=canary-secret') };
const CLAIMS = {
  interface: 'easy',
  environment: 'sandbox',
  iss: 'https://127.0.0.1',
  aud: 'https://127.0.0.1/v1',
  sub: 'canary-id',
  iat: 1,
  exp: 2,
  jti: 'one',
} as const;

describe('the record of a token request', () => {
  it('S8: has what arrived', () => {
    const record = new TokenRequestRecord(FACTS);
    expect(record).toMatchObject({ ...SHOWN, status: undefined, token: undefined });
    expect([record.headers, record.body]).toEqual([HEADERS, FACTS.body]);
    expect(record.fields).toEqual({ a: 'canary-secret', b: '&' });
    record.issued('canary-issued');
    expect(record.token).toBe('canary-issued');
  });

  it('S10: prints no header, no body and no token', () => {
    const record = new TokenRequestRecord(FACTS);
    record.status = 200;
    record.issued('canary-issued');
    const printed = { status: 200, ...SHOWN };
    expect(record.toJSON()).toStrictEqual(printed);
    expect(inspect(record)).toBe(inspect(printed));
  });
});

describe('the record of an API request', () => {
  it('S8: has what arrived, and the claims of a valid token', () => {
    const record = new ApiRequestRecord(FACTS, CLAIMS);
    expect(record).toMatchObject({ ...SHOWN, claims: CLAIMS, status: undefined });
    expect(record.tokenFingerprint).toBe(fingerprintOf('canary-token'));
    expect(new ApiRequestRecord(FACTS, undefined).claims).toBeUndefined();
  });

  it('B31: finds the token behind the scheme of the definition', () => {
    expect(new ApiRequestRecord(FACTS, undefined, 'Easy-Token').tokenFingerprint).toBeUndefined();
    const headers = { authorization: 'Easy-Token canary-token' };
    const record = new ApiRequestRecord({ ...FACTS, headers }, undefined, 'Easy-Token');
    expect(record.tokenFingerprint).toBe(fingerprintOf('canary-token'));
  });

  it('S10: prints no header, no body, no token and no client id', () => {
    const record = new ApiRequestRecord(FACTS, CLAIMS);
    record.status = 204;
    const printed = { status: 204, ...SHOWN, tokenFingerprint: fingerprintOf('canary-token') };
    expect(record.toJSON()).toStrictEqual(printed);
    expect(inspect(record)).toBe(inspect(printed));
  });
});

it.each<[header: string | undefined, scheme: string | undefined, token: string | undefined]>([
  ['Bearer canary', undefined, 'canary'],
  ['Bearer  canary', undefined, ' canary'],
  ['Bearer ', undefined, ''],
  ['Bearer', undefined, undefined],
  ['bearer canary', undefined, undefined],
  ['Basic canary', undefined, undefined],
  ['Easy-Token canary', 'Easy-Token', 'canary'],
  [undefined, undefined, undefined],
])('S6: the header %j with the scheme %s has the token %j', (authorization, scheme, token) => {
  expect(bearerOf(authorization === undefined ? {} : { authorization }, scheme)).toBe(token);
});
