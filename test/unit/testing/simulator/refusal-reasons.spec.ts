import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  reasonOfInvalidClient,
  reasonOfInvalidToken,
} from '../../../../lib/testing/simulator/refusal-reasons.js';
import { TokenMint } from '../../../../lib/testing/simulator/token-mint.js';
import { EASY } from '../../../support/application/exchange-context.js';
import { NOW } from '../../../support/token/fake-clock.js';

it.each<[what: string, claimed: object, owner: typeof EASY | undefined, isAccepted: boolean, reason: string]>(
  [
    ['an unknown client', { clientSecret: 'canary' }, undefined, false, 'unknown client id'],
    ['a client of another pair', { clientSecret: 'canary' }, EASY, true, 'credentials of easy sandbox'],
    ['a wrong secret', { clientSecret: 'canary' }, EASY, false, 'wrong client secret'],
    ['a wrong assertion', { assertion: 'canary' }, EASY, false, 'wrong or used assertion'],
    ['a wrong certificate', { certificate: {} as X509Certificate }, EASY, false, 'wrong client certificate'],
  ],
)('B25: the reason of a refused token request: %s', (_, claimed, owner, isAccepted, reason) => {
  expect(reasonOfInvalidClient({ clientId: 'canary-id', ...claimed }, owner, isAccepted)).toBe(reason);
});

describe('B25: the reason of a refused API request', () => {
  const time = { now: NOW };
  const mint = new TokenMint(() => time.now);
  const issue = (pair: typeof EASY): string =>
    mint.issue(pair, { iss: '', aud: '', sub: 'canary-id' }, { seconds: 60 }).value;
  const reasonOf = (authorization: string | undefined, scheme?: string): string =>
    reasonOfInvalidToken(authorization === undefined ? {} : { authorization }, mint, scheme);

  it.each([
    [undefined, undefined, 'no token'],
    ['Basic canary', undefined, 'the Authorization header is not "Bearer <token>"'],
    ['Bearer canary', 'Easy-Token', 'the Authorization header is not "Easy-Token <token>"'],
    ['Easy-Token canary', 'Easy-Token', 'token was not issued since the start'],
    ['Bearer canary', undefined, 'token was not issued since the start'],
  ])('the header %j with the scheme %s', (authorization, scheme, reason) => {
    expect(reasonOf(authorization, scheme)).toBe(reason);
  });

  it.each([
    { ...EASY, environment: 'production' },
    { ...EASY, interface: 'originations' },
  ])('a token of another pair: %j', (pair) => {
    expect(reasonOf(`Bearer ${issue(pair)}`)).toBe(`token of ${pair.interface} ${pair.environment}`);
  });

  it('a token that has ended', () => {
    const [revoked, expired] = [issue(EASY), issue(EASY)];
    mint.revoke(revoked);
    time.now += 60_000;
    expect([revoked, expired].map((token) => reasonOf(`Bearer ${token}`))).toEqual([
      'token revoked',
      'token expired',
    ]);
  });
});
