import { describe, expect, it } from 'vitest';
import type { ConfiguredBaseUrl } from '../../../../lib/cli/plan.js';
import { isIssuerOfTokenUrl, checkAddress } from '../../../../lib/cli/steps/token-address.js';

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

/** `own`, or `path LIVE` for an address of other base URLs. */
function verdictOn(claim: string, own = SANDBOX, baseUrls = BASE_URLS): string {
  const verdict = checkAddress(claim, own, baseUrls);
  return verdict.kind === 'other'
    ? [verdict.by, ...verdict.owners.map(({ variable }) => variable)].join(' ')
    : verdict.kind;
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
    ['http://sandbox.provider.example/easy/v1', 'own'],
    ['sandbox.provider.example/easy/v1', 'own'],
    ['sandbox.provider.example/easy/v1/https://x', 'own'],
    // The path belongs to another pair.
    ['https://provider.example/easy/v1', 'path LIVE'],
    ['https://provider.example/easy/v1/payments', 'path LIVE'],
    ['https://provider.example/easy', 'path LIVE'],
    ['https://sandbox.provider.example/originations/v1', 'path OTHER_INTERFACE'],
    ['https://sandbox.provider.example/originations', 'path OTHER_INTERFACE'],
    ['https://sandbox.provider.example/easy/v1/nested/x', 'path NESTED'],
    // Only the host belongs to another pair.
    ['https://provider.example/audience', 'host LIVE'],
    // A segment with the same beginning is another segment.
    ['https://sandbox.provider.example/easy/v10', 'elsewhere'],
    ['https://sandbox.provider.example/audience', 'elsewhere'],
    // These belong to no configured address.
    ['https://api.elsewhere.example/easy/v1', 'unknown'],
    ['urn:provider:easy', 'unknown'],
    ['payments', 'unknown'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ])('%j is: %s', (claim, verdict) => {
    expect(verdictOn(claim)).toBe(verdict);
  });

  it('is the own address if two pairs have the same base URL', () => {
    expect(verdictOn(SANDBOX, SANDBOX, [...BASE_URLS, baseUrl(SANDBOX, 'TWIN')])).toBe('own');
  });

  it('is compared with those base URLs that are addresses', () => {
    const all = [...BASE_URLS, baseUrl('not an address', 'NONE')];
    expect(verdictOn('https://provider.example/audience', SANDBOX, all)).toBe('host LIVE');
    expect(verdictOn(SANDBOX, 'not an address', all)).toBe('unknown');
  });

  it('names all pairs that it belongs to', () => {
    const twin = baseUrl('https://provider.example/easy/v1', 'TWIN');
    expect(verdictOn('https://provider.example/easy/v1', SANDBOX, [...BASE_URLS, twin])).toBe(
      'path LIVE TWIN',
    );
  });
});

function isInnocent(iss: string, tokenUrl: string): boolean {
  return isIssuerOfTokenUrl(iss, tokenUrl, checkAddress(iss, SANDBOX, BASE_URLS));
}

describe('B29: an issuer', () => {
  it.each([
    [
      'on the host of the token URL',
      'https://provider.example/issuer',
      'https://provider.example/oauth/token',
    ],
    ['above the token URL', 'https://provider.example/easy', 'https://provider.example/easy/oauth/token'],
    [
      'under a base URL that the token URL is under, too',
      'https://provider.example/easy/v1/auth',
      'https://provider.example/easy/v1/oauth/token',
    ],
  ])('says nothing of the API when it is %s', (_where, iss, tokenUrl) => {
    expect(isInnocent(iss, tokenUrl)).toBe(true);
  });

  it.each([
    [
      'on a host where no token was requested',
      'https://provider.example/issuer',
      'https://auth.example/oauth/token',
    ],
    [
      'under a base URL, and the token URL is not',
      'https://provider.example/easy/v1',
      'https://provider.example/oauth/token',
    ],
  ])('counts when it is %s', (_where, iss, tokenUrl) => {
    expect(isInnocent(iss, tokenUrl)).toBe(false);
  });

  it.each([
    [
      'is that of the API itself',
      'https://provider.example/x',
      'https://provider.example/oauth/token',
      'own',
    ],
    ['is no address', 'not an address', 'https://provider.example/oauth/token', 'other'],
    ['cannot be compared', 'https://provider.example/x', 'not an address', 'other'],
  ] as const)('is not that of the token URL when it %s', (_what, iss, tokenUrl, kind) => {
    const verdict = kind === 'own' ? { kind } : { kind, by: 'host' as const, owners: [] };
    expect(isIssuerOfTokenUrl(iss, tokenUrl, verdict)).toBe(false);
  });
});
