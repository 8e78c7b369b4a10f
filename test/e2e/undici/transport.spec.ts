import { getEventListeners, once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent } from 'node:https';
import type tls from 'node:tls';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { create, type AxiosError } from 'axios';
import * as undiciInstalled from 'undici';
import * as undiciLowest from 'undici-lowest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { undici } from '../../../lib/undici/pool/undici.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { outcomeOf } from '../../support/http/transport-outcome.js';
import { transportClient } from '../../support/http/transport-client.js';
import { WireServer } from '../../support/http/wire-server.js';

const failureOf = (call: Promise<unknown>): Promise<AxiosError> =>
  call.then(
    () => expect.fail('The call succeeded.'),
    (error: AxiosError) => error,
  );

/** Adds a header, as instrumentation does to pass a trace on. */
const mark = (message: unknown): void => {
  const { request } = message as { request: { addHeader(name: string, value: string): void } };
  request.addHeader('traceparent', '00-canary-01');
};

describe('time', () => {
  it('B4: timeout covers the body too', async () => {
    const { server, client } = await transportClient();
    server.handler = (_, response) => void response.writeHead(200).write('some');
    const error = await failureOf(client.get('/', { timeout: 200 }));
    expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 200ms exceeded' });
  });

  it('B4: timeout does not limit the reader of a stream', async () => {
    const { server, client } = await transportClient();
    server.handler = (_, response) => {
      response.writeHead(200).write('some');
      setTimeout(() => response.end('more'), 1_200);
    };
    const { data } = await client.get<Readable>('/', { timeout: 1_000, responseType: 'stream' });
    expect((await buffer(data)).toString()).toBe('somemore');
  });

  it('B4: a switch to another protocol fails at once', async () => {
    const { server, client } = await transportClient();
    server.handler = (request) =>
      void request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      );
    await expect(client.get('/')).rejects.toMatchObject({ code: 'ECONNRESET', message: 'socket hang up' });
  });

  it.each(['000', '099', '101'])('B17: status %s is an error with a code of Node', async (status) => {
    const { server, client } = await transportClient({ connections: 1 });
    server.handler = ({ socket }) =>
      void socket.write(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`);
    const error = await failureOf(client.get('/'));
    expect(error).toMatchObject({
      name: 'Error',
      isAxiosError: true,
      code: 'HPE_INVALID_STATUS',
      message: 'Parse Error: Invalid status code',
    });
    server.handler = (_, response) => void response.end('ok');
    expect((await client.get('/')).data).toBe('ok');
  });

  it('B9: a validateStatus that throws leaves no unread stream in a connection', async () => {
    const { server, client } = await transportClient({ connections: 1 });
    server.handler = (_, response) => void response.end(Buffer.alloc(1024 * 1024));
    const thrown = new Error('of the caller');
    const validateStatus = (): never => {
      throw thrown;
    };
    await expect(client.get('/', { responseType: 'stream', validateStatus })).rejects.toBe(thrown);
    expect((await client.get('/', { timeout: 5_000 })).status).toBe(200);
  });

  it('B5: ends a call that waits for a connection, and no other', async () => {
    const { server, client } = await transportClient({ connections: 1 });
    server.handler = (_, response) => void setTimeout(() => response.end('ok'), 300);
    const first = client.get('/first');
    const second = failureOf(client.get('/second', { signal: AbortSignal.timeout(50) }));
    const third = client.get('/third');
    expect((await second).code).toBe('ERR_CANCELED');
    expect((await Promise.all([first, third])).map(({ data }) => data as string)).toEqual(['ok', 'ok']);
    expect(server.seen.map(({ url }) => url)).toEqual(['/first', '/third']);
  });

  it('counts `connections` also for requests that axios sends', async () => {
    const { server, client } = await transportClient({ connections: 1 });
    const sockets = new Set<unknown>();
    server.handler = (request, response) => {
      sockets.add(request.socket);
      setTimeout(() => response.end('ok'), 50);
    };
    const calls = Array.from({ length: 3 }, () => client.get('/', { maxRedirects: 1 }));
    expect((await Promise.all(calls)).map(({ data }) => data as string)).toEqual(['ok', 'ok', 'ok']);
    expect(sockets.size).toBe(1);
  });

  it("removes its listener from the caller's signal", async () => {
    const { client } = await transportClient();
    const { signal } = new AbortController();
    await client.get('/', { signal });
    const { data } = await client.get<Readable>('/', { signal, responseType: 'stream' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await buffer(data);
    await pause(10);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('streams', () => {
  it('reads only as much as the reader asks for', async () => {
    const { server, client } = await transportClient();
    let written = 0;
    server.handler = (_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      // Node 26 calls back with an error at once, and without end, before `destroyed` is true.
      const more = (error?: unknown): void => {
        if (error || response.destroyed) return;
        written += piece.length;
        response.write(piece, more);
      };
      more();
    };
    const { data } = await client.get<Readable>('/', { responseType: 'stream' });
    await pause(300);
    const halted = written;
    await pause(200);
    expect(written).toBe(halted);
    expect(halted).toBeLessThan(64 * 1024 * 1024);
    data.destroy();
  });

  it('closes the connection if the reader destroys the stream', async () => {
    const { server, client } = await transportClient();
    const gone = new Promise<void>((resolve) => {
      server.handler = (_, response) => void response.on('close', resolve).writeHead(200).write('some');
    });
    const { data } = await client.get<Readable>('/', { responseType: 'stream' });
    data.destroy();
    await expect(gone).resolves.toBeUndefined();
  });

  it('B9: a stream that breaks before it is read ends no process', async () => {
    const { server, client } = await transportClient();
    server.handler = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('some');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const { data } = await client.get<Readable>('/', { responseType: 'stream' });
    await pause(100);
    await expect(buffer(data)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('errors of streams', () => {
  it('B9: an abort before an error listener exists ends no process', async () => {
    const { server, client } = await transportClient();
    server.handler = (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('some');
    const controller = new AbortController();
    const { data } = await client.get<Readable>('/', { responseType: 'stream', signal: controller.signal });
    controller.abort();
    await pause(20);
    await expect(buffer(data)).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('reach a reader that starts after the whole response has arrived', async () => {
    const { server, client } = await transportClient();
    server.handler = (request) =>
      void request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nmuch longer');
    const { data } = await client.get<Readable>('/', { responseType: 'stream', maxContentLength: 1 });
    data.resume();
    await expect(once(data, 'end')).rejects.toMatchObject({ code: 'ERR_BAD_RESPONSE' });
  });
});

describe('trust', () => {
  it.each(['self-signed', 'expired', 'wrong-host'] as const)(
    'S9: refuses a certificate that is %s, as axios does',
    async (kind) => {
      const server = await WireServer.start({ kind });
      const { client } = await transportClient({ server });
      const httpsAgent = new Agent({ ca: server.ca });
      const axiosClient = create({ baseURL: server.url, maxRedirects: 0, httpsAgent });
      const expected = await outcomeOf(axiosClient, { url: '/' }, server);
      expect(await outcomeOf(client, { url: '/' }, server)).toEqual(expected);
      expect(expected).toMatchObject({ seen: [], error: { hasConfig: true } });
    },
  );

  it.each([{}, { onUploadProgress: () => undefined }, { maxRedirects: 1 }])(
    "S9: no checkServerIdentity switches the check of the server's name off: %j",
    async (config) => {
      const server = await WireServer.start({ kind: 'wrong-host' });
      const connect = { checkServerIdentity: () => undefined };
      const { client } = await transportClient({ server, connect });
      const error = await failureOf(client.post('/', 'x', config));
      expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      expect(server.seen).toEqual([]);
    },
  );

  it.each([{}, { maxRedirects: 1 }])(
    'S9: checkServerIdentity may refuse a certificate, and gets what Node gives: %j',
    async (config) => {
      const unpinned = Object.assign(new Error('This is not the certificate.'), { code: 'NOT_PINNED' });
      const checkServerIdentity = vi.fn<typeof tls.checkServerIdentity>().mockReturnValue(unpinned);
      const { client, server } = await transportClient({ connect: { checkServerIdentity } });
      expect((await failureOf(client.get('/', config))).code).toBe('NOT_PINNED');
      expect(server.seen).toEqual([]);
      const [name, certificate] = checkServerIdentity.mock.lastCall ?? [];
      expect(name).toBe('127.0.0.1');
      expect(certificate).toHaveProperty('fingerprint256');
    },
  );

  it('S9: trusts no authority that the caller does not trust', async () => {
    const { server } = await transportClient();
    const { adapter } = undiciTransport().open({
      interface: 'easy',
      environment: 'sandbox',
      baseUrl: server.url,
    });
    await expect(create({ adapter, baseURL: server.url, maxRedirects: 0 }).get('/')).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
    expect(server.seen).toEqual([]);
  });

  it.each(['https://127.0.0.1:1', 'https://nowhere.invalid'])(
    'fails as axios does if no server answers: %s',
    async (baseURL) => {
      const server = await WireServer.start();
      onTestFinished(() => server.close());
      const { adapter } = undiciTransport().open({
        interface: 'easy',
        environment: 'sandbox',
        baseUrl: baseURL,
      });
      const expected = await outcomeOf(create({ baseURL, maxRedirects: 0 }), { url: '/' }, server);
      expect(await outcomeOf(create({ adapter, baseURL, maxRedirects: 0 }), { url: '/' }, server)).toEqual(
        expected,
      );
    },
  );
});

describe("a request that axios' adapter sends", () => {
  it('uses the same certificates, and leaves no agent in the config', async () => {
    const { client, server } = await transportClient();
    const progress = vi.fn<() => void>();
    const response = await client.post('/', 'x', { onUploadProgress: progress, maxRedirects: 5 });
    expect(response.data).toBe('ok');
    expect(progress).toHaveBeenCalled();
    expect(response.config.httpsAgent).toBeUndefined();
    expect(server.seen).toHaveLength(1);
  });

  it('follows redirects if the config allows it', async () => {
    const { client, server } = await transportClient();
    server.handler = (request, response) =>
      void (request.url === '/there'
        ? response.end('there')
        : response.writeHead(302, { location: '/there' }).end());
    await expect(client.get('/', { maxRedirects: 1 })).resolves.toMatchObject({ data: 'there' });
  });

  it("goes through the caller's agent", async () => {
    const { client, server } = await transportClient();
    const httpsAgent = new Agent({ ca: server.ca });
    const created = vi.spyOn(httpsAgent, 'createConnection');
    await client.get('/', { httpsAgent });
    expect(created).toHaveBeenCalledOnce();
  });

  it.each([
    ['', 1],
    ['127.0.0.1', 0],
    ['*', 0],
    ['example.com', 1],
  ])('goes through the proxy of the environment, with NO_PROXY=%s %d times', async (exceptions, times) => {
    // If a proxy sends nothing at all, axios waits as long as its agent waits.
    const proxy = await ConnectProxy.start('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NO_PROXY', exceptions);
    const { client } = await transportClient();
    await client.get('/').catch(() => undefined);
    expect(proxy.tunnels).toHaveLength(times);
    await expect(client.get('/', { proxy: false })).resolves.toMatchObject({ data: 'ok' });
  });
});

describe('connections', () => {
  it('are as many as are allowed', async () => {
    const { client, server } = await transportClient({ connections: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.get('/')));
    expect(server.connections).toBeLessThanOrEqual(3);
    expect(server.seen).toHaveLength(30);
  });

  it('outlive requests that cannot be sent', async () => {
    const { client } = await transportClient({ connections: 1 });
    const odd = [
      { headers: { 'X Odd': '1' } },
      { headers: { Expect: '100-continue' } },
      { headers: { 'Transfer-Encoding': 'gzip' } },
      { headers: { Upgrade: 'x' } },
      { headers: { 'Keep-Alive': '5' } },
      { method: 'POST', data: 'x', headers: { 'Content-Length': '0x1' } },
      { method: 'O DD' },
      { url: '/?', params: { a: 1 }, paramsSerializer: () => 'a b' },
    ];
    for (const request of odd) await client.request({ timeout: 300, ...request }).catch(() => undefined);
    await expect(client.get('/')).resolves.toMatchObject({ data: 'ok' });
  });

  it('end when open requests have ended', async () => {
    const { client, server, connection } = await transportClient();
    server.handler = (_, response) => void setTimeout(() => response.end('late'), 200);
    const open = client.get('/');
    await expect.poll(() => server.seen).toHaveLength(1);
    await connection.close();
    await expect(open).resolves.toMatchObject({ data: 'late' });
    const error = await failureOf(client.get('/'));
    expect(error).toMatchObject({
      code: 'ERR_NETWORK',
      message: expect.stringContaining('ending') as string,
    });
  });

  it.each([{}, { connections: 1 }])(
    'do not wait for ever for what never ends, nor for what waits behind it: %j',
    async (options) => {
      const { client, server, connection } = await transportClient(options);
      server.handler = () => undefined;
      const open = Array.from({ length: 150 }, () => failureOf(client.get('/')));
      await expect.poll(() => server.seen.length).toBeGreaterThan(0);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const closed = connection.close();
      await vi.advanceTimersByTimeAsync(10_000);
      await closed;
      const codes = (await Promise.all(open)).map(({ code }) => code);
      expect(new Set(codes)).toEqual(new Set(['ERR_NETWORK']));
    },
  );

  it('B9: close without an error if the last call ends while its connection is being destroyed', async () => {
    const { client, server, connection } = await transportClient();
    server.handler = () => undefined;
    const call = failureOf(client.get('/'));
    await expect.poll(() => server.seen).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const calls = new AbortController();
    const closed = connection.close(once(calls.signal, 'abort').then(() => undefined)).then(
      () => 'closed',
      (error: Error) => error,
    );
    vi.advanceTimersByTime(10_000);
    // The pool waits for the end of its socket now.
    calls.abort();
    expect(await closed).toBe('closed');
    expect(await call).toMatchObject({ code: 'ERR_NETWORK' });
  });

  it.each([
    ['undici', undiciInstalled],
    ['the lowest undici', undiciLowest],
  ])(
    'B36: speak HTTP/1.1 to a server that offers HTTP/2, on %s',
    async (_, { Client, Pool, buildConnector }) => {
      const installed = { ...undici };
      Object.assign(undici, { Client, Pool, buildConnector });
      onTestFinished(() => void Object.assign(undici, installed));
      const server = await WireServer.start({ allowH2: true });
      const { client } = await transportClient({ server });
      await client.get('/');
      await client.post('/', Readable.from([Buffer.from('streamed')]));
      expect(server.seen.map(({ protocol }) => protocol)).toEqual(['1.1', '1.1']);
    },
  );

  it('that cannot be opened fail for all requests that wait for a connection', async () => {
    const { server } = await transportClient();
    const { adapter } = undiciTransport({ connections: 1 }).open({
      interface: 'easy',
      environment: 'sandbox',
      baseUrl: server.url,
    });
    const client = create({ adapter, baseURL: server.url, maxRedirects: 0 });
    for (const round of [1, 2]) {
      const failures = await Promise.all(Array.from({ length: 5 }, () => failureOf(client.get(`/${round}`))));
      expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['UNABLE_TO_VERIFY_LEAF_SIGNATURE']));
    }
  });
});

describe('what others see', () => {
  it('instrumentation of undici sees a request and adds to it', async () => {
    const { client, server } = await transportClient();
    subscribe('undici:request:create', mark);
    onTestFinished(() => void unsubscribe('undici:request:create', mark));
    await client.get('/');
    expect(server.seen[0]?.headers['traceparent']).toBe('00-canary-01');
  });

  it('B12: the request of a response is a frozen snapshot', async () => {
    const { client, server } = await transportClient();
    const { request } = await client.get<string>('/a?b=1');
    expect(request).toEqual({
      method: 'GET',
      host: '127.0.0.1',
      path: '/a?b=1',
      res: { responseUrl: `${server.url}/a?b=1`, statusCode: 200 },
    });
    expect(Object.isFrozen(request)).toBe(true);
  });

  it('B12: the bytes of a response share no memory with other bytes', async () => {
    const { client, server } = await transportClient();
    server.handler = (request) =>
      void request.socket.end('HTTP/1.1 200 OK\r\nX-Reflected: canary\r\nContent-Length: 2\r\n\r\nok');
    const { data } = await client.get<Buffer>('/', { responseType: 'arraybuffer' });
    expect(Buffer.from(data.buffer).toString()).toBe('ok');
  });
});
