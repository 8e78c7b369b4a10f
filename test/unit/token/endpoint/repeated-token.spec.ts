import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { tokenOf, tokensOf } from '../../../support/token/token-fixtures.js';

const LIFE_MS = 20_000;
const LIVES = 6;

interface Early {
  readonly renewAheadMs: number;
  readonly expiryLeewayMs: number;
}

/** How the endpoint reports the remaining life of a token, in whole seconds. */
type Rounding = (seconds: number) => number;

/** A token endpoint that gives the same token until it ends, with callers arriving all the time. */
async function requestsPerLife(early: Early, rounding: Rounding, extendsLife = false): Promise<number> {
  const clock = new FakeClock();
  let requests = 0;
  let token = { number: 0, end: clock.monotonic() };
  const request = () => {
    requests += 1;
    const isOver = clock.monotonic() >= token.end;
    if (isOver) token = { number: token.number + 1, end: clock.monotonic() + LIFE_MS };
    else if (extendsLife) token.end = clock.monotonic() + LIFE_MS;
    const leftMs = rounding((token.end - clock.monotonic()) / 1_000) * 1_000;
    return Promise.resolve(tokenOf(clock, `token ${token.number}`, leftMs));
  };
  const provider = tokensOf(clock, request, { token: early });
  for (let passed = 0; passed < LIVES * LIFE_MS; passed += 100) {
    await provider.getToken();
    await clock.advance(100);
  }
  provider.close();
  return requests / LIVES;
}

const EARLY: readonly Early[] = [
  { renewAheadMs: 0, expiryLeewayMs: 0 },
  { renewAheadMs: 8_000, expiryLeewayMs: 0 },
  { renewAheadMs: 60_000, expiryLeewayMs: 0 },
  { renewAheadMs: 0, expiryLeewayMs: 5_000 },
  { renewAheadMs: 0, expiryLeewayMs: 60_000 },
  { renewAheadMs: 8_000, expiryLeewayMs: 5_000 },
];

describe('a token endpoint that gives the same token again until it ends', () => {
  it.each(EARLY)('S8: is asked at most twice in a lifetime with %o', async (early) => {
    expect(await requestsPerLife(early, (seconds) => seconds)).toBeLessThanOrEqual(2);
  });

  it.each([
    ['up', Math.ceil],
    ['down', (seconds: number) => Math.max(1, Math.floor(seconds))],
  ])('S8: so is one that rounds what is left %s', async (_, rounding) => {
    for (const early of EARLY) expect(await requestsPerLife(early, rounding)).toBeLessThanOrEqual(3);
  });
});

it('S8: a token whose life the endpoint extends is renewed early as before', async () => {
  const early = { renewAheadMs: 8_000, expiryLeewayMs: 0 };
  // Each renewal comes 8 s before the end, which is then 20 s away again.
  expect(await requestsPerLife(early, (seconds) => seconds, true)).toBeCloseTo(20 / 12, 0);
});
