import { Agent } from 'node:https';
import { getAdapter, type InternalAxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { carrierOf, carrierOfTransport } from '../../../../lib/http/adapter/adapter-traits.js';
import {
  acceptsWhoeverAnswers,
  hopsToWhoeverAnswers,
} from '../../../../lib/http/adapter/unchecked-connection.js';

const stub = () => Promise.reject(new Error('Nothing is sent here.'));
const CARRIERS = {
  http: carrierOf(getAdapter('http')),
  fetch: carrierOf(getAdapter('fetch')),
  'a stub': carrierOf(stub),
  'a transport': carrierOfTransport({ adapter: stub, actsAsHttp: true, close: () => Promise.resolve() }),
};

const insisting = new Agent({ rejectUnauthorized: true });
const silent = new Agent();
const http2 = (http2Options?: object) => ({ httpVersion: 2 as const, ...(http2Options && { http2Options }) });

/** The agent of the client. */
const usual = (insists = true): Agent => (insists ? insisting : silent);

type Case = [
  carrier: keyof typeof CARRIERS,
  what: string,
  config: Partial<InternalAxiosRequestConfig>,
  insists?: boolean,
];

const LEFT_TO_THE_PROCESS: Case[] = [
  ['fetch', 'whatever it is told', { httpsAgent: insisting }],
  ['http', 'an agent of the request that says nothing', { httpsAgent: silent }],
  ['http', 'an agent of a kind of its own', { httpsAgent: {} }],
  [
    'http',
    'an agent that insists with its proxy',
    { httpsAgent: { options: {}, connectOpts: { rejectUnauthorized: true } } },
  ],
  ['http', 'an agent of the application that says nothing', {}, false],
  ['http', 'HTTP/2 without settings', http2()],
  ['http', 'HTTP/2 with settings that say nothing', http2({ ca: 'an authority' })],
  ['http', 'HTTP/2 beside an agent, which it does not use', { ...http2(), httpsAgent: insisting }],
  ['a transport', 'an agent of the request that says nothing', { httpsAgent: silent }],
  ['a stub', 'an agent of the request that says nothing', { httpsAgent: silent }],
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

  it.each(LEFT_TO_THE_PROCESS)('S9: whoever answers %s is accepted: %s', (carrier, _, config, insists) => {
    expect(acceptsWhoeverAnswers(config, CARRIERS[carrier], usual(insists))).toBe(true);
  });

  it.each(CHECKED)('S9: %s checks by itself: %s', (carrier, _, config, insists) => {
    expect(acceptsWhoeverAnswers(config, CARRIERS[carrier], usual(insists))).toBe(false);
  });

  it.each([
    ['an agent that says nothing', { agent: silent }, true],
    ['the agent of follow-redirects, which wins', { agent: insisting, agents: { https: silent } }, true],
    ['no agent', {}, true],
    ['an agent that insists', { agent: insisting }, false],
    ['the agent of follow-redirects that insists', { agent: silent, agents: { https: insisting } }, false],
    ['options that insist', { agent: silent, rejectUnauthorized: true }, false],
  ])('S9: the same of a hop, by %s', (_, options, accepts) => {
    expect(hopsToWhoeverAnswers(options)).toBe(accepts);
  });
});

describe('in any other process', () => {
  it.each(['1', '', undefined])('S9: nobody has to insist: %j', (value) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
    for (const [carrier, , config, insists] of [...LEFT_TO_THE_PROCESS, ...CHECKED]) {
      expect(acceptsWhoeverAnswers(config, CARRIERS[carrier], usual(insists))).toBe(false);
    }
    expect(hopsToWhoeverAnswers({ agent: silent })).toBe(false);
  });
});
