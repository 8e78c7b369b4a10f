import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { AxiosHeaders } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { errorCode } from '../../../lib/errors/error-code.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { undiciTransport } from '../../../lib/undici/undici-transport.js';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { holdUpload } from '../../../lib/wire/upload.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { bytesOf } from '../../support/http/received-body.js';
import { undiciSource } from '../../support/http/undici-source.js';
import { WireServer } from '../../support/http/wire-server.js';
import { messagesOf } from '../../support/token/events.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const SOME = 100_000;
/** What a body takes that its caller does not read. */
const SIZE = 65_536;

interface Message {
  readonly request: { readonly origin: string; readonly path: string };
  readonly chunk: Buffer;
}

/** What undici publishes about the requests to a server from now on. */
function messagesOfServer(event: string, { url }: WireServer): () => Message[] {
  const messages = messagesOf<Message>(`undici:request:${event}`);
  return () => messages.filter(({ request }) => request.origin === url);
}

async function* inParts(): AsyncGenerator<Buffer> {
  yield Buffer.from('one ');
  yield Buffer.from('two');
}

it('a request has its headers, and not those that undici writes itself', async () => {
  const { server, send } = await undiciSource();
  const { host } = new URL(server.url);
  const ofUndici = ['Host', 'other.example', 'Keep-Alive', 'timeout=5', 'Connection', 'not valid'];
  const { response } = await send({
    method: 'POST',
    body: inParts(),
    headers: [...ofUndici, 'X-One', 'Host', 'X-Two', '2', 'Transfer-Encoding', 'Chunked'],
  });
  expect(response).toMatchObject({ status: 200, data: 'ok' });
  const headers = { host, connection: 'keep-alive', 'transfer-encoding': 'chunked' };
  expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/' });
  expect(server.seen[0]?.headers).toEqual({ ...headers, 'x-one': 'Host', 'x-two': '2' });
  expect(server.seen[0]?.body.toString()).toBe('one two');
});

it('a request closes its connection after `Connection: close`', async () => {
  const { server, send } = await undiciSource();
  await send({ headers: ['Connection', 'close'] });
  await send();
  expect(server.connections).toBe(2);
});

it.each(['000', '099', '101'])(
  'an answer with the status %s is an error, and its connection is replaced',
  async (status) => {
    const { server, send } = await undiciSource({ connections: 1 });
    server.handler = ({ socket }) =>
      void socket.write(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`);
    expect((await send()).error).toMatchObject({
      code: 'HPE_INVALID_STATUS',
      message: 'The answer has an invalid status.',
    });
    server.handler = (_, response) => void response.end('ok');
    expect((await send()).response?.data).toBe('ok');
  },
);

it('a response may be announced, and a header that comes twice has the value that Node gives it', async () => {
  const { server, send } = await undiciSource();
  server.handler = ({ socket }, response) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n');
    const twice = ['Server', 'Cookie', 'X-One', 'Set-Cookie'].flatMap((name) => [name, 'a', name, 'b']);
    response.writeHead(200, twice).end('ok');
  };
  const { response } = await send({ config: { responseType: 'stream' } });
  expect(response?.status).toBe(200);
  expect(String(await bytesOf(response?.data as ReceivedBody))).toBe('ok');
  const values = { server: 'a', cookie: 'a; b', 'x-one': 'a, b', 'set-cookie': ['a', 'b'] };
  expect(response?.headers).toMatchObject(values);
  expect(response?.headers).not.toHaveProperty('link');
});

it.each([204, 304])(
  'an answer has no body with the status %i, whatever its length says: answers without a body',
  async (status) => {
    const { server, send } = await undiciSource();
    server.handler = (_, response) => void response.writeHead(status, { 'content-length': '5' }).end();
    expect(await send()).toMatchObject({ response: { status, data: '' } });
  },
);

it('an answer is read at the speed of its reader', async () => {
  const { server, send } = await undiciSource();
  const size = 64_000_000;
  let sent = 0;
  server.handler = (_, response) => {
    Readable.from(
      (function* () {
        for (; sent < size; sent += SOME) yield Buffer.alloc(SOME);
      })(),
    ).pipe(response);
  };
  const { response } = await send({ config: { responseType: 'stream' } });
  const body = response?.data as ReceivedBody;
  expect(body).toBeInstanceOf(ReceivedBody);
  let before = -1;
  while (before !== sent) {
    before = sent;
    await pause(100);
  }
  // What the buffers of both sides hold.
  expect(sent).toBeLessThan(size / 2);
  expect(await bytesOf(body)).toHaveLength(size);
});

it.each([
  ['its end', 0, SIZE],
  ['a reset', 2, 'ECONNRESET'],
])(
  'B36: a body that waits for its reader takes the rest when its connection ends: by %s',
  async (_, more, outcome) => {
    const uncaught = new Promise<never>((_resolve, reject) => {
      process.once('uncaughtException', reject);
      onTestFinished(() => void process.off('uncaughtException', reject));
    });
    const { server, send } = await undiciSource();
    const ends: (() => unknown)[] = [];
    server.handler = (request, response) => {
      ends.push(() => (more ? response.write('x', () => server.reset(request)) : response.end()));
      response
        .writeHead(200, { connection: 'close', 'content-length': SIZE + more })
        .write(Buffer.alloc(SIZE));
    };
    const arrived = messagesOfServer('bodyChunkReceived', server);
    const { response } = await send({ config: { responseType: 'stream' } });
    await expect.poll(() => arrived().reduce((sum, { chunk }) => sum + chunk.length, 0)).toBe(SIZE);
    ends[0]?.();
    await expect.poll(() => server.openConnections).toBe(0);
    const received = Promise.race([uncaught, bytesOf(response?.data as ReceivedBody)]);
    expect(await received.then(({ length }) => length, errorCode)).toBe(outcome);
  },
);

it.each([
  ['sent', 'ECONNRESET'],
  ['being sent', 'ERR_BAD_RESPONSE'],
])('the error of an answer that a reset cuts off depends on the upload: it is %s', async (upload, code) => {
  const { server, send } = await undiciSource();
  const heads = messagesOfServer('headers', server);
  let request: IncomingMessage | undefined;
  server.onHeaders = (arrived, response) => {
    request = arrived;
    response.writeHead(200, { 'content-length': 5 }).write('a');
  };
  const body = new PassThrough();
  body.write('x');
  if (upload === 'sent') body.end();
  const outcome = send({ method: 'POST', body });
  await expect.poll(heads).toHaveLength(1);
  server.reset(request as IncomingMessage);
  expect((await outcome).error).toMatchObject({ code });
});

async function plainServer(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).end(answer, () => socket.destroy());
  });
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${await listenOnLoopback(server)}`;
}

describe('a failure', () => {
  it('is ECONNREFUSED where no server listens', async () => {
    const { send } = await undiciSource();
    const { error } = await send({ url: new URL('https://127.0.0.1:1') });
    expect(error).toMatchObject({ code: 'ECONNREFUSED', config: {}, request: { path: '/' } });
  });

  it('is an OpenSSL error for a server without TLS', async () => {
    const { send } = await undiciSource();
    const url = new URL(await plainServer('HTTP/1.1 200 OK\r\n\r\n'));
    expect((await send({ url })).error).toMatchObject({
      code: expect.stringMatching(/SSL|ECONNRESET/) as string,
    });
  });

  it.each([
    ['HTTP/1.1 2x0\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\nno header\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['nonsense\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'HPE_INVALID_CONTENT_LENGTH'],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n',
      'HPE_INVALID_CONTENT_LENGTH',
    ],
    ['HTTP/9.9 200 OK\r\n\r\n', 'HPE_INVALID_VERSION'],
    ['HTTP/1x1 200 OK\r\n\r\n', 'HPE_INVALID_VERSION'],
    ['HTTP/1.1 200 OK\r\nA: b\rX: y\r\n\r\n', 'HPE_LF_EXPECTED'],
    ['HTTP/1.1 200 OK\r\nA: b\n\r\n', 'HPE_CR_EXPECTED'],
  ])('has a code for malformed HTTP, and shows none of it: %j', async (bytes, code) => {
    const { server, send } = await undiciSource();
    server.onHeaders = ({ socket }) => void socket.end(`${bytes}canary`);
    const { error } = await send();
    expect(error).toMatchObject({ code });
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary');
  });

  it('is the error of a body that fails', async () => {
    const { send } = await undiciSource();
    const body = new PassThrough();
    holdUpload(body);
    const outcome = send({ method: 'POST', body });
    body.write('some');
    body.destroy(Object.assign(new Error('The disk is gone.'), { code: 'EIO' }));
    expect(await outcome).toMatchObject({ error: { code: 'EIO' }, isOfBody: true });
  });

  it.each([2, 10_000])('says that an upload is not as long as announced: %i', async (length) => {
    const { send } = await undiciSource();
    const headers = ['Content-Length', String(length)];
    const { error } = await send({ method: 'POST', body: Readable.from([Buffer.alloc(100)]), headers });
    expect(error).toMatchObject({ code: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH' });
  });

  it('is the reason of a caller who leaves, before the request is sent as well as after', async () => {
    const { server, send } = await undiciSource({ connections: 1 });
    server.handler = () => undefined;
    const [first, second] = [new Cancellation(), new Cancellation()];
    const body = new PassThrough();
    const outcomes = Promise.all([
      send({ cancellation: first }),
      send({ cancellation: second, method: 'POST', body }),
    ]);
    await expect.poll(() => server.seen).toHaveLength(1);
    second.cancel(new Error('left the queue'));
    expect(body.destroyed).toBe(true);
    first.cancel(new Error('left'));
    expect(await outcomes).toMatchObject([
      { error: { message: 'left' } },
      { error: { message: 'left the queue' } },
    ]);
    server.handler = (_, response) => void response.end('ok');
    expect((await send()).response?.data).toBe('ok');
    expect(server.seen).toHaveLength(2);
  });
});

it('a call that ends while it waits for a connection leaves the queue, so that undici never gets it', async () => {
  const { server, send } = await undiciSource({ connections: 1 });
  const created = messagesOfServer('create', server);
  const answers: (() => void)[] = [];
  server.handler = (_, response) => void answers.push(() => void response.end('ok'));
  const first = send({ path: '/first' });
  await expect.poll(() => answers).toHaveLength(1);
  const cancellation = new Cancellation();
  const second = send({ path: '/second', cancellation });
  const third = send({ path: '/third' });
  cancellation.cancel(new Error('left'));
  expect((await second).error).toMatchObject({ message: 'left' });
  answers[0]?.();
  await first;
  await expect.poll(() => answers).toHaveLength(2);
  answers[1]?.();
  await third;
  expect(created().map(({ request }) => request.path)).toEqual(['/first', '/third']);
});

const withToken = (...headers: string[]) => ({ headers: ['Authorization', 'Bearer canary', ...headers] });

describe('connections', () => {
  it('outlive requests that cannot be sent, whose errors show no header', async () => {
    const { server, send } = await undiciSource({ connections: 1 });
    const odd = [
      withToken('X Odd', '1'),
      withToken('Expect', '100-continue'),
      withToken('Transfer-Encoding', 'gzip'),
      withToken('Upgrade', 'x'),
      { method: 'POST', body: Buffer.from('x'), headers: ['Content-Length', '0x1'] },
      { method: 'O DD' },
      { path: '/?a b' },
    ];
    for (const request of odd) {
      const { error } = await send(request);
      expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_/) as string });
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary');
    }
    expect((await send()).response?.data).toBe('ok');
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', () => undefined],
    ['ERR_TLS_CERT_ALTNAME_INVALID', ({ ca }: WireServer) => ({ ca, servername: 'other.example' })],
  ])('that cannot be opened fail for all requests that wait for a connection: %s', async (code, pem) => {
    const server = await WireServer.start();
    const { source, send } = await undiciSource({
      server,
      tls: new ClientTls(pem(server) ?? {}),
      connections: 1,
    });
    for (let round = 0; round < 2; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => send()));
      expect(outcomes.map(({ error }) => (error as { code: string }).code)).toEqual(
        Array.from({ length: 5 }, () => code),
      );
    }
    expect(server.seen).toEqual([]);
    await source.close(Promise.resolve());
  });

  it.each([{}, { connections: 1 }])(
    'do not wait for ever for what never ends, nor for what waits behind it: %j',
    async (options) => {
      const { server, source, send } = await undiciSource(options);
      server.handler = () => undefined;
      const open = Array.from({ length: 150 }, () => send());
      await expect.poll(() => server.seen.length).toBeGreaterThan(0);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const closed = source.close(Promise.resolve());
      await vi.advanceTimersByTimeAsync(10_000);
      await closed;
      const codes = (await Promise.all(open)).map(({ error }) => (error as { code: string }).code);
      expect(new Set(codes)).toEqual(new Set(['ERR_NETWORK']));
    },
  );

  it('are not opened for a call that has ended, and go to the next one if it ends meanwhile', async () => {
    const { server, send } = await undiciSource();
    const [before, meanwhile] = [new Cancellation(), new Cancellation()];
    before.cancel(new Error('left before'));
    const left = [send({ cancellation: before }), send({ cancellation: meanwhile })];
    meanwhile.cancel(new Error('left meanwhile'));
    expect(await Promise.all(left)).toMatchObject([
      { error: { message: 'left before' } },
      { error: { message: 'left meanwhile' } },
    ]);
    await expect.poll(() => server.connections).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await send({ path: '/next' })).response?.status).toBe(200);
    expect(server.seen.map(({ url }) => url)).toEqual(['/next']);
    expect(server.sockets).toBe(1);
  });

  it.each([false, true])('are for one origin only, through a proxy: %s', async (isProxied) => {
    const proxy = await ConnectProxy.start();
    const { server, send } = await undiciSource(isProxied ? { proxy: proxy.setting } : {});
    const urls = [server.url, byName(server.url), server.url].map((url) => new URL(url));
    for (const url of urls) await send({ url });
    expect(server.seen.map(({ headers }) => headers.host)).toEqual(urls.map(({ host }) => host));
    expect(server.connections).toBe(2);
  });

  it('offer no HTTP/2', async () => {
    const { ca, cert, key } = issueServerCertificate('trusted');
    const { send } = await undiciSource({ tls: new ClientTls({ ca }) });
    const both = createSecureServer({ cert, key, allowHTTP1: true }, ({ httpVersion }, response) =>
      response.end(httpVersion),
    );
    onTestFinished(() => void both.close());
    const url = new URL(`https://127.0.0.1:${await listenOnLoopback(both)}`);
    expect((await send({ url })).response?.data).toBe('1.1');
  });

  it.each([
    [30_000, true],
    [4_000, false],
  ])('stay open for %i ms, or for a second less than the server says', async (ms, keepsIdleConnections) => {
    const server = await WireServer.start({ keepsIdleConnections });
    const { send } = await undiciSource({ server });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let count = 0; count < 2; count += 1) {
      expect((await send()).response?.status).toBe(200);
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(ms - 1);
    }
    expect(server).toMatchObject({ connections: 1, openConnections: 1 });
    vi.advanceTimersByTime(1);
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('have one request only while a test fakes `setImmediate`', async () => {
    const { server, send } = await undiciSource();
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let count = 0; count < 2; count += 1) expect((await send()).response?.status).toBe(200);
    expect(server.connections).toBe(2);
  });

  it('stay open when another one ends', async () => {
    const { server, send } = await undiciSource();
    server.handler = ({ url }, response) =>
      void response.writeHead(200, url === '/last' ? { connection: 'close' } : {}).end();
    await Promise.all([send(), send({ path: '/last' })]);
    await expect.poll(() => server.openConnections).toBe(1);
    await send();
    expect(server.connections).toBe(2);
  });

  it('are used again, and are at most as many as the option says', async () => {
    const { server, send } = await undiciSource({ connections: 2 });
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(server.connections).toBe(2);
  });

  it('are opened 64 at a time: 300 cold calls need far fewer than 300', async () => {
    const { server, send } = await undiciSource();
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => send()));
    expect(outcomes.map(({ response }) => response?.status)).toEqual(Array.from({ length: 300 }, () => 200));
    expect(server.connections).toBeLessThan(200);
  });

  it.each([
    ['GET', { connection: 'close' }],
    ['HEAD', { connection: 'keep-alive' }],
  ])('are opened 64 at a time, also if each one ends with its response: %s', async (method, headers) => {
    const { server, send } = await undiciSource();
    let [opening, most] = [0, 0];
    for (const [event, step] of [
      ['beforeConnect', 1],
      ['connected', -1],
    ] as const) {
      const count = (): void => void (most = Math.max(most, (opening += step)));
      subscribe(`undici:client:${event}`, count);
      onTestFinished(() => void unsubscribe(`undici:client:${event}`, count));
    }
    server.handler = (_, response) => void response.writeHead(200, headers).end();
    await Promise.all(Array.from({ length: 200 }, () => send({ method })));
    // undici reports a connection only after the next one has begun.
    expect(most).toBeLessThanOrEqual(65);
    expect(server.connections).toBe(200);
  });

  it('to a stranger have no certificate and no authority of the pair', async () => {
    const { send } = await undiciSource();
    const stranger = await WireServer.start();
    onTestFinished(() => stranger.close());
    const { error } = await send({ url: new URL(stranger.url), isUnderBase: false });
    expect(error).toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO|ISSUER/) as string });
  });

  it('that the server ends while idle are replaced', async () => {
    const { server, send } = await undiciSource();
    await send();
    const [socket] = server.open;
    socket?.destroy();
    await expect.poll(() => server.openConnections).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await send()).response?.status).toBe(200);
    expect(server.connections).toBe(2);
  });

  it('let requests under way end when the application closes, and then take no more', async () => {
    const { server, source, send } = await undiciSource();
    const answers: (() => void)[] = [];
    server.handler = (_, response) => void answers.push(() => void response.end('late'));
    const outcomes = [send(), send()];
    await expect.poll(() => answers).toHaveLength(2);
    const closed = source.close(Promise.resolve());
    for (const [index, outcome] of outcomes.entries()) {
      answers[index]?.();
      expect((await outcome).response?.data).toBe('late');
      await expect.poll(() => server.openConnections).toBe(1 - index);
    }
    await closed;
    await expect.poll(() => server.openConnections).toBe(0);
    expect((await send()).error).toMatchObject({ code: 'ERR_NETWORK' });
  });
});

/** A source whose certificates change when the test says so. */
async function changingSource() {
  const server = await WireServer.start();
  const material = new ClientTls({ ca: server.ca });
  let version = Symbol('first');
  const tls = {
    get version() {
      return version;
    },
    secureContext: () => material.secureContext(),
  };
  const { send } = await undiciSource({ server, connections: 1, tls: tls as never });
  return { server, send, change: () => void (version = Symbol('second')) };
}

it('certificates that change are used by a request whose connection was being opened', async () => {
  const { server, send, change } = await changingSource();
  const used = new Set<object>();
  server.handler = ({ socket }, response) => void response.end('ok', () => used.add(socket));
  const first = send();
  change();
  const outcomes = await Promise.all([first, send()]);
  expect(outcomes.map(({ response }) => response?.status)).toEqual([200, 200]);
  expect(used.size).toBe(1);
});

it('certificates that change are used by the next request, and by those that waited', async () => {
  const { server, send, change } = await changingSource();
  const answers: (() => void)[] = [];
  server.handler = (_, response) => void answers.push(() => void response.end('ok'));
  const first = send();
  await expect.poll(() => answers.length).toBe(1);
  const waiting = send();
  change();
  const third = send();
  await expect.poll(() => answers.length).toBe(2);
  answers[0]?.();
  answers[1]?.();
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.();
  const outcomes = await Promise.all([first, waiting, third]);
  expect(outcomes.map(({ response }) => response?.status)).toEqual([200, 200, 200]);
  expect(server.connections).toBe(2);
  await expect.poll(() => server.openConnections).toBe(1);
});

it('a proxy makes one tunnel for each connection', async () => {
  const proxy = await ConnectProxy.start();
  const { setting } = proxy;
  const { source, send } = await undiciSource({ proxy: setting });
  const config = { headers: new AxiosHeaders(), proxy: setting };
  source.check?.(config, { interface: 'easy', environment: 'sandbox' });
  for (let count = 0; count < 3; count += 1) expect((await send({ config })).response?.status).toBe(200);
  expect(proxy.tunnels).toHaveLength(1);
});

it('a proxy that refuses is one clear error with its status', async () => {
  const proxy = await ConnectProxy.start('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  const { send } = await undiciSource({ proxy: proxy.setting });
  const { error } = await send();
  expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', cause: { proxyStatus: 407 } });
  expect(proxy.tunnels).toHaveLength(1);
});

it('a proxy of the environment may change, and one that cannot be used is an error', async () => {
  const proxy = await ConnectProxy.start();
  const { server, send } = await undiciSource();
  for (const user of ['one:x@', 'two:x@', '']) {
    vi.stubEnv('HTTPS_PROXY', `http://${user}127.0.0.1:${proxy.port}`);
    await send();
  }
  expect([proxy.tunnels.length, server.seen.length]).toEqual([3, 3]);
  vi.stubEnv('HTTPS_PROXY', 'socks5://127.0.0.1:1');
  expect((await send()).error).toMatchObject({ code: 'ERR_INVALID_URL' });
});

it.each([
  [{ allowH2: true }, /http\.transport\.allowH2.*HTTP\/2.*tls/s],
  [{ connect: { ca: 'x' } }, /tls.*httpsAgent: new https.Agent/s],
  [{ connections: 0 }, /whole number/],
  [{ more: 1 }, /more/],
])('options are refused at boot: %j', (options, message) => {
  expect(() => undiciTransport(options as object)).toThrow(message);
});
