import { Agent } from 'node:https';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { traitsOf, traitsOfTransport } from '../../../../lib/http/adapter/adapter-traits.js';
import {
  adapterWithAgents,
  agentOfHop,
  connectionFlaw,
  hopAcceptsAnyServer,
  namesAnotherHost,
  takeAgents,
  withheldBy,
} from '../../../../lib/http/adapter/connection.js';

const acceptsAnyServer = (...connection: Parameters<typeof connectionFlaw>): boolean =>
  connectionFlaw(...connection) === 'any-server';

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

const unchecking = { rejectUnauthorized: false };
/** As undici's `Agent`: options under a symbol. */
const dispatcherWith = (options: unknown): object => ({ [Symbol('options')]: options });
/** As undici's `ProxyAgent`. */
const proxyWith = (requestTls: unknown): object => ({ [Symbol('request tls settings')]: requestTls });

const inItself: object = { dispatch: () => true };

describe('S9: the certificate of any server', () => {
  it.each<[string, Partial<InternalAxiosRequestConfig> & { dispatcher?: unknown }]>([
    ['an agent', { httpsAgent: new Agent(unchecking) }],
    ['settings for HTTP/2', { http2Options: unchecking }],
    ['options of a dispatcher', { dispatcher: dispatcherWith(unchecking) }],
    ['options of a dispatcher for its connections', { dispatcher: dispatcherWith({ connect: unchecking }) }],
    ['options of a dispatcher behind a proxy', { dispatcher: proxyWith(unchecking) }],
  ])('S9: is accepted by %s', (_, settings) => {
    for (const traits of Object.values(ADAPTERS))
      expect(acceptsAnyServer(settings, traits, insisting)).toBe(true);
  });

  it('S9: is accepted by the agent of the client only if the adapter uses that agent', () => {
    const usualAgent = new Agent(unchecking);
    expect(acceptsAnyServer({}, ADAPTERS.http, usualAgent)).toBe(true);
    expect(acceptsAnyServer({}, ADAPTERS['a transport'], usualAgent)).toBe(false);
  });

  it('S9: is refused by a dispatcher whose options check certificates', () => {
    const dispatcher = dispatcherWith({ connect: { rejectUnauthorized: true } });
    expect(connectionFlaw({ dispatcher }, ADAPTERS.fetch, insisting)).toBeUndefined();
  });

  it.each([
    ['no object', 'text'],
    ['no options', {}],
    ['options of other kinds', { [Symbol('a')]: 1, [Symbol('b')]: null, [Symbol('c')]: { connect: 'x' } }],
    ['options with a function that connects', dispatcherWith({ connect: () => undefined })],
    ['itself', Object.assign(inItself, { [Symbol('before')]: inItself })],
  ])('S9: may be accepted by a dispatcher that is or has %s', (_, dispatcher) => {
    for (const traits of Object.values(ADAPTERS))
      expect(connectionFlaw({ dispatcher }, traits, insisting)).toBe('hidden');
  });

  it('S9: is accepted by the dispatcher of the process if the request uses it', () => {
    const place = Symbol.for('undici.globalDispatcher.1');
    const before: unknown = Reflect.get(globalThis, place);
    onTestFinished(() => void Reflect.set(globalThis, place, before));
    const flawWith = (dispatcher: unknown, usesProcess: boolean) => {
      Reflect.set(globalThis, place, dispatcher);
      return connectionFlaw({ usesProcess }, ADAPTERS.fetch, insisting);
    };
    expect(flawWith(dispatcherWith({ connect: unchecking }), true)).toBe('any-server');
    expect(flawWith({}, true)).toBe('hidden');
    expect(flawWith(dispatcherWith({}), true)).toBeUndefined();
    expect(flawWith({}, false)).toBeUndefined();
  });
});

/** An agent that was changed after it was made: its constructor drops a `path`. */
function agentWith(options: object): Agent {
  const agent = new Agent();
  Object.assign(agent.options, options);
  return agent;
}

describe('S6: a connection', () => {
  it.each([
    ...['host', 'port', 'path', 'socketPath', 'socket'].map((name): [string, object] => [
      `the ${name} of an agent`,
      { httpsAgent: agentWith({ [name]: 'elsewhere' }) },
    ]),
    ...['host', 'port', 'path', 'servername', 'socket', 'createConnection'].map((name): [string, object] => [
      `the ${name} of HTTP/2`,
      { http2Options: { [name]: 'elsewhere' } },
    ]),
  ])('S6: leads elsewhere by %s', (_, settings) => {
    expect(connectionFlaw(settings, ADAPTERS.http, insisting)).toBe('elsewhere');
  });

  it.each([
    ['no settings', {}],
    ['an agent that names the server of the certificate', { httpsAgent: new Agent({ servername: 'x' }) }],
    ['members without a value', { http2Options: { host: undefined, port: null } }],
    ['settings for HTTP/2 that are no object', { http2Options: 'host' }],
    ['an agent of an unknown kind, which may be a proxy', { httpsAgent: { options: { host: 'proxy' } } }],
  ])('S6: leads to the address of the request with %s', (_, settings) => {
    expect(connectionFlaw(settings, ADAPTERS.http, insisting)).toBeUndefined();
  });
});

const checkServerIdentity = (): undefined => undefined;
class OwnAgent extends Agent {}

describe('S9: the name in a certificate', () => {
  it.each([
    ['an agent of a subclass', { httpsAgent: new OwnAgent({ checkServerIdentity }) }],
    ['settings for HTTP/2', { http2Options: { checkServerIdentity } }],
  ])('S9: is left to the function of %s', (_, settings) => {
    expect(connectionFlaw(settings, ADAPTERS.http, insisting)).toBe('unchecked-name');
  });

  it.each([
    ['no settings', {}],
    ['a plain agent, which checks the name too', { httpsAgent: new Agent({ checkServerIdentity }) }],
    ['an agent of a subclass without a function', { httpsAgent: new OwnAgent() }],
    ['settings for HTTP/2 without a function', { http2Options: { checkServerIdentity: undefined } }],
  ])('S9: is checked with %s', (_, settings) => {
    expect(connectionFlaw(settings, ADAPTERS.http, insisting)).toBeUndefined();
  });
});

describe('a dispatcher', () => {
  it.each([
    ['unchecked-name', 'a function for the name', { checkServerIdentity }],
    ['elsewhere', 'a path', { path: '/tmp/no-such.sock' }],
    ['elsewhere', 'a path under its other name', { socketPath: '/tmp/no-such.sock' }],
    [undefined, 'the name of the server in the certificate', { servername: 'x' }],
  ])('S6 S9: has the flaw %s by %s', (flaw, _, connect) => {
    const dispatcher = dispatcherWith({ connect });
    expect(connectionFlaw({ dispatcher }, ADAPTERS.fetch, insisting)).toBe(flaw);
  });
});

describe('S9: the agent that makes a hop', () => {
  it('S9: is the agent that follow-redirects looks for first', () => {
    expect(agentOfHop({ agent: silent, agents: { https: insisting } })).toBe(insisting);
    expect(agentOfHop({ agent: silent, agents: { http: insisting } })).toBe(silent);
    expect(agentOfHop({ agent: silent })).toBe(silent);
    expect(agentOfHop({ agents: null })).toBeUndefined();
  });
});

function configWith(members: object): InternalAxiosRequestConfig {
  return { headers: new AxiosHeaders(), ...members };
}

describe('B12: the agents of a config', () => {
  it('B12: are taken out of the config, and the rest of the config stays', () => {
    const dispatcher = {};
    const config = configWith({
      httpAgent: {},
      httpsAgent: insisting,
      fetchOptions: { dispatcher, keepalive: true },
    });
    expect(takeAgents(config)).toEqual({ httpsAgent: insisting, dispatcher });
    expect(config).toEqual({ headers: config.headers, fetchOptions: { keepalive: true } });
  });

  it.each([
    ['no agent', {}],
    ['only an agent for http', { httpAgent: {} }],
    ['false instead of an agent', { httpsAgent: false }],
    ['settings for fetch without a dispatcher', { fetchOptions: { keepalive: true } }],
    ['null for fetch', { fetchOptions: null }],
  ])('B12: are unchanged if the config has %s', (_, members) => {
    const before = { httpsAgent: insisting };
    expect(takeAgents(configWith(members))).toBeUndefined();
    expect(takeAgents(configWith(members), before)).toBe(before);
  });

  it('B12: change if the config gets another agent, but not if it gets the agent of the defaults again', () => {
    const before = { httpsAgent: insisting };
    expect(takeAgents(configWith({ httpsAgent: silent }), before)).toEqual({ httpsAgent: silent });
    const again = configWith({ httpsAgent: silent });
    expect(takeAgents(again, before, silent)).toBe(before);
    expect(again).not.toHaveProperty('httpsAgent');
    expect(takeAgents(configWith({ httpsAgent: silent }), { dispatcher: silent }, silent)).toEqual({
      dispatcher: silent,
      httpsAgent: silent,
    });
  });

  it('B12: are found by the adapter of the config if the config is sent again', async () => {
    const agents = { httpsAgent: insisting };
    const adapter = adapterWithAgents(stub, agents);
    expect(withheldBy(adapter)).toEqual({ choice: stub, agents });
    expect(withheldBy(stub)).toBeUndefined();
    expect(withheldBy('http')).toBeUndefined();
    await expect(adapter(configWith({}))).rejects.toThrow('Nothing is sent here.');
  });
});
