import http from 'node:http';
import https, { Agent } from 'node:https';
import { AxiosHeaders } from 'axios';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { traitsOf } from '../../../../lib/http/adapter/adapter-traits.js';
import { httpsSender } from '../../../../lib/http/adapter/https-sender.js';
import { Cancellation } from '../../../../lib/wire/call-budget.js';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { privateAgent } from '../../../../lib/net/private-agent.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { MemoryConnection } from '../../../support/http/memory-connection.js';
import { describeDirectSender } from '../../wire/direct-sender-behaviour.js';

const ignored = (): void => undefined;

function createSender(agent: Agent = privateAgent(), withoutProxy = true) {
  return httpsSender({
    base: new BaseAddress(BASE_URL),
    agents: { current: agent },
    traits: traitsOf('http'),
    withoutProxy,
  });
}

describe('the sender on node:https', () => {
  describeDirectSender((connection) => {
    vi.spyOn(https, 'request').mockImplementation((options) => {
      const agent = Object.assign(new http.Agent(), { createConnection: () => connection.client });
      const request = http.request({ ...(options as http.RequestOptions), protocol: 'http:', agent });
      return request.once('response', (answer) => (connection.answer = answer));
    });
    return createSender();
  });

  beforeEach(() => {
    vi.stubEnv('HTTPS_PROXY', undefined);
    vi.stubEnv('https_proxy', undefined);
    vi.stubEnv('ALL_PROXY', undefined);
    vi.stubEnv('all_proxy', undefined);
  });

  it('S6: connects to the host and the port of the base URL, with the private agent of the client', () => {
    const [agent, cancellation] = [privateAgent(), new Cancellation()];
    const seen: unknown[] = [];
    vi.spyOn(https, 'request').mockImplementation((options) => {
      seen.push(options);
      return http.request({ agent: false, createConnection: () => new MemoryConnection().client });
    });
    const base = new BaseAddress('https://[::1]:8443/v1');
    const config = { headers: new AxiosHeaders() };
    const request = { method: 'GET', path: '/v1/x', headers: [], body: null, config, cancellation };
    httpsSender({ base, agents: { current: agent }, traits: traitsOf('http'), withoutProxy: true }).send(
      request,
      {
        resolve: ignored,
        reject: ignored,
      },
    );
    expect(seen).toEqual([
      expect.objectContaining({ protocol: 'https:', hostname: '::1', port: '8443', path: '/v1/x', agent }),
    ]);
    cancellation.cancel(new Error('over'));
  });

  it('B17: leaves requests to axios if the environment names a proxy, unless the application wants none', () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
    expect(createSender(privateAgent(), false).accepts('GET', null)).toBe(false);
    expect(createSender(privateAgent(), true).accepts('GET', null)).toBe(true);
  });

  it('S8: refuses an agent that takes any certificate, also if the application changes its agent later', () => {
    const agent = new Agent();
    const sender = createSender(agent);
    expect(sender.accepts('GET', null)).toBe(true);
    agent.options.rejectUnauthorized = false;
    expect(sender.accepts('GET', null)).toBe(false);
  });

  it('S8: refuses an agent of another class', () => {
    class OwnAgent extends Agent {}
    expect(createSender(new OwnAgent()).accepts('GET', null)).toBe(false);
  });
});
