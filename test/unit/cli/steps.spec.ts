import { describe, expect, it } from 'vitest';
import type { Check } from '../../../lib/cli/step.js';
import { claims } from '../../../lib/cli/steps/claims.js';
import { clock } from '../../../lib/cli/steps/clock.js';
import { lifetime } from '../../../lib/cli/steps/lifetime.js';
import { certificateFailure } from '../../../lib/cli/steps/tls-failures.js';
import { remedyOf } from '../../../lib/errors/remedies.js';
import { validateOptions } from '../../support/application/built-in.js';
import { systemClock } from '../../../lib/time/clock.js';
import { rightOptions } from '../../support/secrets/config-canaries.js';
import { profileOf, tokenOf } from '../../support/token/token-fixtures.js';

const HOUR_MS = 3_600_000;

async function checkOf(overrides: Partial<Check>): Promise<Check> {
  return {
    profile: profileOf(),
    settings: await validateOptions(rightOptions(), {}),
    destinations: {
      tokenUrl: { host: 'provider.example', port: 443, isProxy: false },
      baseUrl: { host: 'provider.example', port: 443, isProxy: false },
    },
    baseUrls: [],
    probe: undefined,
    ...overrides,
  };
}

function jwt(content: unknown): Partial<Check> {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return { token: tokenOf(systemClock, `e30.${payload}.c2ln`, HOUR_MS) };
}

describe('the step about the clock', () => {
  it.each([
    [0, "agrees with the server's", false],
    [1_900, "agrees with the server's", false],
    [-5_000, "5 s behind the server's", false],
    [90_000, "90 s ahead of the server's", true],
  ])(
    'reports a difference of %d ms, and what to do if it is too large',
    async (clockAheadMs, detail, advised) => {
      const finding = clock.run(await checkOf({ clockAheadMs }));
      expect(finding).toMatchObject({ status: 'ok', detail, facts: { aheadMs: clockAheadMs } });
      expect('advice' in finding).toBe(advised);
    },
  );

  it('is skipped if the server sends no Date', async () => {
    expect(clock.run(await checkOf({}))).toMatchObject({ status: 'skipped' });
  });
});

describe('the step about claims', () => {
  it('S3: accepts a token that is no JWT', async () => {
    for (const value of ['opaque', 'a.b', 'a.b.c', `e30.${Buffer.from('[1]').toString('base64url')}.x`])
      expect(claims.run(await checkOf({ token: tokenOf(systemClock, value, HOUR_MS) }))).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining('not a JWT'),
      });
  });

  it('shows no claim that has a wrong type', async () => {
    const finding = claims.run(await checkOf(jwt({ iss: 1, aud: [{}], exp: 'soon' })));
    expect(finding).toMatchObject({ detail: 'the token has none of the claims iss, aud and exp', facts: {} });
    expect(claims.run(await checkOf(jwt({ exp: 1e300 })))).toMatchObject({ facts: {} });
  });

  it("compares exp with expires_in by the server's clock", async () => {
    const exp = (Date.now() + HOUR_MS) / 1000;
    expect(claims.run(await checkOf(jwt({ exp })))).not.toHaveProperty('advice');
    // This machine's clock is ten minutes ahead, so the server's exp looks ten minutes early.
    expect(
      claims.run(await checkOf({ ...jwt({ exp: exp - 600 }), clockAheadMs: 600_000 })),
    ).not.toHaveProperty('advice');
    expect(claims.run(await checkOf(jwt({ exp: exp - 600 })))).toMatchObject({
      advice: expect.stringMatching(/^exp is (599|600) s earlier/),
    });
  });
});

describe('B29: the step about claims, with a token for another address', () => {
  const own = { interface: 'easy', environment: 'sandbox' } as const;
  const profile = profileOf({
    baseUrl: 'https://sandbox.example/v1',
    tokenUrl: 'https://auth.example/token',
  });
  const baseUrls = [
    { ...own, url: 'https://sandbox.example/v1', variable: 'OWN' },
    { ...own, environment: 'production' as const, url: 'https://live.example/v1', variable: 'LIVE' },
  ];
  const findingFor = async (content: object, more: Partial<Check> = {}) =>
    claims.run(await checkOf({ profile, baseUrls, ...more, ...jwt(content) }));

  it.each([
    [
      'aud under another base URL',
      { aud: 'https://live.example/v1' },
      'The aud of this token lies under LIVE, not under ',
    ],
    [
      'aud on the host of another base URL',
      { aud: ['https://live.example/x'] },
      'The aud of this token lies on the host of LIVE, not on the host of ',
    ],
    [
      'iss under another base URL',
      { iss: 'https://live.example/v1/issuer' },
      'The iss of this token lies under LIVE, not under ',
    ],
    [
      'iss under another base URL, whatever aud is',
      { iss: 'https://live.example/v1', aud: 'https://sandbox.example/v1' },
      'The iss of this token lies under LIVE',
    ],
    [
      'iss on the host of another base URL',
      { iss: 'https://live.example/x', aud: 'payments' },
      'The iss of this token lies on the host of LIVE',
    ],
  ])('fails for %s, and names the setting to change', async (_what, content, says) => {
    const finding = await findingFor(content);
    expect(finding).toMatchObject({ status: 'failed', code: 'OTHER_BASE_URL' });
    expect(finding).toHaveProperty('advice', expect.stringContaining(says));
    expect(finding).toHaveProperty(
      'advice',
      expect.stringContaining(remedyOf('refused-token', profile, 'baseUrl')),
    );
  });

  it.each([
    ['one of several that fits', { aud: ['https://live.example/v1', 'https://sandbox.example/v1'] }],
    [
      'an address that is configured nowhere',
      { aud: 'https://elsewhere.example', iss: 'https://issuer.example' },
    ],
    [
      'an audience that fits and an issuer on another host',
      { aud: 'https://sandbox.example', iss: 'https://live.example/issuer' },
    ],
    ['the issuer where the token was asked for', { iss: 'https://auth.example' }],
  ])('accepts %s', async (_what, content) => {
    const finding = await findingFor(content);
    expect(finding).toMatchObject({ status: 'ok' });
    expect(finding).not.toHaveProperty('advice');
  });

  it('only warns of an aud that names another path of the same host', async () => {
    expect(await findingFor({ aud: 'https://sandbox.example/audience' })).toMatchObject({
      status: 'ok',
      advice: expect.stringContaining('--probe <path>'),
    });
  });

  it('fails for such an aud if another interface has the same base URL', async () => {
    const twin = { ...own, interface: 'originations' as const, url: profile.baseUrl, variable: 'TWIN' };
    expect(
      await findingFor({ aud: 'https://sandbox.example/easy' }, { baseUrls: [...baseUrls, twin] }),
    ).toMatchObject({
      status: 'failed',
      advice: expect.stringContaining('is the same as TWIN'),
    });
  });

  it('B24: fails for such an aud if an interface of another provider has the same base URL', async () => {
    const twin = { ...own, provider: 'warehouse', url: profile.baseUrl, variable: 'TWIN' };
    expect(
      await findingFor({ aud: 'https://sandbox.example/easy' }, { baseUrls: [...baseUrls, twin] }),
    ).toMatchObject({ status: 'failed', advice: expect.stringContaining('is the same as TWIN') });
  });

  it.each(['audience', 'resource'])(
    'B24: accepts an aud that is the %s of the definition, wherever its address is',
    async (member) => {
      const terms = { [member]: 'https://live.example/v1/orders' };
      const asked = (aud: unknown, iss?: string) =>
        findingFor({ aud, iss }, { profile: { ...profile, terms } });
      for (const aud of ['https://live.example/v1/orders', ['other', 'https://live.example/v1/orders']])
        expect(await asked(aud)).not.toHaveProperty('advice');
      expect(await asked('https://live.example/v1/orders', 'https://live.example/issuer')).toMatchObject({
        status: 'ok',
      });
      expect(await asked('https://live.example/v1/order')).toMatchObject({ code: 'OTHER_BASE_URL' });
    },
  );
});

describe('the step about the lifetime', () => {
  it('S11: reports the lifetime of the endpoint, and that a short lifetime means many requests', async () => {
    expect(lifetime.run(await checkOf({ token: tokenOf(systemClock, 'x', HOUR_MS) }))).toEqual({
      status: 'ok',
      detail: expect.stringContaining('3600 s'),
      facts: { seconds: 3600 },
    });
    expect(lifetime.run(await checkOf({ token: tokenOf(systemClock, 'x', 5_000) }))).toHaveProperty('advice');
  });
});

describe('the step about TLS', () => {
  it.each([
    [-1, '1 day ago'],
    [-2, '2 days ago'],
  ])('B29: counts the days since a certificate expired: %d', (daysLeft, ago) => {
    const dates = { valid_from: '', valid_to: 'Nov  2 00:00:00 2025 GMT' };
    const facts = { issuer: 'Example CA', names: [], daysLeft };
    const { detail } = certificateFailure('CERT_HAS_EXPIRED', dates, facts, profileOf(), 'tokenUrl');
    expect(detail).toContain(`expired on 2025-11-02, ${ago} (`);
  });

  it('B29: says that an authority, and not the server, has a certificate that is not valid yet', () => {
    const dates = { valid_from: 'Nov  2 00:00:00 2025 GMT', valid_to: '' };
    const facts = { issuer: 'Example CA', names: [] };
    const { detail } = certificateFailure('CERT_NOT_YET_VALID', dates, facts, profileOf(), 'tokenUrl');
    expect(detail).toBe(
      'the certificate, issued by Example CA, is valid, but that of an authority above it is not valid yet (CERT_NOT_YET_VALID)',
    );
  });
});
