import { Agent } from 'node:https';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { privateAgent, retire } from '../../../lib/http/private-agent.js';

const socket = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _how, done) => done() });

describe('an agent that nobody else holds', () => {
  it('S9: checks certificates, whatever it was given', () => {
    const agent = privateAgent({ rejectUnauthorized: false, ca: 'an authority' });
    expect(agent).toBeInstanceOf(Agent);
    expect(agent.options).toMatchObject({ rejectUnauthorized: true, ca: 'an authority' });
    expect(privateAgent()).not.toBe(privateAgent());
  });

  it('B27: leaves proxies to axios, whatever Node would do by itself', () => {
    expect(privateAgent().options).toHaveProperty('proxyEnv', null);
  });

  it('B14: keeps connections, and lets idle ones go as early as the agent of Node', () => {
    expect(privateAgent().options).toMatchObject({ keepAlive: true, timeout: 5_000 });
  });

  it('B9: retires: idle connections end at once, and no other is kept', () => {
    const agent = privateAgent();
    const sockets = [socket(), socket()];
    Object.assign(agent.freeSockets, { 'a:443': sockets, 'b:443': undefined });
    retire(agent);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(agent.maxFreeSockets).toBe(0);
  });
});
