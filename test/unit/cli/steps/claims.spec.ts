import { describe, expect, it } from 'vitest';
import type { ConfiguredBaseUrl } from '../../../../lib/cli/plan.js';
import type { Check } from '../../../../lib/cli/report.js';
import { checkAddress, claims, isIssuerOfTokenUrl } from '../../../../lib/cli/steps/claims.js';
import { remedyOf } from '../../../../lib/errors/troubles.js';
import { checkOf, jwtOf } from '../../../support/application/doctor-check.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { HOUR, profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

const clock = new FakeClock();
/** The end of each token, as expires_in says. */
const END = (clock.wall() + HOUR) / 1_000;

const findingOf = async (token: string, overrides: Partial<Check> = {}) =>
  claims.run(checkOf({ token: tokenOf(clock, token), ...overrides }));
const findingFor = (content: unknown, overrides: Partial<Check> = {}) => findingOf(jwtOf(content), overrides);

describe('the step about claims', () => {
  it.each(['opaque', 'a.b', 'a.b.c', jwtOf([1])])('S3: accepts a token that is no JWT: %s', async (token) => {
    expect(await findingOf(token)).toEqual({
      status: 'ok',
      detail: 'the token is not a JWT, so it has no claims to read',
    });
  });

  it.each([
    [
      { iss: 'https://issuer.example', aud: 'payments', exp: END, sub: 'not shown' },
      'iss https://issuer.example, aud payments, exp 2026-03-01T13:00:00.000Z',
      { iss: 'https://issuer.example', aud: ['payments'], exp: '2026-03-01T13:00:00.000Z' },
    ],
    [{ aud: ['1', '2', '3', '4', '5', '6'] }, 'aud 1 2 3 4 5', { aud: ['1', '2', '3', '4', '5'] }],
  ])('shows the claims %j', async (content, detail, facts) => {
    expect(await findingFor(content)).toEqual({ status: 'ok', detail, facts });
  });

  it.each([
    { iss: 1, aud: 7, exp: 'soon' },
    { iss: ['https://issuer.example'], aud: ['one', 2], exp: String(END) },
    { aud: [{}], exp: 9e12 },
  ])('shows no claim that has a wrong type: %j', async (content) => {
    expect(await findingFor(content)).toEqual({
      status: 'ok',
      detail: 'the token has none of the claims iss, aud and exp',
      facts: {},
    });
  });
});

describe('B29: the step about claims, with a token for another address', () => {
  const own = { interface: 'easy', environment: 'sandbox' } as const;
  const profile = profileOf({
    baseUrl: 'https://sandbox.example/v1',
    tokenUrl: 'https://auth.example/token',
  });
  const OWN = profile.names.baseUrl;
  const baseUrls: ConfiguredBaseUrl[] = [
    { ...own, url: 'https://sandbox.example/v1', variable: 'OWN' },
    { ...own, environment: 'production', url: 'https://live.example/v1', variable: 'LIVE' },
  ];
  const checked = (content: object, more: Partial<Check> = {}) =>
    findingFor(content, { profile, baseUrls, ...more });
  const twin = { ...own, interface: 'originations', url: profile.baseUrl, variable: 'TWIN' };
  const remedy = remedyOf('refused-token', profile, 'baseUrl');

  it.each([
    [
      'one of several in aud under another base URL',
      { aud: ['payments', 'https://live.example/v1'] },
      `The aud of this token lies under LIVE, not under ${OWN}. Have they been swapped?`,
    ],
    [
      'iss under another base URL',
      { iss: 'https://live.example/v1/issuer' },
      `The iss of this token lies under LIVE, not under ${OWN}. Have they been swapped?`,
    ],
    [
      'iss on the host of another base URL',
      { iss: 'https://live.example/x', aud: 'payments' },
      `The iss of this token lies on the host of LIVE, not on the host of ${OWN}. Have they been swapped?`,
    ],
  ])('fails for %s, and names the setting to change', async (_what, content, fault) => {
    const finding = await checked(content);
    const shown = Object.entries(content).map(([name, value]) => `${name} ${[value].flat().join(' ')}`);
    expect(finding).toEqual({
      status: 'failed',
      detail: `the token is for another address: ${shown.join(', ')}`,
      code: 'OTHER_BASE_URL',
      advice: `${fault} ${remedy}`,
      facts: { ...content, ...('aud' in content && { aud: [content.aud].flat() }) },
    });
  });

  it.each([
    ['one of several that fits', { aud: ['https://live.example/v1', 'https://sandbox.example/v1'] }],
    [
      'one of several that fits as well as another path of its host',
      { aud: ['https://sandbox.example/other', 'https://sandbox.example/v1'] },
    ],
    [
      'an address that is configured nowhere',
      { aud: 'https://elsewhere.example', iss: 'https://issuer.example' },
    ],
    [
      'an audience that fits and an issuer on another host',
      { aud: 'https://sandbox.example', iss: 'https://live.example/issuer' },
    ],
    ['the issuer where the token was requested', { iss: 'https://auth.example' }],
  ])('accepts %s', async (_what, content) => {
    const finding = await checked(content);
    expect([finding.status, finding.advice]).toEqual(['ok', undefined]);
  });

  it('accepts an issuer on the host of another base URL, if the token was requested there', async () => {
    const asked = { ...profile, tokenUrl: 'https://live.example/token' };
    const { status } = await checked({ iss: 'https://live.example' }, { profile: asked });
    expect(status).toBe('ok');
  });

  const doubt = `The path of ${OWN} may be wrong: the aud of this token names another address on the same host. --probe <path> shows whether the API accepts the token.`;

  it('only warns of an aud that names another path of the same host', async () => {
    expect(await checked({ aud: 'https://sandbox.example/audience' })).toEqual({
      status: 'ok',
      detail: 'aud https://sandbox.example/audience',
      facts: { aud: ['https://sandbox.example/audience'] },
      advice: doubt,
    });
  });

  it('leaves the warning to a probe, if there is one', async () => {
    const check = checkOf({ token: tokenOf(clock, jwtOf({ aud: 'https://sandbox.example/x' })), probe: '/' });
    const finding = await claims.run(Object.assign(check, { profile, baseUrls }));
    expect([finding.advice, check.isForOtherPath]).toEqual([undefined, true]);
  });

  it('B24: only warns if another interface of your own provider has this base URL, too', async () => {
    const warehouse = { provider: 'warehouse' };
    const { advice } = await checked(
      { aud: 'https://sandbox.example/audience' },
      {
        profile: { ...profile, ...warehouse },
        baseUrls: [...baseUrls, twin].map((one) => ({ ...one, ...warehouse })),
      },
    );
    expect(advice).toBe(doubt);
  });

  it.each([
    ['another interface', [twin], 'TWIN'],
    ['B29: another environment', [{ ...twin, interface: own.interface, environment: 'production' }], 'TWIN'],
    [
      'B24: an interface of another provider',
      [{ ...twin, provider: 'warehouse', interface: 'easy' }],
      'TWIN',
    ],
    ['two other interfaces', [twin, { ...twin, variable: 'TWO' }], 'TWIN and TWO'],
  ])('fails for such an aud if %s has the same base URL', async (_what, twins, listed) => {
    const aud = 'https://sandbox.example/easy';
    expect(await checked({ aud }, { baseUrls: [...baseUrls, ...twins] })).toEqual({
      status: 'failed',
      detail: `the token is for another address: aud ${aud}`,
      code: 'OTHER_BASE_URL',
      advice: `${OWN} is the same as ${listed}, and the aud of this token names another address. ${remedy}`,
      facts: { aud: [aud] },
    });
  });

  it.each(['audience', 'resource'])(
    'B24: accepts an aud that is the %s of the definition, wherever its address is',
    async (member) => {
      const terms = { [member]: 'https://live.example/v1/orders' };
      const asked = async (aud: unknown, iss?: string) => {
        const { status, advice, code } = await checked({ aud, iss }, { profile: { ...profile, terms } });
        return code ?? [status, advice];
      };
      for (const aud of ['https://live.example/v1/orders', ['other', 'https://live.example/v1/orders']])
        expect(await asked(aud)).toEqual(['ok', undefined]);
      expect(await asked('https://live.example/v1/orders', 'https://live.example/issuer')).toEqual([
        'ok',
        undefined,
      ]);
      expect(await asked('https://live.example/v1/order')).toBe('OTHER_BASE_URL');
    },
  );
});

const SANDBOX = 'https://sandbox.provider.example/easy/v1';

function baseUrl(url: string, variable: string): ConfiguredBaseUrl {
  return { interface: 'easy', environment: 'sandbox', url, variable };
}

const BASE_URLS = [
  baseUrl(SANDBOX, 'OWN'),
  baseUrl('https://provider.example/easy/v1', 'LIVE'),
  baseUrl('https://sandbox.provider.example/originations/v1', 'OTHER_INTERFACE'),
  baseUrl('https://sandbox.provider.example/easy/v1/nested', 'NESTED'),
];

/** `own`, or `under LIVE` for an address of other base URLs. */
function verdictOn(claim: string, own = SANDBOX, baseUrls = BASE_URLS): string {
  const verdict = checkAddress(claim, own, baseUrls);
  return typeof verdict === 'object'
    ? [verdict.where, ...verdict.owners.map(({ variable }) => variable)].join(' ')
    : verdict;
}

describe('B29: the address that a token is for', () => {
  it.each([
    // The base URL itself, an address under it, an address above it.
    [SANDBOX, 'own'],
    [`${SANDBOX}/`, 'own'],
    [`${SANDBOX}/payments`, 'own'],
    ['https://sandbox.provider.example', 'own'],
    ['https://sandbox.provider.example/easy', 'own'],
    ['HTTPS://SANDBOX.provider.example:443/easy/v1', 'own'],
    ['sandbox.provider.example/easy/v1', 'own'],
    // The path belongs to another pair.
    ['https://provider.example/easy/v1', 'under LIVE'],
    ['https://provider.example/easy', 'under LIVE'],
    ['https://sandbox.provider.example/originations/v1', 'under OTHER_INTERFACE'],
    ['https://sandbox.provider.example/easy/v1/nested/x', 'under NESTED'],
    // Only the host belongs to another pair.
    ['https://provider.example/audience', 'on the host of LIVE'],
    // A segment with the same beginning is another segment.
    ['https://sandbox.provider.example/easy/v10', 'elsewhere'],
    ['https://sandbox.provider.example/audience', 'elsewhere'],
    // These belong to no configured address.
    ['https://api.elsewhere.example/easy/v1', 'unknown'],
    ['urn:provider:easy', 'unknown'],
    ['not an address', 'unknown'],
  ])('%j is: %s', (claim, verdict) => {
    expect(verdictOn(claim)).toBe(verdict);
  });

  it('is the own address if two pairs have the same base URL', () => {
    expect(verdictOn(SANDBOX, SANDBOX, [...BASE_URLS, baseUrl(SANDBOX, 'TWIN')])).toBe('own');
  });

  it('B29: is that of the pair, however many slashes the base URL of another pair has', () => {
    const twin = baseUrl('https://sandbox.provider.example/easy//v1', 'TWIN');
    expect(verdictOn(`${SANDBOX}/x`, SANDBOX, [...BASE_URLS, twin])).toBe('own');
  });

  it('names all pairs that it belongs to', () => {
    const twin = baseUrl('https://provider.example/easy/v1', 'TWIN');
    expect(verdictOn('https://provider.example/easy/v1', SANDBOX, [...BASE_URLS, twin])).toBe(
      'under LIVE TWIN',
    );
  });
});

const LIVE = 'https://provider.example';

it.each([
  ['on the host of the token URL', true, `${LIVE}/issuer`, `${LIVE}/token`],
  ['above the token URL', true, `${LIVE}/easy`, `${LIVE}/easy/token`],
  [
    'under a base URL that the token URL is under, too',
    true,
    `${LIVE}/easy/v1/auth`,
    `${LIVE}/easy/v1/token`,
  ],
  ['on a host where no token was requested', false, `${LIVE}/issuer`, 'https://auth.example/token'],
  ['under a base URL, and the token URL is not', false, `${LIVE}/easy/v1`, `${LIVE}/token`],
  ['that of the API itself', false, SANDBOX, SANDBOX],
])('B29: an issuer %s says nothing of the API: %s', (_where, isInnocent, iss, tokenUrl) => {
  const verdict = checkAddress(iss, SANDBOX, BASE_URLS);
  expect(typeof verdict === 'object' && isIssuerOfTokenUrl(iss, tokenUrl, verdict)).toBe(isInnocent);
});
