import { Agent } from 'node:https';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { traitsOf, traitsOfTransport } from '../../../../lib/http/adapter/adapter-traits.js';
import {
  acceptsAnyServer,
  hopAcceptsAnyServer,
  namesAnotherHost,
} from '../../../../lib/http/adapter/connection.js';

const stub = () => Promise.reject(new Error('Nothing is sent here.'));
const ADAPTERS = {
  http: traitsOf('http'),
  fetch: traitsOf('fetch'),
  'a stub': traitsOf(stub),
  'a transport': traitsOfTransport({ adapter: stub, actsAsHttp: true, close: () => Promise.resolve() }),
};

const insisting = new Agent({ rejectUnauthorized: true });
const silent = new Agent();
const http2 = (http2Options?: object) => ({ httpVersion: 2 as const, ...(http2Options && { http2Options }) });

/** The agent of the client. */
const usual = (insists = true): Agent => (insists ? insisting : silent);

type Case = [
  adapter: keyof typeof ADAPTERS,
  what: string,
  config: Partial<InternalAxiosRequestConfig>,
  insists?: boolean,
];

const LEFT_TO_THE_PROCESS: Case[] = [
  ['fetch', 'any settings', { httpsAgent: insisting }],
  ['http', 'an agent of the request without the option', { httpsAgent: silent }],
  ['http', 'an agent of an unknown kind', { httpsAgent: {} }],
  [
    'http',
    'an agent that has the option only for its proxy',
    { httpsAgent: { options: {}, connectOpts: { rejectUnauthorized: true } } },
  ],
  ['http', 'an agent of the application without the option', {}, false],
  ['http', 'HTTP/2 without settings', http2()],
  ['http', 'HTTP/2 with settings that lack the option', http2({ ca: 'an authority' })],
  ['http', 'HTTP/2 beside an agent, which HTTP/2 does not use', { ...http2(), httpsAgent: insisting }],
  ['a transport', 'an agent of the request without the option', { httpsAgent: silent }],
  ['a stub', 'an agent of the request without the option', { httpsAgent: silent }],
];

const CHECKED: Case[] = [
  ['http', 'an agent of the request that insists', { httpsAgent: insisting }, false],
  ['http', 'the agent of the client', {}],
  ['http', 'HTTP/2 that insists', http2({ rejectUnauthorized: true })],
  ['a transport', 'its own connections', {}, false],
  ['a stub', 'no connection', {}, false],
];

describe('in a process that checks no certificates', () => {
  beforeEach(() => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  });

  it.each(LEFT_TO_THE_PROCESS)('S9: %s would accept any server with %s', (adapter, _, config, insists) => {
    expect(acceptsAnyServer(config, ADAPTERS[adapter], usual(insists))).toBe(true);
  });

  it.each(CHECKED)('S9: %s checks the server with %s', (adapter, _, config, insists) => {
    expect(acceptsAnyServer(config, ADAPTERS[adapter], usual(insists))).toBe(false);
  });

  it.each([
    ['an agent without the option', { agent: silent }, true],
    ['the agent of follow-redirects, which wins', { agent: insisting, agents: { https: silent } }, true],
    ['no agent', {}, true],
    ['an agent that insists', { agent: insisting }, false],
    ['the agent of follow-redirects that insists', { agent: silent, agents: { https: insisting } }, false],
    ['options that insist', { agent: silent, rejectUnauthorized: true }, false],
  ])('S9: a hop is checked too, by %s', (_, options, accepts) => {
    expect(hopAcceptsAnyServer(options)).toBe(accepts);
  });
});

describe('in any other process', () => {
  it.each(['1', '', undefined])('S9: no agent has to insist: %j', (value) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
    for (const [adapter, , config, insists] of [...LEFT_TO_THE_PROCESS, ...CHECKED]) {
      expect(acceptsAnyServer(config, ADAPTERS[adapter], usual(insists))).toBe(false);
    }
    expect(hopAcceptsAnyServer({ agent: silent })).toBe(false);
  });
});

describe('another host', () => {
  const host = 'api.example.com:8443';

  it.each([
    [{ Host: 'evil.example' }, true],
    [{ host: 'api.example.com' }, true],
    [{ HOST: 'API.example.com:8443' }, false],
    [{ Host: false }, false],
    [{ Date: 'evil.example' }, false],
    [{ 'X-Host': 'evil.example' }, false],
    [{}, false],
  ])('S6: is named by %j: %s', (headers, isNamed) => {
    const config = { headers: Object.assign(new AxiosHeaders(), headers) };
    expect(namesAnotherHost(config, host)).toBe(isNamed);
  });
});
