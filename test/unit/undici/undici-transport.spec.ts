import { once } from 'node:events';
import { createSecureContext, rootCertificates } from 'node:tls';
import { Logger } from '@nestjs/common';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type UndiciTransportOptions, undiciTransport } from '../../../lib/undici/index.js';
import { AxiosFallback } from '../../../lib/undici/axios-fallback.js';
import { undici } from '../../../lib/undici/pool/undici.js';
import type { DirectConnection } from '../../../lib/wire/wire-request.js';
import { BASE_URL } from '../../support/http/http-client.js';
import { MemoryServer } from '../../support/http/memory-server.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { settled } from '../../support/token/fake-clock.js';

const [CA = ''] = rootCertificates;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

function open(options: UndiciTransportOptions = {}, tls?: object) {
  const server = new MemoryServer();
  const buildConnector = vi.spyOn(undici, 'buildConnector').mockReturnValue(server.connector);
  const byAxios = vi.spyOn(AxiosFallback.prototype, 'send').mockResolvedValue({ data: 'of axios' } as never);
  const connection = undiciTransport(options).open({
    interface: 'easy',
    environment: 'sandbox',
    baseUrl: BASE_URL,
    ...(tls && { tls: tls as never }),
  });
  const config: InternalAxiosRequestConfig = {
    baseURL: BASE_URL,
    url: '/x',
    method: 'get',
    maxRedirects: 0,
    headers: new AxiosHeaders(),
  };
  const { directSender } = connection as DirectConnection;
  return { server, buildConnector, byAxios, connection, config, directSender };
}

describe('undiciTransport()', () => {
  beforeEach(() => {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'])
      vi.stubEnv(name, '');
  });

  it('S10: uses the certificates of the interface and environment', () => {
    expect(undiciTransport()).toMatchObject({ usesTls: true, hasOwnTls: false });
    expect(open().connection.actsAsHttp).toBe(true);
  });

  it('B17: sends by its pool, with the options and the certificates of the moment', async () => {
    const contexts = [createSecureContext(), createSecureContext()];
    const secureContext = vi.fn<(further: object) => unknown>(() => contexts.shift());
    const [first, second] = contexts;
    const tls = { version: Symbol('first'), secureContext };
    const connect = { ciphers: 'TLS_AES_256_GCM_SHA384' };
    const { server, buildConnector, connection, config } = open({ connections: 1, connect }, tls);
    const result = connection.adapter(config);
    await settled();
    const memory = server.accept();
    await memory.receives('GET /v1/x');
    memory.write(OK);
    expect(await result).toMatchObject({ status: 200, data: 'ok' });
    tls.version = Symbol('second');
    void connection.adapter(config);
    void connection.adapter(config);
    await settled();
    expect(server.asked).toBe(2);
    expect(secureContext.mock.calls).toEqual([[connect], [connect]]);
    const given = buildConnector.mock.calls.map(([options]) => options);
    expect(given).toMatchObject([connect, connect]);
    expect(given.map((options) => Reflect.get(options ?? {}, 'secureContext') === first)).toEqual([
      true,
      false,
    ]);
    expect(Reflect.get(given[1] ?? {}, 'secureContext')).toBe(second);
  });

  it('B17: has the certificates of its options without others', async () => {
    const { buildConnector, connection, config } = open({ connect: { ca: CA } });
    void connection.adapter(config);
    await settled();
    expect(buildConnector.mock.lastCall).toMatchObject([{ ca: CA }]);
    expect(buildConnector.mock.lastCall?.[0]).not.toHaveProperty('secureContext');
  });

  it.each([
    ['', false],
    ['api.example.com', true],
  ])('B17: leaves to axios what may need a proxy, with NO_PROXY=%s', async (exceptions, isOwn) => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
    vi.stubEnv('NO_PROXY', exceptions);
    const { server, connection, config, byAxios } = open();
    expect(connection).toMatchObject({ hasProxy: !isOwn });
    void connection.adapter(config);
    await settled();
    expect(byAxios).toHaveBeenCalledTimes(isOwn ? 0 : 1);
    expect(server.asked).toBe(isOwn ? 1 : 0);
  });

  it('B16: sends direct requests to its host, by its pool', async () => {
    const { server, directSender, config } = open();
    const cancellation = { subscribe: () => undefined, unsubscribe: () => undefined } as never;
    const result = new Promise((resolve, reject) => {
      const request = { method: 'GET', path: '/v1/y', headers: [], body: null, config, cancellation };
      directSender?.send(request, { resolve, reject });
    });
    await settled();
    const memory = server.accept();
    await memory.receives('GET /v1/y');
    expect(memory.received.toLowerCase()).toContain('host: api.example.com\r\n');
    memory.write(OK);
    expect(await result).toMatchObject({ data: 'ok' });
  });

  it('B9: closes the pool when the calls have ended, and then the agent of axios', async () => {
    const closed = vi.spyOn(AxiosFallback.prototype, 'close');
    const { server, connection, config } = open();
    const calls = new AbortController();
    const ended = connection.close(once(calls.signal, 'abort').then(() => undefined));
    const late = connection.adapter(config);
    await settled();
    const memory = server.accept();
    await memory.receives('GET');
    calls.abort();
    await settled();
    expect(closed).not.toHaveBeenCalled();
    memory.write(OK);
    expect(await late).toMatchObject({ data: 'ok' });
    await ended;
    expect(closed).toHaveBeenCalledOnce();
    await expect(connection.adapter(config)).rejects.toMatchObject({ code: 'ERR_NETWORK' });
    await memory.closed;
  });

  it('B27: warns once of an undici that breaks the fetch of this Node', () => {
    const logs = new CapturedLogs();
    Logger.overrideLogger(logs);
    const { replacesDispatcherOfHost } = undici;
    onTestFinished(() => {
      Object.assign(undici, { replacesDispatcherOfHost });
      Logger.overrideLogger(true);
    });
    const profile = { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL };
    undiciTransport().open(profile);
    expect(logs.lines).toEqual([]);
    undici.replacesDispatcherOfHost = true;
    const transport = undiciTransport();
    expect(logs.lines).toEqual([]);
    transport.open(profile);
    expect(logs.lines).toHaveLength(1);
    transport.open(profile);
    expect(logs.lines).toHaveLength(1);
    expect(logs.lines[0]?.text).toContain('undici@7');
  });
});
