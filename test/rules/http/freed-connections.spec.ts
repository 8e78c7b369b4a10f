import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { Agent } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { clientOn } from '../../support/http/loopback-client.js';
import { WireServer } from '../../support/http/wire-server.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

type Transport = 'node:https' | 'undici';

const TRANSPORTS: Transport[] = ['node:https', 'undici'];

/** A client with one connection at a time. */
async function clientOf(transport: Transport, timeoutMs = 5_000) {
  const server = await WireServer.start({ keepsIdleConnections: true });
  const { ca, url } = server;
  const client =
    transport === 'undici'
      ? clientOn(url, { timeoutMs, transport: undiciTransport({ connections: 1 }) }, new ClientTls({ ca }))
      : clientOn(url, { timeoutMs, httpsAgent: new Agent({ ca, keepAlive: true, maxSockets: 1 }) });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, ...client };
}

const CHUNK = Buffer.alloc(70_000);

const validateStatus = (): boolean => true;

function nodeBody() {
  const body = new Readable({ read: () => void setImmediate(() => body.push(CHUNK)) });
  return { body, isOver: () => body.destroyed };
}

function webBody() {
  let isOver = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(CHUNK),
    cancel: () => void (isOver = true),
  });
  return { body, isOver: () => isOver };
}

/** A body that axios or undici makes a stream of, and the options of its call. */
function uploadOf(kind: string): [unknown, AxiosRequestConfig] {
  const bytes = Buffer.alloc(8_000_000);
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'file.bin');
  if (kind === 'a Blob') return [new Blob([bytes]), { validateStatus }];
  return kind === 'a form'
    ? [form, { validateStatus }]
    : [bytes, { validateStatus, onUploadProgress: Boolean }];
}

/** Reads a request to its end, and then ends its answer. */
async function readAndEnd(
  request: IncomingMessage,
  response: ServerResponse,
  lengths: number[],
): Promise<void> {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  lengths.push(length);
  response.end('read');
}

type Upload = (body: Readable, signal: AbortSignal) => Promise<{ readonly status: number }>;

/** An application that sends each request on as an upload, and answers with the outcome. */
function proxyOf(upload: Upload, aborting: AbortController) {
  return (request: Readable, response: { end(text: string): unknown }) =>
    void upload(request, aborting.signal).then(
      ({ status }) => response.end(`status ${status}`),
      () => response.end('failed'),
    );
}

/** What a client of the application gets for an upload that never ends. */
async function answerByHttp1(handler: ReturnType<typeof proxyOf>): Promise<string> {
  const app = createServer(handler);
  onTestFinished(() => app.close().closeAllConnections());
  const request = requestHttp({ port: await listenOnLoopback(app), method: 'POST' });
  // The application closes after the test, and the upload has no end.
  nodeBody()
    .body.pipe(request)
    .on('error', () => undefined);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return String(Buffer.concat(await answer.toArray()));
}

async function answerByHttp2(handler: ReturnType<typeof proxyOf>): Promise<string> {
  const app = createHttp2Server(handler);
  const session = connect(`http://127.0.0.1:${await listenOnLoopback(app)}`);
  onTestFinished(() => (session.destroy(), void app.close()));
  const request = session.request({ ':method': 'POST' });
  nodeBody().body.pipe(request);
  return String(Buffer.concat(await request.toArray()));
}

describe.each(TRANSPORTS)('a streamed answer with a maxContentLength, by %s', (transport) => {
  const limited = { responseType: 'stream', maxContentLength: 1000, maxRedirects: 2 } as const;

  it('B4: frees its connection for the resend', async () => {
    const { server, axios } = await clientOf(transport);
    const sockets: Socket[] = [];
    server.handler = ({ socket }, response) => {
      sockets.push(socket);
      if (server.seen.length > 1) response.end('hello');
      else response.writeHead(401).write('never ends');
    };
    const { data } = await axios.get<Readable>('/x', limited);
    expect(String(Buffer.concat(await data.toArray()))).toBe('hello');
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('frees its connection if the caller destroys it unread', async () => {
    const { server, axios } = await clientOf(transport);
    server.handler = (__, response) => void response.write('never ends');
    const { data } = await axios.get<Readable>('/x', limited);
    data.destroy();
    await expect.poll(() => server.openConnections).toBe(0);
  });
});

describe.each(TRANSPORTS)('a body that is read while it is sent, by %s', (transport) => {
  it.each([401, 413, 200])('B4: ends, with its connection, when a %i has ended before it', async (status) => {
    const { server, axios, fetch } = await clientOf(transport);
    server.onHeaders = (request, response) => {
      request.resume();
      response.writeHead(status, { 'content-length': 1 }).end('x');
    };
    const [first, second, third] = [nodeBody(), nodeBody(), webBody()];
    expect((await axios.post('/x', first.body, { validateStatus })).data).toBe('x');
    const { data } = await axios.post<Readable>('/x', second.body, {
      validateStatus,
      responseType: 'stream',
    });
    expect(String(Buffer.concat(await data.toArray()))).toBe('x');
    const answer = await fetch('/x', { method: 'POST', body: third.body, duplex: 'half' });
    expect([answer.status, await answer.text()]).toEqual([status, 'x']);
    await expect
      .poll(() => [server.openConnections, first.isOver(), second.isOver(), third.isOver()])
      .toEqual([0, true, true, true]);
  });

  it.each([
    ['a Blob', 413],
    ['a Blob', 401],
    ['a form', 413],
    ['a form', 401],
    ['a body with progress events', 413],
    ['a body with progress events', 401],
  ])('B4: leaves no connection and no waiting call if it is %s, after an early %i', async (kind, status) => {
    const { server, axios } = await clientOf(transport);
    server.onHeaders = (request, response) => {
      request.resume();
      response.writeHead(request.method === 'GET' ? 200 : status, { 'content-length': 1 }).end('x');
    };
    for (let calls = 0; calls < 2; calls += 1)
      expect((await axios.post('/x', ...uploadOf(kind))).status).toBe(status);
    await expect.poll(() => server.openConnections).toBe(0);
    expect((await axios.get('/x')).status).toBe(200);
  });

  describe.each([
    ['HTTP/1.1', answerByHttp1],
    ['HTTP/2', answerByHttp2],
  ])("and is the application's own request over %s", (__, answerOf) => {
    it.each<[string, (response: ServerResponse, server: WireServer, aborting: AbortController) => unknown]>([
      ['a 413', (response) => response.writeHead(413).end('x')],
      ['a 413 and the end', (response) => response.writeHead(413, { connection: 'close' }).end('x')],
      ['a reset', ({ req }, server) => server.reset(req)],
      ['an abort', (___, ____, aborting) => aborting.abort()],
      ['a timeout', () => undefined],
    ])('B28: can still be answered after %s', async (end, early) => {
      const { server, axios, fetch } = await clientOf(transport, end === 'a timeout' ? 300 : 5_000);
      const ways: Upload[] = [
        (body, signal) => axios.post('/x', body, { signal, validateStatus }),
        async (body, signal) => fetch('/x', { method: 'POST', body: body as never, signal }),
      ];
      for (const upload of ways) {
        const aborting = new AbortController();
        server.onHeaders = (_request, response) => early(response, server, aborting);
        const expected = end.startsWith('a 413') ? 'status 413' : 'failed';
        expect(await answerOf(proxyOf(upload, aborting))).toBe(expected);
      }
    });
  });

  it('is sent to its end while the answer has not ended', async () => {
    const { server, axios } = await clientOf(transport);
    const lengths: number[] = [];
    server.onHeaders = (request, response) => {
      response.write('early, ');
      void readAndEnd(request, response, lengths);
    };
    const { data } = await axios.post<string>('/x', Readable.from(Array.from({ length: 30 }, () => CHUNK)));
    expect([data, lengths]).toEqual(['early, read', [30 * CHUNK.length]]);
  });

  it('leaves its connection to the next call if it was sent to its end', async () => {
    const { server, axios } = await clientOf(transport);
    for (let calls = 0; calls < 3; calls += 1) await axios.post('/x', Readable.from([CHUNK, CHUNK]));
    expect(server.connections).toBe(1);
  });

  it('B4: is sent again after an early 401 if it can be opened again', async () => {
    const { server, fetch } = await clientOf(transport);
    const lengths: number[] = [];
    server.onHeaders = (request, response) => {
      if (request.headers.authorization === 'Bearer canary-token-1') response.writeHead(401).end();
      else void readAndEnd(request, response, lengths);
    };
    const answer = await fetch('/x', { method: 'POST', body: new Blob([Buffer.alloc(5_000_000)]) });
    expect([await answer.text(), lengths]).toEqual(['read', [5_000_000]]);
  });
});

describe.each(TRANSPORTS)('calls that share a signal, by %s', (transport) => {
  it.each([
    ['ordinary', {}],
    ['that give a stream', { responseType: 'stream' }],
    ['that follow redirects', { maxRedirects: 2 }],
    ['with a decoded text', { responseEncoding: 'latin1' }],
  ] as const)('B13: listen to it once: calls %s', async (__, options) => {
    const { server, axios } = await clientOf(transport);
    const { signal } = new AbortController();
    const counts: number[] = [];
    server.handler = (___, response) => {
      counts.push(getEventListeners(signal, 'abort').length);
      response.end('ok');
    };
    const call = async (): Promise<void> => {
      const { data } = await axios.get<unknown>('/', { ...options, signal });
      if (data instanceof Readable) data.resume();
    };
    await Promise.all(Array.from({ length: 20 }, call));
    expect(counts).toEqual(Array.from({ length: 20 }, () => 1));
  });
});
