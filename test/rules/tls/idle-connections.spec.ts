import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { easyOptions, startTlsApp } from '../../support/application/tls-app.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';

type Connect = (
  this: Agent,
  ...given: Parameters<Agent['createConnection']>
) => ReturnType<Agent['createConnection']>;

/** The agents of `node:https` that connect from now on, and what Node gave to each as a callback. Keeps no socket alive. */
function connectionsMade() {
  const made = { agents: new Set<Agent>(), callbacks: [] as unknown[] };
  const prototype: { createConnection: Connect } = Agent.prototype;
  const { createConnection } = prototype;
  prototype.createConnection = function (options, callback) {
    made.agents.add(this);
    made.callbacks.push(callback);
    return createConnection.call(this, options, callback);
  };
  onTestFinished(() => void (prototype.createConnection = createConnection));
  return made;
}

/** Watches requests and answers of `node:https`, and requests of undici, until `end`. `count` is how many of them are still in memory. */
function watchMemory() {
  const seen: WeakRef<object>[] = [];
  const note = (message: unknown): void => {
    const { request, response } = message as { request: object; response?: IncomingMessage };
    seen.push(new WeakRef(response ?? request));
  };
  const channels = ['http.client.request.start', 'http.client.response.finish', 'undici:request:create'];
  for (const channel of channels) subscribe(channel, note);
  const end = (): void => {
    for (const channel of channels) unsubscribe(channel, note);
  };
  onTestFinished(end);
  const count = (): number => {
    collectGarbage();
    expect(seen.length).toBeGreaterThan(2);
    return seen.filter((one) => one.deref() !== undefined).length;
  };
  return { end, count };
}

interface Way {
  readonly http?: (ca: string) => Partial<NonNullable<ProviderAuthOptions['http']>>;
  readonly request?: (ca: string) => AxiosRequestConfig;
}

const applicationsAgent = (ca: string) => ({ httpsAgent: new Agent({ ca, keepAlive: true }) });

const WAYS: readonly (readonly [name: string, way: Way])[] = [
  ['without an agent', {}],
  ["with the application's agent", { http: applicationsAgent }],
  ["with the call's agent", { request: applicationsAgent }],
  ['on undici', { http: () => ({ transport: undiciTransport() }) }],
];

async function clientOf(
  { http = () => ({}), request = () => ({}) }: Way,
  others: ProviderAuthOptions['http'] = {},
) {
  const provider = await MutualTlsProvider.start();
  const { ca } = provider;
  const ofHttp = http(ca);
  const tls = ofHttp.httpsAgent ? undefined : { ca };
  const options = easyOptions({ sandbox: [provider, tls] }, { http: { ...others, ...ofHttp } });
  const { client } = await startTlsApp(options);
  const config = request(ca);
  return { provider, get: () => client().get('/things', config) };
}

describe.each(WAYS)('an idle connection %s', (_, way) => {
  it('B38: holds no request and no answer, because Node gives no callback to it', async () => {
    const { agents, callbacks } = connectionsMade();
    const { provider, get } = await clientOf(way);
    const first = watchMemory();
    await Promise.all([get(), get(), get()]);
    first.end();
    // On the same connections.
    await Promise.all([get(), get(), get()]);
    expect(provider.seen).toHaveLength(7);
    expect(callbacks.filter((callback) => callback !== undefined)).toEqual([]);
    // One agent for the token, and one for the calls. undici needs none.
    expect(agents.size).toBe(way.http?.('').transport ? 1 : 2);
    // In less time than a connection may be idle.
    await expect.poll(first.count, { timeout: 2_000 }).toBe(0);
  });

  it('B38: nothing holds a request, an answer or a request for a tunnel after a call through a proxy', async () => {
    const { callbacks } = connectionsMade();
    const proxy = await ConnectProxy.start();
    const { get } = await clientOf(way, { proxy: proxy.setting });
    const first = watchMemory();
    await Promise.all([get(), get(), get()]);
    first.end();
    await Promise.all([get(), get(), get()]);
    expect(proxy.tunnels.length).toBeGreaterThan(3);
    expect(callbacks.filter((callback) => callback !== undefined)).toEqual([]);
    await expect.poll(first.count, { timeout: 2_000 }).toBe(0);
  });
});
