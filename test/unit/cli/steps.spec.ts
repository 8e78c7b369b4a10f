import { describe, expect, it } from 'vitest';
import type { Check } from '../../../lib/cli/step.js';
import { claims } from '../../../lib/cli/steps/claims.js';
import { clock } from '../../../lib/cli/steps/clock.js';
import { lifetime } from '../../../lib/cli/steps/lifetime.js';
import { validateOptions } from '../../support/validate-options.js';
import { systemClock } from '../../../lib/time/clock.js';
import { rightOptions } from '../../support/config-canaries.js';
import { profileOf, tokenOf } from '../../support/token-fixtures.js';

const HOUR_MS = 3_600_000;

function checkOf(overrides: Partial<Check>): Check {
  return {
    profile: profileOf(),
    settings: validateOptions(rightOptions(), {}),
    destination: { host: 'provider.example', port: 443, isProxy: false },
    ...overrides,
  };
}

function jwt(told: unknown): Partial<Check> {
  const payload = Buffer.from(JSON.stringify(told)).toString('base64url');
  return { token: tokenOf(systemClock, `e30.${payload}.c2ln`, HOUR_MS) };
}

describe('the step about the clock', () => {
  it.each([
    [0, "agrees with the server's", false],
    [1_900, "agrees with the server's", false],
    [-5_000, "5 s behind the server's", false],
    [90_000, "90 s ahead of the server's", true],
  ])(
    'tells a difference of %d ms as it is, and what to do once it matters',
    (clockAheadMs, detail, advised) => {
      const finding = clock.run(checkOf({ clockAheadMs }));
      expect(finding).toMatchObject({ status: 'ok', detail, facts: { aheadMs: clockAheadMs } });
      expect('advice' in finding).toBe(advised);
    },
  );

  it('is skipped where the server tells no Date', () => {
    expect(clock.run(checkOf({}))).toMatchObject({ status: 'skipped' });
  });
});

describe('the step about claims', () => {
  it('S3: takes a token that is no JWT for what it is', () => {
    for (const value of ['opaque', 'a.b', 'a.b.c', `e30.${Buffer.from('[1]').toString('base64url')}.x`])
      expect(claims.run(checkOf({ token: tokenOf(systemClock, value, HOUR_MS) }))).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining('not a JWT'),
      });
  });

  it('shows nothing of claims that are not what they should be', () => {
    const finding = claims.run(checkOf(jwt({ iss: 1, aud: [{}], exp: 'soon' })));
    expect(finding).toMatchObject({ detail: 'the token has no claim iss, aud or exp', facts: {} });
    expect(claims.run(checkOf(jwt({ exp: 1e300 })))).toMatchObject({ facts: {} });
  });

  it("compares exp with expires_in by the server's clock", () => {
    const exp = (Date.now() + HOUR_MS) / 1000;
    expect(claims.run(checkOf(jwt({ exp })))).not.toHaveProperty('advice');
    // This machine's clock is ten minutes ahead, so the server's exp looks ten minutes early.
    expect(claims.run(checkOf({ ...jwt({ exp: exp - 600 }), clockAheadMs: 600_000 }))).not.toHaveProperty(
      'advice',
    );
    expect(claims.run(checkOf(jwt({ exp: exp - 600 })))).toMatchObject({
      advice: expect.stringMatching(/^exp is (599|600) s earlier/),
    });
  });
});

describe('the step about the lifetime', () => {
  it('S11: tells what the endpoint said, and that a brief life means many requests', () => {
    expect(lifetime.run(checkOf({ token: tokenOf(systemClock, 'x', HOUR_MS) }))).toEqual({
      status: 'ok',
      detail: expect.stringContaining('3600 s'),
      facts: { seconds: 3600 },
    });
    expect(lifetime.run(checkOf({ token: tokenOf(systemClock, 'x', 5_000) }))).toHaveProperty('advice');
  });
});
