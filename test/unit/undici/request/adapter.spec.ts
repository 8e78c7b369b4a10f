import { getEventListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type AxiosRequestConfig, type AxiosResponse, create, type InternalAxiosRequestConfig } from 'axios';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import type { ConnectionPool } from '../../../../lib/undici/pool/connection-pool.js';
import { createAdapter } from '../../../../lib/undici/request/adapter.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { MemoryServer } from '../../../support/http/memory-server.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const NOT_FOUND = OK.replace('200 OK', '404 Not Found');

function open({ hasProxy = false } = {}) {
  const base = new BaseAddress(BASE_URL);
  const server = new MemoryServer();
  const client = new Client(base.origin, { connect: server.connector });
  onTestFinished(() => client.destroy());
  const answered = { status: 200, data: 'of axios' };
  const send = vi.fn<(config: InternalAxiosRequestConfig) => Promise<AxiosResponse>>((config) =>
    Promise.resolve({ ...answered, config } as AxiosResponse),
  );
  const pool = client as unknown as ConnectionPool;
  const adapter = createAdapter({ base, pool, others: { send }, hasProxy });
  const axios = create({ adapter, baseURL: BASE_URL, maxRedirects: 0 });
  /** Sends a request, which the server gets. */
  const call = async (config: AxiosRequestConfig) => {
    const result = axios.request({ url: '/x', ...config });
    result.catch(() => undefined);
    await settled();
    const connection = server.accept();
    await connection.receives('\r\n\r\n');
    return { result, connection };
  };
  return { server, send, axios, call };
}

const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;

describe('a request that the pool can send', () => {
  it('B17: is sent by the pool, with the result of axios', async () => {
    const { call, send } = open();
    const { result, connection } = await call({ method: 'post', data: 'Zürich', params: { a: 1 } });
    connection.write(OK);
    const response = await result;
    expect(response).toMatchObject({ status: 200, data: 'ok' });
    expect(response.request).toMatchObject({ method: 'POST', host: 'api.example.com', path: '/v1/x?a=1' });
    expect(response.config).toMatchObject({ url: '/x', data: 'Zürich' });
    expect(connection.received).toContain('POST /v1/x?a=1 HTTP/1.1');
    expect(send).not.toHaveBeenCalled();
  });

  it.each([
    ['an answer', OK],
    ['a refusal', NOT_FOUND],
  ])("B13: leaves no listener on the caller's signal after %s", async (_, answer) => {
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ signal: controller.signal });
    expect(listenersOf(controller)).toBe(1);
    connection.write(answer);
    await result.catch(() => undefined);
    expect(listenersOf(controller)).toBe(0);
  });

  it("B13: leaves no listener on the caller's signal after an error without an answer", async () => {
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ signal: controller.signal });
    connection.end();
    const error = await errorOf(result);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(error).not.toHaveProperty('response.status');
    expect(listenersOf(controller)).toBe(0);
  });

  it("B5: ends with the caller's signal, and so does its connection", async () => {
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ signal: controller.signal });
    controller.abort();
    expect(await errorOf(result)).toMatchObject({
      code: 'ERR_CANCELED',
      request: { method: 'GET', host: 'api.example.com', path: '/v1/x' },
    });
    await connection.closed;
  });

  it('B4: ends with the timeout of its config', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { call } = open();
    const { result, connection } = await call({ timeout: 5_000 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await errorOf(result)).toMatchObject({
      code: 'ECONNABORTED',
      message: 'timeout of 5000ms exceeded',
      request: { method: 'GET', path: '/v1/x' },
    });
    await connection.closed;
  });
});

describe('a streamed answer', () => {
  const streamed = { responseType: 'stream' } as const;

  it('B4: has no time limit once it has begun, and frees the signal at its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ ...streamed, timeout: 5_000, signal: controller.signal });
    connection.write(OK.replace('ok', ''));
    const { data } = (await result) as { data: Readable };
    await vi.advanceTimersByTimeAsync(10_000);
    expect(listenersOf(controller)).toBe(1);
    connection.write('ok');
    expect(await text(data)).toBe('ok');
    await expect.poll(() => listenersOf(controller), { interval: 2 }).toBe(0);
  });

  it('B17: is a stream also if its status is refused', async () => {
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ ...streamed, signal: controller.signal });
    connection.write(NOT_FOUND);
    const { response } = (await errorOf(result)) as { response: { status: number; data: Readable } };
    expect(response.status).toBe(404);
    expect(await text(response.data)).toBe('ok');
  });

  it('B5: ends when the caller gives up, also after its last byte has come', async () => {
    const { call } = open();
    const controller = new AbortController();
    const { result, connection } = await call({ ...streamed, signal: controller.signal });
    connection.write(OK);
    const { data } = (await result) as { data: Readable };
    await settled();
    controller.abort();
    expect(await errorOf(text(data))).toMatchObject({ code: 'ERR_CANCELED' });
  });
});

describe('a request that the pool cannot send', () => {
  it.each<[AxiosRequestConfig, object]>([
    [{ maxRedirects: 5 }, {}],
    [{}, { hasProxy: true }],
  ])('B17: is sent by axios, with its config: %j, %j', async (config, conditions) => {
    const { server, axios, send } = open(conditions);
    const response = await axios.request({ url: '/x', ...config });
    expect(response.data).toBe('of axios');
    expect(send).toHaveBeenCalledExactlyOnceWith(response.config);
    expect(response.config).toMatchObject(config);
    await settled();
    expect(server.asked).toBe(0);
  });
});
