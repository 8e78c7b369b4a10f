import { EventEmitter, once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { Agent, type AgentOptions } from 'node:https';
import { Duplex } from 'node:stream';
import tls, { type PeerCertificate, type TLSSocket } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AgentSettings, Agents, type ConnectionChoice } from '../../../lib/net/agents.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { OwnAgent } from '../../../lib/net/own-agent.js';
import { TunnelAgent } from '../../../lib/net/tunnel.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { WireServer } from '../../support/http/wire-server.js';

const API = new URL('https://api.example.com/v1');
const PROXY = { host: 'proxy.example', port: 3128 };

class OtherAgent extends Agent {}

const socket = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _how, done) => done() });

const certificate = (name: string) =>
  ({ subject: { CN: name }, subjectaltname: `DNS:${name}` }) as PeerCertificate;

function chosen(settings: AgentSettings, choice: ConnectionChoice = {}, isUnderBase = true): Agent {
  return new Agents(settings).agentFor(API, choice, isUnderBase);
}

/** The common name of the client certificate that a server sees. */
async function seenBy(server: WireServer, agent: Agent): Promise<unknown> {
  let seen: unknown;
  server.handler = (request, response) => {
    seen = (request.socket as TLSSocket).getPeerX509Certificate()?.toLegacyObject().subject.CN;
    response.end();
  };
  const [answer] = (await once(https.get(byName(server.url), { agent }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  agent.destroy();
  return seen;
}

async function mutualTls() {
  const clients = await ClientAuthority.create();
  const server = await WireServer.start({ clientCa: clients.ca });
  onTestFinished(() => server.close());
  return { server, pem: { ca: server.ca, ...(await clients.issue('checkout')) } };
}

beforeEach(() => givenEnvironment());

describe('the agent of a pair', () => {
  it('keeps connections for as long as the agent of Node, and checks certificates', () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(chosen({}).options).toMatchObject({
      keepAlive: true,
      timeout: 5_000,
      rejectUnauthorized: true,
      proxyEnv: null,
    });
  });

  it('is the same for each request, and another for another server', () => {
    const agents = new Agents({});
    const own = agents.agentFor(API, {}, true);
    expect(agents.agentFor(API, { httpsAgent: undefined, proxy: null }, true)).toBe(own);
    expect(agents.agentFor(API, {}, false)).not.toBe(own);
  });

  it('S9: shows the client certificate to the API, directly and by a tunnel, and to no other server', async () => {
    const { server, pem } = await mutualTls();
    const proxy = await ConnectProxy.start();
    const stranger = await WireServer.start();
    onTestFinished(() => stranger.close());
    const agents = new Agents({ tls: new ClientTls(pem) });
    expect(await seenBy(server, agents.agentFor(API, {}, true))).toBe('checkout');
    expect(await seenBy(server, agents.agentFor(API, { proxy: proxy.setting }, true))).toBe('checkout');
    for (const choice of [{}, { proxy: proxy.setting }]) {
      const { options } = agents.agentFor(API, choice, false);
      expect(options).not.toHaveProperty('secureContext');
      expect(options).toMatchObject({ rejectUnauthorized: true });
    }
  });

  it('is made again when its certificates have changed, with its tunnels', () => {
    const source = { version: Symbol('one'), secureContext: () => undefined };
    const agents = new Agents({ tls: source as unknown as ClientTls });
    const ask = (): Agent[] => [{}, { proxy: PROXY }].map((choice) => agents.agentFor(API, choice, true));
    const before = ask();
    const [direct] = before;
    const idle = socket();
    Object.assign(direct?.freeSockets ?? {}, { 'a:443': [idle] });
    expect(ask()).toEqual(before);
    source.version = Symbol('two');
    const after = ask();
    expect(after.some((agent) => before.includes(agent))).toBe(false);
    expect(idle.destroyed).toBe(true);
    expect(before.map(({ maxFreeSockets }) => maxFreeSockets)).toEqual([0, 0]);
  });

  it('keeps no TLS session for token requests, because Node does not compare client certificates', () => {
    for (const httpsAgent of [undefined, new Agent()])
      expect(chosen({ httpsAgent, withoutSessions: true })).toMatchObject({ maxCachedSessions: 0 });
  });
});

describe('tunnels', () => {
  it.each<[string, ConnectionChoice]>([
    ['another port', { proxy: { ...PROXY, port: 1 } }],
    ['other credentials', { proxy: { ...PROXY, auth: { username: 'a', password: 'b' } } }],
    ['another agent of the application', { proxy: PROXY, httpsAgent: new Agent() }],
  ])('are shared by requests with the same proxy, and not with %s', (_, other) => {
    const agents = new Agents({});
    const agent = agents.agentFor(API, { proxy: PROXY }, true);
    expect(agents.agentFor(API, { proxy: { ...PROXY } }, true)).toBe(agent);
    expect(agents.agentFor(API, other, true)).not.toBe(agent);
    expect(agents.agentFor(API, { proxy: PROXY }, false)).not.toBe(agent);
  });

  it('are kept for a few proxies only', () => {
    const agents = new Agents({});
    const [first, ...others] = Array.from({ length: 9 }, (_, port) =>
      agents.agentFor(API, { proxy: { host: 'proxy.example', port: port + 1 } }, true),
    );
    expect(first?.maxFreeSockets).toBe(0);
    expect(others.every(({ maxFreeSockets }) => maxFreeSockets > 0)).toBe(true);
  });

  it('are made around no agent of another class, unless a proxy is named', () => {
    givenEnvironment({ HTTPS_PROXY: 'http://environment.example' });
    const httpsAgent = new OtherAgent({ ca: 'an authority' });
    expect(chosen({ httpsAgent })).toBe(httpsAgent);
    expect(chosen({ httpsAgent: new Agent() })).not.toBe(chosen({ httpsAgent: new Agent(), proxy: false }));
    const named = chosen({ httpsAgent, proxy: PROXY });
    expect(named).not.toBe(httpsAgent);
    expect(named.options).toMatchObject({ ca: 'an authority', rejectUnauthorized: true });
  });

  it('are left to Node if the agent of the application has a proxy for Node', () => {
    givenEnvironment({ HTTPS_PROXY: 'http://environment.example' });
    const httpsAgent = new Agent({ proxyEnv: { HTTPS_PROXY: 'http://a.example' } } as AgentOptions);
    expect(chosen({ httpsAgent })).not.toBeInstanceOf(TunnelAgent);
  });
});

describe("an application's agent", () => {
  it('B12: lends its settings, once, and sends no request', () => {
    const httpsAgent = new Agent({ ca: 'an authority', keepAlive: true, scheduling: 'fifo' });
    httpsAgent.maxSockets = 3;
    const agents = new Agents({ httpsAgent });
    const own = agents.agentFor(API, {}, true);
    expect(own).not.toBe(httpsAgent);
    expect(own.options).toMatchObject({ ca: 'an authority', keepAlive: true, rejectUnauthorized: true });
    expect(own).toBeInstanceOf(OwnAgent);
    expect(own).toMatchObject({ maxSockets: 3, scheduling: 'fifo' });
    httpsAgent.options.ca = 'a later authority';
    expect(agents.agentFor(API, { httpsAgent }, true)).toBe(own);
    expect(own.options.ca).toBe('an authority');
  });

  it.each<[string, object]>([
    ['of a subclass', new OtherAgent()],
    ['with its own way to connect', Object.assign(new Agent(), { createConnection: () => socket() })],
    ['of no class of Node', { addRequest: () => undefined }],
  ])('is used as it is: %s', (_, httpsAgent) => {
    expect(chosen({ httpsAgent })).toBe(httpsAgent);
    expect(chosen({}, { httpsAgent })).toBe(httpsAgent);
  });

  it.each<[string, string, object]>([
    ['a plain one', 'any-server', new Agent({ rejectUnauthorized: false })],
    ['a plain one that leads elsewhere', 'elsewhere', new Agent({ host: 'evil.example' })],
    ['another class', 'any-server', new OtherAgent({ rejectUnauthorized: false })],
    [
      'another class with a check of its own',
      'unchecked-name',
      new OtherAgent({ checkServerIdentity: () => undefined }),
    ],
  ])('S9: that is not safe sends nothing: %s', (_, flaw, httpsAgent) => {
    for (let i = 0; i < 2; i++)
      for (const send of [() => chosen({ httpsAgent }), () => chosen({}, { httpsAgent })])
        expect(send).toThrow(expect.objectContaining({ flaw }));
  });

  it('S9: of another class is checked before each request', () => {
    const httpsAgent = new OtherAgent();
    const agents = new Agents({ httpsAgent });
    expect(agents.agentFor(API, {}, true)).toBe(httpsAgent);
    httpsAgent.options.rejectUnauthorized = false;
    expect(() => agents.agentFor(API, {}, true)).toThrow(expect.objectContaining({ flaw: 'any-server' }));
  });

  it.each([new Agent({ ca: 'an authority' }), new OtherAgent({ ca: 'an authority' })])(
    'also reaches another server',
    (httpsAgent) => {
      for (const { options } of [
        chosen({ httpsAgent }, {}, false),
        chosen({ httpsAgent, proxy: PROXY }, {}, false),
      ])
        expect(options.ca).toBe('an authority');
    },
  );

  it('S9: may refuse certificates, after the name was checked', () => {
    const pin = vi.fn<typeof tls.checkServerIdentity>((host) =>
      host === 'pinned.example' ? new Error('pinned') : undefined,
    );
    const { checkServerIdentity: check } = chosen({
      httpsAgent: new Agent({ checkServerIdentity: pin }),
    }).options;
    expect(check?.('a.example', certificate('evil.example'))).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(pin).not.toHaveBeenCalled();
    expect(check?.('a.example', certificate('a.example'))).toBeUndefined();
    expect(check?.('pinned.example', certificate('pinned.example'))).toBeInstanceOf(Error);
  });

  it('B9: ends our connections when the application destroys it, for all clients', () => {
    const httpsAgent = new Agent();
    const sockets = [0, 1].map(() => {
      const one = socket();
      Object.assign(chosen({ httpsAgent }).freeSockets, { 'a:443': [one] });
      return one;
    });
    httpsAgent.destroy();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(() => chosen({ httpsAgent: Object.freeze(new Agent()) }).destroy()).not.toThrow();
  });
});

it('B9: ends idle connections at once when the client retires, or all but those of one agent', () => {
  const httpsAgent = new Agent({ keepAlive: true });
  const agents = new Agents({ httpsAgent });
  const made = [
    agents.agentFor(API, {}, true),
    agents.agentFor(API, { proxy: PROXY }, true),
    new Agents({}).agentFor(API, {}, true),
  ];
  const idle = made.map((agent) => {
    const one = socket();
    Object.assign(agent.freeSockets, { 'a:443': [one] });
    return one;
  });
  agents.endIdle(made[0]);
  expect(idle.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  agents.retire();
  expect(idle.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
  expect(httpsAgent.maxFreeSockets).toBe(256);
});

it('B38: a socket that is connected when it is given, as a tunnel of Node is, keeps no listener of its first request', () => {
  const given = socket();
  class Tunnels extends OwnAgent {
    protected override openSocket(request: ClientRequest): void {
      request.emit('socket', given);
    }
  }
  const request = Object.assign(new EventEmitter(), {
    getHeader: () => undefined,
  }) as unknown as ClientRequest;
  new Tunnels().createSocket(request, { host: 'api.example', port: 443 }, () => undefined);
  expect(given.listenerCount('secureConnect')).toBe(1);
  request.emit('close');
  expect(given.listenerCount('secureConnect')).toBe(0);
});
