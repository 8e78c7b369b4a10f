import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, BaseAddress } from '../../../lib/http/final-address.js';

const BASE = 'https://api.example.com/v1';
const base = new BaseAddress(BASE);

function judge(url: string | undefined, rest: Partial<InternalAxiosRequestConfig> = {}) {
  const config = { baseURL: BASE, allowAbsoluteUrls: true, headers: new AxiosHeaders(), ...rest };
  return base.judge(url === undefined ? config : { ...config, url });
}

describe('S6: under the base URL', () => {
  it.each([
    undefined,
    '',
    '/',
    'payments',
    '/payments/42',
    '/payments/',
    '/payments?from=2026-01-01T00:00&q=../..',
    '/payments?next=https://evil.example/x',
    '/payments#/../..',
    '?page=2',
    '/a.b/c..d/e.f',
    '/a/./b',
    '/a/../b',
    '/a//b',
    '/files/a%2Fb',
    '/names/M%C3%BCller',
    '/x/..%2fy',
    '/time/12:30',
    '/odata/Items(1)',
    '@evil.example',
    ':80@evil.example',
    '.evil.example',
    '\\evil.example',
    '/\\evil.example',
    ' https://evil.example',
    '\thttps://evil.example',
    'https://api.example.com/v1/payments',
    'https://API.example.com:443/v1',
    'https://api.example.com/v2/../v1/x',
  ])('is %j', (url) => {
    expect(judge(url)).toBe('under');
  });

  it('is a base URL that the caller narrows', () => {
    expect(judge('/42', { baseURL: `${BASE}/payments/` })).toBe('under');
  });

  it('is whatever stays on the base URL because absolute URLs are off', () => {
    expect(judge('https://evil.example/x', { allowAbsoluteUrls: false })).toBe('under');
    expect(judge('//evil.example/x', { allowAbsoluteUrls: false })).toBe('under');
  });
});

describe('S6: outside of the base URL for a server that decodes more than it should', () => {
  it.each([
    '%c0%ae%c0%ae/admin',
    '%c0%ae%c0%ae%c0%afadmin',
    '%e0%80%ae%e0%80%ae/admin',
    '%f0%80%80%ae%f0%80%80%ae/admin',
    '..%c0%afadmin',
    '..%c1%9cadmin',
    '%25c0%25ae%25c0%25ae/admin',
    '%u002e%u002e/admin',
    '%u002e%u002e%u002fadmin',
    '%uff0e%uff0e%uff0fadmin',
    '\uff0e\uff0e/admin',
    '%ef%bc%8e%ef%bc%8e/admin',
    '..%ef%bc%8fadmin',
    '..%ef%bc%bcadmin',
    '\u2024\u2024/admin',
    '\u2025/admin',
    '\ufe52\ufe52/admin',
    '..%ef%bc%9bx/admin',
  ])('is %j (hole 12)', (url) => {
    expect(judge(url)).toBe('OUTSIDE_BASE_URL');
    expect(judge(`/a/../${url}`)).toBe('OUTSIDE_BASE_URL');
  });

  it.each(['/a\uff0eb', '/%ef%bc%8e/x', '/files/%c0%ae', '/a%u002fb'])('is not %j', (url) => {
    expect(judge(url)).toBe('under');
  });
});

describe('S6: outside of the base URL', () => {
  it.each([
    'https://evil.example/x',
    'HTTPS://evil.example/v1/x',
    'https://api.example.com.evil.example/v1/x',
    'https://api.example.com@evil.example/v1/x',
    'https://api.example.com:8443/v1/x',
    'https://api.example.com./v1/x',
    'https://sub.api.example.com/v1/x',
    'https://ａpi.example.com.evil.example/v1/x',
    'https://api.example.com/v10/x',
    'https://api.example.com/v1x',
    'https://api.example.com/V1/x',
    'https://api.example.com/',
    'https://api.example.com\\@evil.example/v1',
    'https://',
    'https:/evil.example',
    'https:evil.example',
    'https:\\\\evil.example',
    '//evil.example/x',
    '///evil.example',
    '//api.example.com/v1/x',
    '..',
    '../admin',
    '/../admin',
    '/payments/../../admin',
    '\\..\\..\\admin',
    '.\t./admin',
    '%2e%2e/admin',
    '/%2E./admin',
    '/a/%2e%2e/%2e%2e/admin',
    '..%2fadmin',
    '..%5cadmin',
    '%2e%2e%2fadmin',
    '%252e%252e/admin',
    '%252e%252e%252fadmin',
    '%25252e%25252e/admin',
    '/a//..%2f..%2fadmin',
    '/a%2f%2f/..%2f..%2fadmin',
    '/..;/admin',
    '/..;a=b/admin',
    '/..%3b/admin',
    '/..%3ba=b/admin',
    '/a/..;/..;/admin',
  ])('is %j', (url) => {
    expect(judge(url)).toBe('OUTSIDE_BASE_URL');
  });

  it('is another base URL', () => {
    expect(judge('/x', { baseURL: 'https://evil.example/v1' })).toBe('OUTSIDE_BASE_URL');
    expect(judge('/x', { baseURL: 'https://api.example.com/v10' })).toBe('OUTSIDE_BASE_URL');
    expect(judge('/x', { baseURL: '' })).toBe('OUTSIDE_BASE_URL');
  });

  it('is a local socket, whatever the URL says', () => {
    expect(judge('/x', { socketPath: '/var/run/proxy.sock' })).toBe('OUTSIDE_BASE_URL');
  });

  it('is what is no string', () => {
    expect(base.judge({ baseURL: BASE, url: 42 as never, headers: new AxiosHeaders() })).toBe(
      'OUTSIDE_BASE_URL',
    );
  });
});

describe('S9: anything but https', () => {
  it.each(['http://api.example.com/v1/x', 'HTTP://evil.example', 'ftp://api.example.com/v1', 'ws://x'])(
    'is insecure: %j',
    (url) => {
      expect(judge(url)).toBe('INSECURE_URL');
    },
  );

  it('is insecure as a base URL of the request', () => {
    expect(judge('/x', { baseURL: 'http://api.example.com/v1' })).toBe('INSECURE_URL');
  });
});

it('S6: sees credentials in the address of a request', () => {
  for (const own of ['me:secret', 'me', ':secret'])
    expect(judge(`https://${own}@api.example.com/v1/x`)).toBe('under, with credentials of its own');
});

it('S6: takes a base URL without a path for the whole origin', () => {
  const whole = new BaseAddress('https://api.example.com');
  const config = { baseURL: 'https://api.example.com', headers: new AxiosHeaders() };
  expect(whole.judge({ ...config, url: '../../x' })).toBe('under');
  expect(whole.judge({ ...config, url: 'https://evil.example' })).toBe('OUTSIDE_BASE_URL');
  expect(whole.judge({ ...config, url: 'https://api.example.com//[x' })).toBe('under');
});

it.each(['https://api.example.com/a//b', 'https://api.example.com/a;v=1', 'https://api.example.com/a%2fb'])(
  'S6: takes a base URL as odd as %s by its word',
  (baseURL) => {
    const odd = new BaseAddress(baseURL);
    const config = { baseURL, headers: new AxiosHeaders() };
    expect(odd.judge({ ...config, url: '/%7ex' })).toBe('under');
    expect(odd.judge({ ...config, url: '/..%2fx' })).toBe('OUTSIDE_BASE_URL');
  },
);

it('S6: what the fast way lets through, the URL parser finds under the base URL too', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    // Whole steps upwards, which single pieces come to once in a million runs.
    'a/..',
    '/..',
    '%2e',
    '%2f',
    '%5c',
    '\\',
    ';',
    ':',
    '@',
    '?',
    '#',
    'a',
    'http:',
    'é',
    ' ',
    '\t',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const url = pieces.join('');
      if (judge(url) !== 'under') return;
      const address = addressOf({ baseURL: BASE, url, allowAbsoluteUrls: true, headers: new AxiosHeaders() });
      expect(address?.origin).toBe('https://api.example.com');
      expect(`${address?.pathname}/`.startsWith('/v1/')).toBe(true);
    }),
    // Always the same ones: what this finds, it finds again.
    { numRuns: 2_000, seed: 20_260 },
  );
});
