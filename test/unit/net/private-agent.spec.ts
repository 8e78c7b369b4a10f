import { Agent, type AgentOptions } from 'node:https';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  isPrivateAgent,
  privateAgent,
  privateAgentFor,
  retire,
  retirePrivateAgentFor,
} from '../../../lib/net/private-agent.js';
import { addToPrototype } from '../../support/http/pollutions.js';

const socket = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _how, done) => done() });

const certificate = (name: string) =>
  ({ subject: { CN: name }, subjectaltname: `DNS:${name}` }) as tls.PeerCertificate;

describe('an agent that only this package holds', () => {
  it('S9: checks certificates, with any options', () => {
    const agent = privateAgent({ rejectUnauthorized: false, ca: 'an authority' });
    expect(agent).toBeInstanceOf(Agent);
    expect(agent.options).toMatchObject({ rejectUnauthorized: true, ca: 'an authority' });
    expect(privateAgent()).not.toBe(privateAgent());
  });

  it('B27: leaves proxies to axios, also if Node would use a proxy', () => {
    expect(privateAgent().options).toHaveProperty('proxyEnv', null);
  });

  it('B14: keeps connections, and closes idle connections as early as the agent of Node', () => {
    expect(privateAgent().options).toMatchObject({ keepAlive: true });
    expect(privateAgent().options.timeout).toBe(5_000);
  });

  it.each([
    ['of ours', () => privateAgent({ timeout: 100 }), 5_000],
    ["of an application's", () => privateAgentFor(new Agent({ timeout: 100 })) as Agent, 100],
    ["of an application's without a time", () => privateAgentFor(new Agent()) as Agent, undefined],
  ])('B36: hides from a copy of its options how long connections may be idle: %s', (_, make, ms) => {
    const agent = make();
    expect(agent.options.timeout).toBe(ms);
    expect({ ...agent.options }).not.toHaveProperty('timeout');
  });

  it('B13: has another copy for token requests, so that calls cannot use up their sockets', () => {
    const agent = new Agent({ maxSockets: 1 });
    const [forCalls, forTokens] = (['api', 'token'] as const).map(
      (use) => privateAgentFor(agent, use) as Agent,
    );
    expect(forTokens).not.toBe(forCalls);
    expect(privateAgentFor(agent, 'token')).toBe(forTokens);
    retirePrivateAgentFor(agent);
    expect([forCalls, forTokens].map((one) => one?.maxFreeSockets)).toEqual([0, 0]);
  });

  it('B28: is not copied again for the hops of a redirect, which share its limits and its end', () => {
    const own = privateAgentFor(new Agent({ timeout: 100 })) as Agent;
    expect(privateAgentFor(own)).toBe(own);
    expect(own.options.timeout).toBe(100);
    expect(isPrivateAgent(own)).toBe(false);
  });

  it.each(['get', 'set'])('B36: is made while Object.prototype has a member %s', (name) => {
    let made: Agent;
    const clean = addToPrototype(name, { value: 'evil' });
    try {
      made = privateAgent();
    } finally {
      clean();
    }
    expect(made.options.timeout).toBe(5_000);
  });

  it('B9: ends idle connections at once when it retires, and keeps no other connection', () => {
    const agent = privateAgent();
    const sockets = [socket(), socket()];
    Object.assign(agent.freeSockets, { 'a:443': sockets, 'b:443': undefined });
    retire(agent);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(agent.maxFreeSockets).toBe(0);
  });
});

describe("an agent that replaces an application's agent", () => {
  it('B12: is made with the same settings, once, and only this package holds it', () => {
    const agent = new Agent({ ca: 'an authority', maxSockets: 3, keepAlive: true, scheduling: 'fifo' });
    const own = privateAgentFor(agent) as Agent;
    expect(own).not.toBe(agent);
    expect(own).toBeInstanceOf(Agent);
    expect(privateAgentFor(agent)).toBe(own);
    expect(own.options).toMatchObject({ ca: 'an authority', rejectUnauthorized: true });
    expect(own).toMatchObject({ maxSockets: 3, keepAlive: true, scheduling: 'fifo' });
    expect(own.options).not.toBe(agent.options);
    expect([isPrivateAgent(agent), isPrivateAgent(own)]).toEqual([false, false]);
  });

  it('B12: gets the settings that the application changes later', () => {
    const agent = new Agent({ maxSockets: 3 });
    const own = privateAgentFor(agent) as Agent;
    agent.maxSockets = 7;
    agent.options.ca = 'another authority';
    privateAgentFor(agent);
    expect(own).toMatchObject({ maxSockets: 7, options: { ca: 'another authority' } });
  });

  it.each<[string, () => Agent]>([
    ['of a subclass', () => new (class extends Agent {})()],
    ['with its own way to connect', () => Object.assign(new Agent(), { createConnection: () => socket() })],
    ['of ours', () => privateAgent()],
  ])('B12: is not made for an agent %s', (_, make) => {
    const agent = make();
    expect(privateAgentFor(agent)).toBe(agent);
  });

  it.each(['addRequest', 'createConnection', 'createSocket', 'getName', 'keepSocketAlive', 'reuseSocket'])(
    'B12: is not made for an agent with its own %s, because a second agent would not have it',
    (hook) => {
      const agent = Object.assign(new Agent(), { [hook]: () => undefined });
      expect(privateAgentFor(agent)).toBe(agent);
    },
  );

  it('B38: gives a callback only to a tunnel that Node makes itself, and holds it until the tunnel is open', () => {
    const connect = vi.spyOn(Agent.prototype, 'createConnection').mockReturnValue(undefined);
    onTestFinished(() => connect.mockRestore());
    const own = privateAgentFor(
      new Agent({ proxyEnv: { HTTPS_PROXY: 'http://127.0.0.1:1' } } as AgentOptions),
    ) as Agent;
    const onTunnel = vi.fn<() => void>();
    own.createConnection({}, onTunnel);
    const tunnel = socket();
    const given = connect.mock.lastCall?.[1];
    given?.(null, tunnel);
    given?.(null, tunnel);
    expect(onTunnel.mock.calls).toEqual([[null, tunnel]]);
    (privateAgentFor(new Agent()) as Agent).createConnection({}, onTunnel);
    expect(connect.mock.lastCall?.[1]).toBeUndefined();
  });

  it('B12: does not change an agent of this package', () => {
    const agent = privateAgent({ checkServerIdentity: () => undefined });
    const { options } = agent;
    expect(privateAgentFor(agent)).toBe(agent);
    expect(agent.options).toBe(options);
    expect(isPrivateAgent(agent)).toBe(true);
  });

  it('S9: leaves the check of the name to Node if the application has no function for it', () => {
    const own = privateAgentFor(new Agent()) as Agent;
    expect(own.options.checkServerIdentity).toBeUndefined();
  });

  it('B9: lets the application replace the destroy function of its agent, also by defineProperty', () => {
    const agent = new Agent();
    privateAgentFor(agent);
    let destroyed = false;
    agent.destroy = (): void => void (destroyed = true);
    agent.destroy();
    expect(destroyed).toBe(true);
    Object.defineProperty(agent, 'destroy', { enumerable: true });
    expect(Object.keys(agent)).toContain('destroy');
  });

  it('S9: checks the name of the host, and asks the function of the application after that', () => {
    const asked: string[] = [];
    const pin = (host: string): Error | undefined => {
      asked.push(host);
      return host === 'pinned.example' ? new Error('Another certificate was expected.') : undefined;
    };
    const { checkServerIdentity: check } = (privateAgentFor(new Agent({ checkServerIdentity: pin })) as Agent)
      .options;
    expect(check?.('api.example.com', certificate('evil.example'))).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(asked).toEqual([]);
    expect(check?.('api.example.com', certificate('api.example.com'))).toBeUndefined();
    expect(check?.('pinned.example', certificate('pinned.example'))).toBeInstanceOf(Error);
  });

  it('B9: retires with the client, and serves the next one', () => {
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });
    retirePrivateAgentFor(agent);
    const own = privateAgentFor(agent) as Agent;
    const idle = socket();
    Object.assign(own.freeSockets, { 'a:443': [idle] });
    retirePrivateAgentFor(agent);
    expect([idle.destroyed, own.maxFreeSockets, agent.maxFreeSockets]).toEqual([true, 0, 4]);
    privateAgentFor(agent);
    expect(own.maxFreeSockets).toBe(4);
  });

  it('B9: ends its connections when the application destroys its own agent', () => {
    const agent = new Agent();
    const own = privateAgentFor(agent) as Agent;
    const sockets = [socket(), socket(), socket()];
    Object.assign(own.freeSockets, { 'a:443': [sockets[0]] });
    Object.assign(own.sockets, { 'a:443': [sockets[1]] });
    Object.assign(agent.freeSockets, { 'a:443': [sockets[2]] });
    agent.destroy();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    expect(privateAgentFor(agent)).toBe(own);
  });

  it('B28: is made for a frozen agent too', () => {
    const agent = Object.freeze(new Agent());
    expect(privateAgentFor(agent)).not.toBe(agent);
    expect(() => agent.destroy()).not.toThrow();
  });
});
