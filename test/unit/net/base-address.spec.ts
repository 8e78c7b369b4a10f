import { Axios, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { Axios as LowestAxios } from 'axios-lowest';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BaseAddress, isSendablePath, pathWithParams, shownAddress } from '../../../lib/net/base-address.js';

const BASE = 'https://api.example.com/v1';
let base: BaseAddress;

beforeEach(() => {
  base = new BaseAddress(BASE);
});

type Members = Partial<InternalAxiosRequestConfig>;

function configOf(url: string | undefined, rest: Members = {}): InternalAxiosRequestConfig {
  const config = { baseURL: BASE, allowAbsoluteUrls: true, headers: new AxiosHeaders(), ...rest };
  return url === undefined ? config : { ...config, url };
}

function resolve(url: string | undefined, rest?: Members) {
  return base.resolve(configOf(url, rest));
}

function verdictOf(url: string | undefined, rest?: Members) {
  return resolve(url, rest).verdict;
}

/** The address that axios and the URL parser make of a config, without our code. */
function parsed(config: InternalAxiosRequestConfig): URL {
  return new URL(new Axios({}).getUri(config));
}

describe('S6: under the base URL', () => {
  it.each([
    '/payments?from=2026-01-01T00:00&q=../..',
    '/payments?next=https://evil.example/x',
    '/payments#/../..',
    '/a.b/c..d/e.f',
    '/a/../b',
    '/a//b',
    '/files/a%2Fb',
    '/x/..%2fy',
    '/odata/Items(1)',
    '\\evil.example',
    'https://api.example.com/v1/payments',
    'https://API.example.com:443/v1',
    'https://api.example.com/v2/../v1/x',
  ])('is %j', (url) => {
    expect(verdictOf(url)).toBe('UNDER_BASE_URL');
  });

  it('is a base URL that the caller narrows', () => {
    expect(verdictOf('/42', { baseURL: `${BASE}/payments/` })).toBe('UNDER_BASE_URL');
  });

  it('is each path on the base URL if absolute URLs are off', () => {
    expect(verdictOf('https://evil.example/x', { allowAbsoluteUrls: false })).toBe('UNDER_BASE_URL');
    expect(verdictOf('//evil.example/x', { allowAbsoluteUrls: false })).toBe('UNDER_BASE_URL');
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
  ])('is %j', (url) => {
    expect(verdictOf(url)).toBe('OUTSIDE_BASE_URL');
    expect(verdictOf(`/a/../${url}`)).toBe('OUTSIDE_BASE_URL');
  });

  it.each(['/a\uff0eb', '/%ef%bc%8e/x', '/files/%c0%ae', '/a%u002fb'])('is not %j', (url) => {
    expect(verdictOf(url)).toBe('UNDER_BASE_URL');
  });
});

describe('S6: outside of the base URL', () => {
  it.each([
    'https://api.example.com.evil.example/v1/x',
    'https://api.example.com@evil.example/v1/x',
    'https://api.example.com:8443/v1/x',
    'https://ａpi.example.com.evil.example/v1/x',
    'https://api.example.com/v10/x',
    'https://api.example.com/V1/x',
    'https://api.example.com/',
    'https://api.example.com\\@evil.example/v1',
    'https://',
    '//api.example.com/v1/x',
    '..',
    '/payments/../../admin',
    '/%2E./admin',
    '..%5cadmin',
    '%2e%2e%2fadmin',
    '%252e%252e%252fadmin',
    '/a//..%2f..%2fadmin',
    '/a%2f%2f/..%2f..%2fadmin',
    '/..;a=b/admin',
    '/..%3b/admin',
  ])('is %j', (url) => {
    expect(verdictOf(url)).toBe('OUTSIDE_BASE_URL');
  });

  it('is another base URL', () => {
    expect(verdictOf('/x', { baseURL: 'https://evil.example/v1' })).toBe('OUTSIDE_BASE_URL');
    expect(verdictOf('/x', { baseURL: 'https://api.example.com/v10' })).toBe('OUTSIDE_BASE_URL');
    expect(verdictOf('/x', { baseURL: '' })).toBe('OUTSIDE_BASE_URL');
  });

  it('is a local socket, with any URL', () => {
    expect(verdictOf('/x', { socketPath: '/var/run/proxy.sock' })).toBe('OUTSIDE_BASE_URL');
  });

  it('is a value that is no string', () => {
    expect(verdictOf(42 as never)).toBe('OUTSIDE_BASE_URL');
  });
});

describe('S9: anything but https', () => {
  it.each(['http://api.example.com/v1/x', 'HTTP://evil.example', 'ftp://api.example.com/v1', 'ws://x'])(
    'is insecure: %j',
    (url) => {
      expect(verdictOf(url)).toBe('INSECURE_URL');
    },
  );

  it('is insecure as a base URL of the request', () => {
    expect(verdictOf('/x', { baseURL: 'http://api.example.com/v1' })).toBe('INSECURE_URL');
  });
});

it('S6: finds credentials in the address of a request', () => {
  for (const own of ['me:secret', 'me', ':secret'])
    expect(resolve(`https://${own}@api.example.com/v1/x`)).toMatchObject({
      verdict: 'UNDER_BASE_URL',
      credentials: { username: expect.any(String) },
      path: '/v1/x',
    });
});

it('S6: finds no credentials in an address without them, so the request gets its token', () => {
  for (const url of ['https://api.example.com/v1/x', '/x', '/a%20b', '/x?q=a@b:c'])
    expect(resolve(url)).toMatchObject({ verdict: 'UNDER_BASE_URL', credentials: undefined });
});

it('S6: takes a base URL without a path for the whole origin', () => {
  const whole = new BaseAddress('https://api.example.com');
  const config = { baseURL: 'https://api.example.com', headers: new AxiosHeaders() };
  expect(whole.resolve({ ...config, url: '../../x' }).verdict).toBe('UNDER_BASE_URL');
  expect(whole.resolve({ ...config, url: 'https://evil.example' }).verdict).toBe('OUTSIDE_BASE_URL');
  expect(whole.resolve({ ...config, url: 'https://api.example.com//[x' }).verdict).toBe('UNDER_BASE_URL');
});

it.each(['https://api.example.com/a//b', 'https://api.example.com/a;v=1', 'https://api.example.com/a%2fb'])(
  'S6: accepts a base URL as unusual as %s',
  (baseURL) => {
    const odd = new BaseAddress(baseURL);
    const config = { baseURL, headers: new AxiosHeaders() };
    expect(odd.resolve({ ...config, url: '/%7ex' }).verdict).toBe('UNDER_BASE_URL');
    expect(odd.resolve({ ...config, url: '/..%2fx' }).verdict).toBe('OUTSIDE_BASE_URL');
  },
);

it('S6: what the fast way accepts, the URL parser finds under the base URL, at the same path', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    // Whole steps upwards. Single pieces make such a step only once in a million runs.
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
      if (verdictOf(url) !== 'UNDER_BASE_URL') return;
      const { origin, pathname, search } = parsed(configOf(url));
      expect(origin).toBe('https://api.example.com');
      expect(`${pathname}/`.startsWith('/v1/')).toBe(true);
      expect(resolve(url).path).toBe(pathname + search);
    }),
    // Always the same addresses, so that a failure occurs again.
    { numRuns: 2_000, seed: 20_260 },
  );
});

describe('the path of an address', () => {
  it.each([
    [undefined, '/v1'],
    ['', '/v1'],
    ['/', '/v1/'],
    ['payments', '/v1/payments'],
    ['/payments?page=2', '/v1/payments?page=2'],
    ['?page=2', '/v1/?page=2'],
    ['/payments#part', '/v1/payments'],
    ['/payments?', '/v1/payments'],
    ["/o'neill?q='x'", "/v1/o'neill?q=%27x%27"],
    ['/ü?q=ü z', '/v1/%C3%BC?q=%C3%BC%20z'],
    ['/list?ids[]=1|2', '/v1/list?ids[]=1|2'],
    ['https://api.example.com/v2/../v1/x', '/v1/x'],
  ])('of %j is %s', (url, path) => {
    expect(resolve(url)).toMatchObject({ verdict: 'UNDER_BASE_URL', path });
  });

  it('is empty if the request is refused', () => {
    expect(resolve('https://evil.example/v1/x')).toMatchObject({ verdict: 'OUTSIDE_BASE_URL', path: '' });
  });

  it.each(['https://api.example.com/v1/', 'https://api.example.com/ä b', 'https://api.example.com'])(
    'S6: is the path that axios requests, below %s',
    (baseURL) => {
      const other = new BaseAddress(baseURL);
      for (const url of [undefined, '', '/', 'x', '/x/', '?y', '/%7ex']) {
        const config = configOf(url, { baseURL });
        const { pathname, search } = parsed(config);
        expect(other.resolve(config).path).toBe(pathname + search);
      }
    },
  );

  it.each<[string, unknown]>([
    ['members', { a: ['1', '2'], b: 'ü' }],
    ['a list with one entry', { a: ['1'] }],
    ['a list', ['1', '2']],
    ['URLSearchParams', new URLSearchParams({ a: '1', b: '2' })],
    [
      'an object of a class',
      new (class Page {
        readonly page = 2;
      })(),
    ],
  ])('gets the params as axios appends them: %s', (_, params) => {
    for (const url of ['/x', '/x?c=3'])
      for (const paramsSerializer of [undefined, { indexes: null }]) {
        const config = configOf(url, { params, ...(paramsSerializer && { paramsSerializer }) });
        const { pathname, search } = parsed(config);
        expect(pathWithParams(base.resolve(config), config)).toBe(pathname + search);
      }
  });

  const name = fc.oneof(
    fc.stringMatching(/^[\w.-]{1,6}$/),
    fc.stringMatching(/^\w[ ~!'(),:$+/[\]{}]\w$/),
    fc.constantFrom('a[]', 'b{}', ' c ', '', 'constructor', '__proto__', 'ü', '7'),
    fc.string({ maxLength: 4 }),
  );
  const value = fc.oneof(
    fc.stringMatching(/^[\w.-]{0,6}$/),
    fc.stringMatching(/^\w[ ~!'(),:$+/]$/),
    fc.string({ maxLength: 4 }),
    fc.double(),
    fc.integer(),
    fc.constantFrom<unknown>(true, null, undefined, -0, new Date(0), [1, 'b c'], { d: 1 }, 10n),
  );

  it.each([
    ['the newest axios', Axios],
    ['the lowest axios', LowestAxios],
  ])('B16, B17: has any params as %s appends them, also without its help', (_, OneAxios) => {
    const one = new OneAxios({});
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 4 }),
        fc.constantFrom('/x', '/x?c=3'),
        (members, url) => {
          const params: unknown = Object.fromEntries(members);
          const config = configOf(url, { params });
          const expected = new URL(one.getUri(config as object));
          // The URL parser encodes what axios leaves, for example an apostrophe.
          const path = new URL(pathWithParams(base.resolve(config), config), BASE);
          expect(path.href).toBe(expected.href);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('B16: does not ask axios about params that need no encoding', () => {
    const asked = vi.spyOn(Axios.prototype, 'getUri');
    const params = { limit: 20, sort: 'created_at', all: true, none: undefined, gone: null, prototypes: 3 };
    expect(pathWithParams(resolve('/x'), configOf('/x', { params }))).toBe(
      '/v1/x?limit=20&sort=created_at&all=true&prototypes=3',
    );
    expect(pathWithParams(resolve('/x'), configOf('/x'))).toBe('/v1/x');
    expect(pathWithParams(resolve('/x?c=3'), configOf('/x?c=3', { params: { d: 4 } }))).toBe('/v1/x?c=3&d=4');
    expect(asked).not.toHaveBeenCalled();
    pathWithParams(resolve('/x'), configOf('/x', { params: { text: 'a b' } }));
    expect(asked).toHaveBeenCalledOnce();
    asked.mockRestore();
  });
});

it.each([
  undefined,
  '',
  '/',
  'payments',
  '/payments/7',
  'payments/7/refunds/',
  '/v2.1/~me?from=2026-01-01&sort=name',
  '?page=2',
])('B16: does not ask axios about an ordinary path: %j', (url) => {
  const asked = vi.spyOn(Axios.prototype, 'getUri');
  expect(verdictOf(url)).toBe('UNDER_BASE_URL');
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

describe('an address in an error', () => {
  it.each<[string | undefined, string | undefined]>([
    ['https://evil.example:8443/a/b?q=secret#secret', 'https://evil.example:8443/a/b'],
    ['https://me:secret@evil.example/a', 'https://evil.example/a'],
    ['https://evil.example/me@secret/a%20b/a:b/c', 'https://evil.example/…/…/…/c'],
    [`https://evil.example/${'a'.repeat(20)}/${'b'.repeat(21)}`, `https://evil.example/${'a'.repeat(20)}/…`],
    [`https://evil.example${'/abc'.repeat(50)}`, `https://evil.example${'/abc'.repeat(50)}`],
    [`https://evil.example${'/abc'.repeat(51)}`, `https://evil.example${'/abc'.repeat(50)}…`],
    // The limit of the whole path cuts no part out of a long segment.
    [
      `https://evil.example${'/abc'.repeat(48)}/${'b'.repeat(21)}`,
      `https://evil.example${'/abc'.repeat(48)}/…`,
    ],
    [`https://evil.example${'/abc'.repeat(49)}/secret@x`, `https://evil.example${'/abc'.repeat(49)}/…`],
    ['../admin', 'https://api.example.com/admin'],
    ['//evil.example/a?q=secret', 'https://evil.example/a'],
    ['https://', undefined],
    [42 as never, undefined],
  ])('B29, S10: shows origin and path, without what may be secret: %j', (url, shown) => {
    expect(shownAddress(resolve(url))).toBe(shown);
  });

  it('B29: shows the base URL without its last slash', () => {
    expect(base.shown).toBe(BASE);
    expect(new BaseAddress('https://api.example.com/').shown).toBe('https://api.example.com');
  });
});

it.each([
  ['/v1/x?q=%20~', true],
  ['/v1/\u00ff', true],
  ['/v1/a b', false],
  ['/v1/a\r\nb', false],
  ['/v1/\u0100', false],
])('S9: only a path without gaps and line ends can stand in a request: %j is one: %s', (path, isSendable) => {
  expect(isSendablePath(path)).toBe(isSendable);
});
