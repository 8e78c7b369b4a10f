import type { AxiosProxyConfig } from 'axios';
import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import { hostAndProxyOf, type ProxySettings, proxyFor, proxySettingsFor } from '../../../lib/net/proxy.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';

const ADDRESS = 'https://token.example.com/token';

const BROKEN = {
  get proxy(): never {
    throw new Error('from a getter');
  },
};

const API = new URL('https://api.example.com/v1');
const OF_CALL = { host: 'call.example', port: 1 };
const OF_OPTIONS = { host: 'options.example', port: 2 };
const OF_ENVIRONMENT = { HTTPS_PROXY: 'http://environment.example:3' };
const httpsAgent = { proxy: new URL('http://agent.example:1') };

const chosen = (settings: ProxySettings, url = API): string | undefined => proxyFor(url, settings)?.url.href;

describe('the proxy of a request', () => {
  it.each<[string, Record<string, string>, ProxySettings, string | undefined]>([
    [
      'that of the call',
      OF_ENVIRONMENT,
      { call: OF_CALL, options: OF_OPTIONS, hasForeignAgent: true },
      'call',
    ],
    ['then http.proxy', OF_ENVIRONMENT, { options: OF_OPTIONS, hasForeignAgent: true }, 'options'],
    ['then that of the agent', OF_ENVIRONMENT, { hasForeignAgent: true }, undefined],
    ['then that of the environment', OF_ENVIRONMENT, {}, 'environment'],
    ['none', {}, {}, undefined],
    ['none: the call says false', OF_ENVIRONMENT, { call: false, options: OF_OPTIONS }, undefined],
    ['none: the options say false', OF_ENVIRONMENT, { options: false }, undefined],
    ['that of the call, though the options say false', {}, { call: OF_CALL, options: false }, 'call'],
    ['http.proxy, if the call says null', {}, { call: null, options: OF_OPTIONS }, 'options'],
    ['none: the host is in NO_PROXY', { ...OF_ENVIRONMENT, NO_PROXY: '.example.com' }, {}, undefined],
  ])('is %s', (_, environment, settings, name) => {
    givenEnvironment(environment);
    const url = proxyFor(API, settings)?.url;
    expect(url?.hostname).toBe(name && `${name}.example`);
  });

  it.each(['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])(
    'is read from %s at each call',
    (name) => {
      givenEnvironment();
      expect(chosen({})).toBeUndefined();
      process.env[name] = 'http://late.example:3128';
      expect(chosen({})).toBe('http://late.example:3128/');
    },
  );

  it('is reached by TLS if its variable has no scheme, as in axios', () => {
    givenEnvironment({ HTTPS_PROXY: 'proxy.example:3128' });
    expect(chosen({})).toBe('https://proxy.example:3128/');
  });

  it.each<[string, object, string]>([
    ['a scheme', { protocol: 'https', host: 'p.example', port: 8443 }, 'https://p.example:8443/'],
    ['a scheme with a colon, in capitals', { protocol: 'HTTPS:', host: 'p.example' }, 'https://p.example/'],
    ['an IPv6 address', { host: '::1', port: 3128 }, 'http://[::1]:3128/'],
    ['an IPv6 address in brackets', { host: '[::1]', port: 3128 }, 'http://[::1]:3128/'],
    ['hostname', { hostname: 'p.example', host: 'other.example', port: 3128 }, 'http://p.example:3128/'],
  ])('may have %s', (_, call, href) => {
    expect(chosen({ call: call as AxiosProxyConfig })).toBe(href);
  });

  it('has no member of a polluted Object.prototype', () => {
    const clean = [
      addToPrototype('hostname', { value: 'evil.example' }),
      addToPrototype('auth', { value: { username: 'evil', password: 'evil' } }),
    ];
    try {
      expect(proxyFor(API, { call: OF_CALL })).toEqual({ url: new URL('http://call.example:1') });
    } finally {
      for (const one of clean) one();
    }
  });
});

it.each<[string, Record<string, string>, ProxySettings, string]>([
  ['of a variable', { HTTPS_PROXY: 'http://us%40er:p%3Aä@p.example' }, {}, 'us@er:p:ä'],
  ['of a variable, not encoded', { HTTPS_PROXY: 'http://user:100%@p.example' }, {}, 'user:100%'],
  ['of a variable, only a name', { HTTPS_PROXY: 'http://user@p.example' }, {}, 'user:'],
  [
    'of the options',
    {},
    { options: { ...OF_OPTIONS, auth: { username: 'us@er', password: 'p:%41' } } },
    'us@er:p:%41',
  ],
])(
  'the credentials for a proxy go into a header and not into the URL: %s',
  (_, environment, settings, credentials) => {
    givenEnvironment(environment);
    const proxy = proxyFor(API, settings);
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
    expect([proxy?.url.username, proxy?.url.password]).toEqual(['', '']);
  },
);

it.each<[string, Record<string, string>, object, string]>([
  ['SOCKS in a variable', { ALL_PROXY: 'socks5://user:secret@p.example' }, {}, 'HTTPS_PROXY or ALL_PROXY'],
  [
    'a variable with an invalid port',
    { HTTPS_PROXY: 'http://user:secret@p:99999' },
    {},
    'HTTPS_PROXY or ALL_PROXY',
  ],
  [
    'credentials in the host',
    {},
    { call: { host: 'user:secret@p.example', port: 1 } },
    'proxy of this request',
  ],
  ['no host', {}, { options: { port: 3128 } }, 'http.proxy'],
  ['SOCKS in the options', {}, { options: { protocol: 'socks5', host: 'secret', port: 1 } }, 'http.proxy'],
  ['a text in place of an object', {}, { call: 'http://user:secret@p.example' }, 'proxy of this request'],
])('a proxy that cannot be used is an error without its value: %s', (_, environment, settings, setting) => {
  givenEnvironment(environment);
  const use = (): unknown => proxyFor(API, settings);
  expect(use).toThrow(
    expect.objectContaining({
      name: 'ProxyError',
      code: 'ERR_INVALID_URL',
      message: expect.stringMatching(new RegExp(`^The proxy in ${setting} cannot be used: (?!.*secret)`)),
    }),
  );
});

describe('the proxy of an agent, for log lines', () => {
  it.each<[string, object, string]>([
    ['https-proxy-agent 7, hpagent', new URL('http://user:pass@proxy.example:3128'), 'proxy.example:3128'],
    ['https-proxy-agent 5', { host: 'proxy.example', port: 3128, auth: 'user:pass' }, 'proxy.example:3128'],
    ['an agent with its port as a text', { host: 'proxy.example', port: '3128' }, 'proxy.example:3128'],
    ['socks-proxy-agent', { host: '::1', port: 1080, userId: 'user', password: 'pass' }, '[::1]:1080'],
  ])('B29: is shown without its credentials: %s', (_, proxy, host) => {
    expect(hostAndProxyOf(ADDRESS, { httpsAgent: { proxy } })).toBe(`token.example.com by the proxy ${host}`);
  });

  it.each([
    ['a proxy of an unknown form', { proxy: 'http://user:pass@proxy.example:3128' }],
    ['a host with credentials', { proxy: { host: 'user:pass@proxy.example', port: 3128 } }],
    ['a host without a port', { proxy: { host: 'proxy.example' } }],
    ['a port of an unknown form', { proxy: { host: 'proxy.example', port: [3128] } }],
    ['a port without a host', { proxy: { port: 3128 } }],
    ['a host in a list', { proxy: { host: ['proxy.example'], port: 3128 } }],
    ['a host of an unknown form', { proxy: { host: { includes: () => false }, port: 3128 } }],
    ['a getter that throws', BROKEN],
  ])('B29: is not shown for %s', (_, agent) => {
    expect(hostAndProxyOf(ADDRESS, { httpsAgent: agent })).toBe('token.example.com');
  });
});

it('B29: the proxy of an address in log lines is that of http.proxy, else of an agent of another class, else of the environment', () => {
  givenEnvironment();
  const by = 'token.example.com by the proxy ';
  expect(hostAndProxyOf(ADDRESS, { httpsAgent })).toBe(`${by}agent.example:1`);
  givenEnvironment(OF_ENVIRONMENT);
  expect(hostAndProxyOf(ADDRESS, { httpsAgent })).toBe(`${by}agent.example:1`);
  expect(hostAndProxyOf(ADDRESS, { httpsAgent: new Agent() })).toBe(`${by}environment.example:3`);
  expect(hostAndProxyOf(ADDRESS, { proxy: OF_OPTIONS, httpsAgent })).toBe(`${by}options.example:2`);
  expect(hostAndProxyOf(ADDRESS, { proxy: false, httpsAgent })).toBe(`${by}agent.example:1`);
  expect(hostAndProxyOf(ADDRESS, { proxy: false })).toBe('token.example.com');
});

it.each([
  ['no proxy', {}, {}, undefined],
  ['an agent without a proxy', {}, { httpsAgent: new Agent() }, undefined],
  ['the environment', OF_ENVIRONMENT, {}, 'HTTPS_PROXY and NO_PROXY'],
  [
    'the variable for all schemes',
    { ALL_PROXY: 'http://all.example' },
    { httpsAgent: new Agent() },
    'ALL_PROXY and NO_PROXY',
  ],
  ['both', { ...OF_ENVIRONMENT, ALL_PROXY: 'socks5://all.example' }, {}, 'HTTPS_PROXY and NO_PROXY'],
  [
    'a SOCKS proxy',
    { ALL_PROXY: 'socks5h://all.example' },
    {},
    'ALL_PROXY, whose SOCKS proxy is not supported, and NO_PROXY',
  ],
  [
    'a SOCKS proxy, and an agent',
    { HTTPS_PROXY: ' SOCKS://all.example' },
    { httpsAgent: new Agent() },
    'HTTPS_PROXY, whose SOCKS proxy is not supported, and NO_PROXY',
  ],
  ['no proxy by an exception', { ...OF_ENVIRONMENT, NO_PROXY: 'token.example.com' }, {}, undefined],
  ['no proxy by the options', OF_ENVIRONMENT, { proxy: false as const }, undefined],
  ['the options', OF_ENVIRONMENT, { proxy: OF_OPTIONS, httpsAgent }, 'http.proxy'],
  ['the agent', {}, { httpsAgent }, 'http.httpsAgent'],
  ['the agent, by the options', OF_ENVIRONMENT, { proxy: false as const, httpsAgent }, 'http.httpsAgent'],
  ['the agent before the environment', OF_ENVIRONMENT, { httpsAgent }, 'http.httpsAgent'],
])('B29: advice about a proxy names the settings that choose it: %s', (_, environment, settings, names) => {
  givenEnvironment(environment);
  expect(proxySettingsFor(ADDRESS, settings)).toBe(names);
});
