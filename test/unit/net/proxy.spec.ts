import { Agent } from 'node:https';
import { describe, expect, it, vi } from 'vitest';
import { proxyHostFor, proxyHostOfAgent } from '../../../lib/net/proxy.js';

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
    ['a getter that throws', BROKEN],
  ])('B29: is not shown for %s', (_, agent) => {
    expect(proxyHostOfAgent(agent)).toBeUndefined();
  });
});

describe('the proxy for an address', () => {
  const agent = { proxy: new URL('http://agent.example:1') };

  it('B29: is that of http.proxy, else of the environment, else of the agent, as axios decides', () => {
    for (const name of ['NO_PROXY', 'no_proxy', 'https_proxy', 'HTTPS_PROXY']) vi.stubEnv(name, undefined);
    expect(proxyHostFor(ADDRESS, undefined, agent)).toBe('agent.example:1');
    vi.stubEnv('HTTPS_PROXY', 'http://environment.example:2');
    expect(proxyHostFor(ADDRESS, undefined, agent)).toBe('environment.example:2');
    expect(proxyHostFor(ADDRESS, { host: 'options.example', port: 3 }, agent)).toBe('options.example:3');
    expect(proxyHostFor(ADDRESS, false, agent)).toBe('agent.example:1');
    expect(proxyHostFor(ADDRESS, false)).toBeUndefined();
  });
});
