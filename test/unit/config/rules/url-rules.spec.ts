import { describe, expect, it } from 'vitest';
import { normalBaseUrl, normalTokenUrl } from '../../../../lib/config/rules/url-rules.js';
import { flawOfBaseUrl, flawOfTokenUrl } from '../../../support/application/built-in.js';

describe('S4: a token URL', () => {
  it.each([
    ['easy', 'https://a.example/auth/v0/connect/token'],
    ['easy', 'https://a.example/prefix/auth/v12/connect/token?tenant=7'],
    ['originations', 'https://a.example/oauth/token'],
    ['originations', 'https://a.example/prefix/oauth/token?x=/'],
  ] as const)('of %s may be %s', (of, url) => {
    expect(flawOfTokenUrl(url, of)).toBeUndefined();
  });

  const EASY = 'the path of the easy token URL ends in /auth/v0/connect/token';
  const ORIGINATIONS = 'the path of the originations token URL ends in /oauth/token';

  it.each([
    ['originations', 'https://a.example/oauth/token/', `ends in a slash: ${ORIGINATIONS}. Remove the slash.`],
    ['easy', 'https://a.example/auth/v0/connect/token//', `ends in a slash: ${EASY}. Remove the slash.`],
    [
      'easy',
      'https://a.example/oauth/token',
      `is a token URL of originations: ${EASY}. Have the token URLs of easy and originations been swapped?`,
    ],
    [
      'originations',
      'https://a.example/auth/v0/connect/token/',
      `is a token URL of easy: ${ORIGINATIONS}. Have the token URLs of originations and easy been swapped?`,
    ],
    [
      'easy',
      'https://a.example/auth/vx/connect/token',
      `has the wrong path: ${EASY}. Compare it with the address that the provider gave you.`,
    ],
    [
      'originations',
      'https://a.example/xoauth/token',
      `has the wrong path: ${ORIGINATIONS}. Compare it with the address that the provider gave you.`,
    ],
    [
      'originations',
      'https://a.example/oauth/token/x',
      `has the wrong path: ${ORIGINATIONS}. Compare it with the address that the provider gave you.`,
    ],
    [
      'easy',
      'https://a.example//auth/v0/connect/tokens',
      `has the wrong path: ${EASY}. Compare it with the address that the provider gave you.`,
    ],
    ['easy', undefined, 'is missing. Set it to the https address that ends in /auth/v0/connect/token.'],
    ['originations', '', 'is empty. Set it to the https address that ends in /oauth/token.'],
  ] as const)('of %s is not %s, and the error shows the ending', (of, url, flaw) => {
    expect(flawOfTokenUrl(url, of)).toBe(flaw);
  });

  it('is compared as a URL: capitals in the host, the default port and dot segments do not count', () => {
    expect(normalTokenUrl('HTTPS://A.Example:443/x/../oauth/token?A=%20')).toBe(
      'https://a.example/oauth/token?A=%20',
    );
  });
});

describe('S6: a base URL', () => {
  it.each([
    [undefined, 'is missing. Set it to the https address of the API.'],
    ['https://a.example?', 'contains a query (?…). Remove it; parameters belong to each request.'],
    [
      'https://a.example/oauth/token',
      'is a token URL. The base URL is where authorized requests go; the token URL has its own setting.',
    ],
    [
      'https://a.example/auth/v3/connect/token//',
      'is a token URL. The base URL is where authorized requests go; the token URL has its own setting.',
    ],
  ])('is not %s, and the error says how to fix it', (url, flaw) => {
    expect(flawOfBaseUrl(url)).toBe(flaw);
  });

  it('may have the path of a token URL in its middle', () => {
    expect(flawOfBaseUrl('https://a.example/oauth/token/v1')).toBeUndefined();
    expect(flawOfBaseUrl('https://a.example/oauth//token')).toBeUndefined();
  });

  it.each([
    ['https://a.example', 'https://a.example'],
    ['https://a.example///', 'https://a.example'],
    ['https://a.example/v1//', 'https://a.example/v1'],
    ['https://a.example//v1', 'https://a.example//v1'],
  ])('%s is kept as %s', (given, kept) => {
    expect(normalBaseUrl(given)).toBe(kept);
  });
});
