import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { fingerprintOf } from '../../../../lib/secrets/access-token.js';
import { TokenMint } from '../../../../lib/testing/simulator/token-mint.js';
import { TokenSigner } from '../../../../lib/testing/simulator/token-signer.js';
import { EASY } from '../../../support/application/exchange-context.js';
import { NOW } from '../../../support/token/fake-clock.js';

const CLAIMS = { iss: 'https://127.0.0.1:1', aud: 'https://127.0.0.1:1/v1', sub: 'canary-id' };
const HOUR = { seconds: 3600 };

/** A mint, with a clock that the test moves. */
function givenMint() {
  const time = { now: NOW };
  const mint = new TokenMint(() => time.now);
  const issue = (pair: Parameters<TokenMint['issue']>[0] = EASY, seconds = 3600): string =>
    mint.issue(pair, CLAIMS, { seconds }).value;
  return { time, mint, issue };
}

describe('a token of the mint', () => {
  it('S3: has the claims of its client and its pair, in whole seconds', async () => {
    const { mint, time } = givenMint();
    time.now = NOW + 999;
    const token = mint.issue(EASY, CLAIMS, { seconds: 1.5 });
    const claims = {
      ...CLAIMS,
      ...EASY,
      iat: NOW / 1000,
      exp: NOW / 1000 + 3,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    };
    expect(token).toEqual({
      value: expect.any(String),
      claims,
      expiresAt: time.now + 1500,
      expiresIn: 1.5,
      lifetimeMs: 1500,
    });
    expect(decodeJwt(token.value)).toEqual(token.claims);
    const keys = createLocalJWKSet(mint.jwks());
    const { payload } = await jwtVerify(token.value, keys, { currentDate: new Date(NOW) });
    expect(payload).toEqual(token.claims);
  });

  it('can have another expires_in, and characters before it', () => {
    const { mint } = givenMint();
    const token = mint.issue(EASY, CLAIMS, { seconds: 1, expiresIn: 7 }, 'v^1<');
    expect(token).toMatchObject({ expiresIn: 7, lifetimeMs: 1000, expiresAt: NOW + 1000 });
    expect(token.value.slice(0, 6)).toBe('v^1<ey');
    expect(mint.find(token.value)).toBe(token);
  });

  it('S3: is another one each time, unless the last one of the pair is wanted again', () => {
    const { mint, issue } = givenMint();
    const again = (pair: typeof EASY & { account?: string }): string =>
      mint.issue(pair, CLAIMS, { ...HOUR, again: true }).value;
    const [first, second] = [issue(), issue()];
    expect(second).not.toBe(first);
    expect(again(EASY)).toBe(second);
    const others = [
      { ...EASY, interface: 'originations' },
      { ...EASY, environment: 'production' },
      { ...EASY, account: 'merchant-42' },
      { ...EASY, account: 'merchant-7' },
    ];
    const tokens = others.map((pair) => again(pair));
    expect(new Set([first, second, ...tokens]).size).toBe(6);
    expect(others.map((pair) => again(pair))).toEqual(tokens);
    mint.revoke(second);
    expect(again(EASY)).toBe(second);
    // It stays revoked.
    expect([mint.find(second), mint.endOf(second)]).toEqual([undefined, 'revoked']);
  });
});

/** A thousand signatures take a second. */
const signNothing = () =>
  vi.spyOn(TokenSigner.prototype, 'sign').mockImplementation((claims) => JSON.stringify(claims));

describe('the mint', () => {
  it('S8: finds a token until it expires', () => {
    const { mint, issue, time } = givenMint();
    const value = issue(EASY, 60);
    time.now += 59_999;
    expect([mint.find(value)?.value, mint.endOf(value)]).toEqual([value, undefined]);
    time.now += 1;
    expect([mint.find(value), mint.endOf(value)]).toEqual([undefined, 'expired']);
    expect([mint.find('unknown'), mint.endOf('unknown')]).toEqual([undefined, undefined]);
  });

  it('B2: revokes a token once', () => {
    const { mint, issue, time } = givenMint();
    const [value, other, old] = [issue(), issue(), issue(EASY, 1)];
    time.now += 1000;
    expect([mint.revoke(value), mint.revoke(value), mint.revoke(old), mint.revoke('unknown')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([value, other, old].map((one) => mint.endOf(one))).toEqual(['revoked', undefined, 'expired']);
    expect([value, other, old].map((one) => mint.find(one) !== undefined)).toEqual([false, true, false]);
  });

  it.each<[scope: object, count: number, valid: string[]]>([
    [{}, 3, []],
    [{ interface: 'easy' }, 2, ['originations sandbox']],
    [{ environment: 'sandbox' }, 2, ['easy production']],
    [{ interface: 'easy', environment: 'sandbox' }, 1, ['easy production', 'originations sandbox']],
    [
      { interface: 'easy', environment: 'staging' },
      0,
      ['easy sandbox', 'easy production', 'originations sandbox'],
    ],
  ])('B2: revokes the tokens of %j, and counts those that were valid', (scope, count, valid) => {
    const { mint, issue, time } = givenMint();
    issue(EASY, 1);
    time.now += 1000;
    const pairs = [
      EASY,
      { ...EASY, environment: 'production' },
      { interface: 'originations', environment: 'sandbox' },
    ];
    const tokens = pairs.map((pair) => issue(pair));
    expect(mint.revokeAll(scope)).toBe(count);
    const left = pairs.filter((_, index) => mint.find(tokens[index]!) !== undefined);
    expect(left.map((pair) => `${pair.interface} ${pair.environment}`)).toEqual(valid);
  });

  it('B33: knows the client of a token, valid or not', () => {
    const { mint, issue, time } = givenMint();
    const [valid, revoked, expired] = [issue(), issue(), issue(EASY, 1)];
    mint.revoke(revoked);
    time.now += 1000;
    mint.find(expired);
    expect([valid, revoked, expired, 'unknown'].map((one) => mint.clientOf(one))).toEqual([
      'canary-id',
      'canary-id',
      'canary-id',
      undefined,
    ]);
  });

  it('B25: shows the state of the newest token of a pair, without the token', () => {
    const { mint, issue, time } = givenMint();
    expect(mint.newestOf(EASY)).toBeUndefined();
    issue();
    const value = issue(EASY, 60);
    issue({ ...EASY, account: 'merchant-42' });
    const newest = { fingerprint: fingerprintOf(value), expiresAt: NOW + 60_000, lifetimeMs: 60_000 };
    expect(mint.newestOf(EASY)).toEqual({ state: 'valid', ...newest });
    time.now += 60_000;
    expect(mint.newestOf(EASY)).toEqual({ state: 'expired', ...newest });
    const last = issue(EASY, 60);
    mint.revoke(last);
    expect(mint.newestOf(EASY)).toMatchObject({ state: 'revoked', fingerprint: fingerprintOf(last) });
    expect(mint.newestOf({ ...EASY, interface: 'originations' })).toBeUndefined();
  });

  it('looks for expired tokens only at each 1,000th', () => {
    signNothing();
    const now = vi.fn<() => number>(() => NOW);
    const mint = new TokenMint(now);
    for (let count = 0; count < 2000; count += 1) mint.issue(EASY, CLAIMS, HOUR);
    // One look at the clock for each token that is issued, and one for each of the first 1,000.
    expect(now).toHaveBeenCalledTimes(3000);
  });

  it('forgets the oldest of 1,000 ended tokens, and drops expired tokens by itself', () => {
    signNothing();
    const { mint, issue, time } = givenMint();
    const merchant = { ...EASY, account: 'merchant-42' };
    const [oldest, second] = [issue(merchant, 1), issue(EASY, 1)];
    for (let count = 0; count < 998; count += 1) issue(EASY, 1);
    time.now += 1000;
    // One more token than are remembered: the expired ones end now.
    const valid = issue();
    const ends = () => [oldest, second, valid].map((one) => mint.endOf(one));
    expect(ends()).toEqual(['expired', 'expired', undefined]);
    mint.revoke(valid);
    expect(ends()).toEqual([undefined, 'expired', 'revoked']);
    expect([mint.clientOf(oldest), mint.clientOf(second)]).toEqual([undefined, 'canary-id']);
    expect(mint.newestOf(merchant)?.state).toBe('expired');
  });

  it('does not look for expired tokens as long as there are fewer than 1,000', () => {
    signNothing();
    const { mint, issue, time } = givenMint();
    const first = issue(EASY, 1);
    for (let count = 0; count < 998; count += 1) issue();
    time.now += 1000;
    issue();
    expect(mint.endOf(first)).toBeUndefined();
    issue();
    expect(mint.endOf(first)).toBe('expired');
  });
});
