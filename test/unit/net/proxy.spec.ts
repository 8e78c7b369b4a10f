import { EventEmitter } from 'node:events';
import { Agent } from 'node:https';
import { describe, expect, it, vi } from 'vitest';
import { hostAndProxyOf, proxyHostOfAgent, proxySettingsFor, usesTls } from '../../../lib/net/proxy.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';

const ADDRESS = 'https://token.example.com/token';

const BROKEN = {
  get proxy(): never {
    throw new Error('from a getter');
  },
};

describe('the proxy of an agent, for log lines', () => {
  it.each([
    [
      'https-proxy-agent 7, hpagent',
      { proxy: new URL('http://user:pass@proxy.example:3128') },
      'proxy.example:3128',
    ],
    [
      'https-proxy-agent 5',
      { proxy: { host: 'proxy.example', port: 3128, auth: 'user:pass' } },
      'proxy.example:3128',
    ],
    [
      'an agent with its port as a text',
      { proxy: { host: 'proxy.example', port: '3128' } },
      'proxy.example:3128',
    ],
    [
      'socks-proxy-agent',
      { proxy: { host: '::1', port: 1080, userId: 'user', password: 'pass' } },
      '[::1]:1080',
    ],
  ])('B29: is shown without its credentials: %s', (_, agent, host) => {
    expect(proxyHostOfAgent(agent)).toBe(host);
  });

  it.each([
    ['an agent without a proxy', new Agent()],
    ['a proxy of an unknown form', { proxy: 'http://user:pass@proxy.example:3128' }],
    ['a host with credentials', { proxy: { host: 'user:pass@proxy.example', port: 3128 } }],
    ['a host without a port', { proxy: { host: 'proxy.example' } }],
    ['a port of an unknown form', { proxy: { host: 'proxy.example', port: [3128] } }],
    ['a port without a host', { proxy: { port: 3128 } }],
    ['a host in a list', { proxy: { host: ['proxy.example'], port: 3128 } }],
    ['a host of an unknown form', { proxy: { host: { includes: () => false }, port: 3128 } }],
    ['a getter that throws', BROKEN],
  ])('B29: is not shown for %s', (_, agent) => {
    expect(proxyHostOfAgent(agent)).toBeUndefined();
  });
});

describe('the proxy for an address', () => {
  const agent = { proxy: new URL('http://agent.example:1') };

  it('B29: is that of http.proxy, else of an agent of another class, else of the environment', () => {
    givenEnvironment();
    const by = 'token.example.com by the proxy ';
    const options = { host: 'options.example', port: 3 };
    expect(hostAndProxyOf(ADDRESS, { httpsAgent: agent })).toBe(`${by}agent.example:1`);
    vi.stubEnv('HTTPS_PROXY', 'http://environment.example:2');
    expect(hostAndProxyOf(ADDRESS, { httpsAgent: agent })).toBe(`${by}agent.example:1`);
    expect(hostAndProxyOf(ADDRESS, { httpsAgent: new Agent() })).toBe(`${by}environment.example:2`);
    expect(hostAndProxyOf(ADDRESS, { proxy: options, httpsAgent: agent })).toBe(`${by}options.example:3`);
    expect(hostAndProxyOf(ADDRESS, { proxy: false, httpsAgent: agent })).toBe(`${by}agent.example:1`);
    expect(hostAndProxyOf(ADDRESS, { proxy: false })).toBe('token.example.com');
  });

  it('B29: follows the host of the address in a log line', () => {
    givenEnvironment();
    expect(hostAndProxyOf(`${ADDRESS}?q=1`, {})).toBe('token.example.com');
    expect(hostAndProxyOf('https://a.example:8443/x', { httpsAgent: agent })).toBe(
      'a.example:8443 by the proxy agent.example:1',
    );
    expect(hostAndProxyOf(ADDRESS, { proxy: { host: 'options.example', port: 3 } })).toBe(
      'token.example.com by the proxy options.example:3',
    );
  });
});

describe('B29: advice about a proxy names the settings that choose it', () => {
  const OF_ENVIRONMENT = { HTTPS_PROXY: 'http://environment.example:2' };
  const withProxy = { proxy: new URL('http://agent.example:1') };
  const proxy = { host: 'options.example', port: 3 };

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
    ['the options', OF_ENVIRONMENT, { proxy, httpsAgent: withProxy }, 'http.proxy'],
    ['the agent', {}, { httpsAgent: withProxy }, 'http.httpsAgent'],
    [
      'the agent, by the options',
      OF_ENVIRONMENT,
      { proxy: false as const, httpsAgent: withProxy },
      'http.httpsAgent',
    ],
    ['the agent before the environment', OF_ENVIRONMENT, { httpsAgent: withProxy }, 'http.httpsAgent'],
    [
      'the environment, and an agent without a proxy',
      OF_ENVIRONMENT,
      { httpsAgent: new Agent() },
      'HTTPS_PROXY and NO_PROXY',
    ],
  ])('%s', (_, environment, settings, names) => {
    givenEnvironment(environment);
    expect(proxySettingsFor(ADDRESS, settings)).toBe(names);
  });
});

it('S9: an answer over a socket without TLS is the answer of a proxy', () => {
  expect(usesTls(Object.assign(new EventEmitter(), { encrypted: true }))).toBe(true);
  for (const socket of [
    new EventEmitter(),
    { encrypted: false },
    { encrypted: 'yes' },
    undefined,
    null,
    'tls',
  ])
    expect(usesTls(socket)).toBe(false);
});
