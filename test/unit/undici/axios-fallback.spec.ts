import { Agent } from 'node:https';
import { AxiosError, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AxiosFallback } from '../../../lib/undici/axios-fallback.js';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { WireServer } from '../../support/http/wire-server.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let server: WireServer;

const validateStatus = (status: number): boolean => status < 300;

function configOf(members: object = {}): InternalAxiosRequestConfig {
  const headers = new AxiosHeaders();
  return { url: server.url, method: 'get', proxy: false, headers, validateStatus, ...members };
}

function fallbackOf(tls?: { version: symbol }): AxiosFallback {
  return new AxiosFallback(() => ({ ca: server.ca }), tls as never);
}

describe("what undici's pool leaves to axios", () => {
  beforeEach(async () => {
    server = await WireServer.start();
  });

  afterEach(() => server.close());

  it('S9: is sent with the certificates of the pool, and its connection stays open for the next request', async () => {
    const fallback = fallbackOf();
    for (const path of ['/1', '/2'])
      expect(await fallback.send(configOf({ url: server.url + path }))).toMatchObject({ status: 200 });
    expect(server.connections).toBe(1);
    await expect(new AxiosFallback(() => ({})).send(configOf())).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it('B12: shows the caller no agent, neither in an answer nor in an error', async () => {
    const fallback = fallbackOf();
    const config = configOf();
    const before = { ...config };
    expect((await fallback.send(config)).config).toBe(config);
    server.handler = (_, response) => void response.writeHead(404).end('no');
    const refused = (await errorOf(fallback.send(config))) as AxiosError;
    expect(refused.config).toBe(config);
    expect(refused.response?.config).toBe(config);
    server.handler = ({ socket }) => void socket.destroy();
    const lost = (await errorOf(fallback.send(config))) as AxiosError;
    expect(lost.code).toBe('ECONNRESET');
    expect(lost.config).toBe(config);
    expect(config).toEqual(before);
  });

  it.each([
    ['an error of axios', new AxiosError('of the caller', 'OWN', { headers: new AxiosHeaders() })],
    ['any error', Object.freeze(Object.assign(new Error('of the caller'), { response: Object.freeze({}) }))],
  ])('B12: leaves the reason with which a caller cancels as it is: %s', async (_, reason) => {
    server.handler = () => undefined;
    const cancelToken = new Cancellation();
    const { config } = reason as AxiosError;
    const result = errorOf(fallbackOf().send(configOf({ cancelToken })));
    await expect.poll(() => server.seen, { interval: 5 }).toHaveLength(1);
    cancelToken.cancel(reason);
    expect(await result).toBe(reason);
    expect((reason as AxiosError).config).toBe(config);
  });

  it("B12: goes through the caller's agent if the request has one", async () => {
    const httpsAgent = new Agent({ ca: server.ca });
    const created = vi.spyOn(httpsAgent, 'createConnection');
    const config = configOf({ httpsAgent });
    expect((await fallbackOf().send(config)).config).toBe(config);
    expect(created).toHaveBeenCalledOnce();
  });

  it('B34: uses a new connection after the certificates have changed', async () => {
    const tls = { version: Symbol('first') };
    const fallback = fallbackOf(tls);
    await fallback.send(configOf());
    tls.version = Symbol('second');
    await fallback.send(configOf());
    expect(server.connections).toBe(2);
    await expect.poll(() => server.openConnections, { interval: 5 }).toBe(1);
  });

  it('B9: ends its idle connections when the application closes', async () => {
    const fallback = fallbackOf();
    await fallback.send(configOf());
    expect(server.openConnections).toBe(1);
    fallback.close();
    await expect.poll(() => server.openConnections, { interval: 5 }).toBe(0);
  });
});
