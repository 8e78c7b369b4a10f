import { describe, expect, it } from 'vitest';
import type { ConfiguredBaseUrl } from '../../../../lib/cli/plan.js';
import { isIssuerOfTokenUrl, checkAddress } from '../../../../lib/cli/steps/claims.js';

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
