import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import zlib from 'node:zlib';
import type { AxiosRequestConfig } from 'axios';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { requestsTo } from '../../support/http/requests-to.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { outcomeOf, type Outcome } from '../../support/http/transport-outcome.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

/** The server writes these bytes instead of an answer, and closes the connection. */
function answersWith(bytes: string | Buffer): void {
  client.server.handler = ({ socket }) => void socket.end(bytes);
}

/** What both clients give for these bytes. */
async function outcomesOf(
  bytes: string | Buffer,
  config: AxiosRequestConfig,
): Promise<[ours: Outcome, plain: Outcome]> {
  answersWith(bytes);
  const { ours, plain, server } = client;
  const request = { url: '/x', ...config };
  return [await outcomeOf(ours, request, server), await outcomeOf(plain, request, server)];
}

const TEXT = 'a long text '.repeat(50);

const head = (...lines: string[]): string => ['HTTP/1.1 200 Fine', ...lines, '', ''].join('\r\n');
const bodyOf = (text: string): string => head(`Content-Length: ${Buffer.byteLength(text)}`) + text;

describe('an answer over node:https', () => {
  it.each<[string, string | Buffer, AxiosRequestConfig]>([
    ['with a length', head('Content-Length: 2') + 'ok', {}],
    ['in chunks', head('Transfer-Encoding: chunked') + '1\r\no\r\n1\r\nk\r\n0\r\n\r\n', {}],
    ['that ends with its connection', head('Connection: close') + 'ok', {}],
    ['after information', `HTTP/1.1 103 Early\r\nLink: a\r\n\r\n${head('Content-Length: 0')}`, {}],
    [
      'with names twice',
      head('X-One: 1', 'x-one: 2', 'Set-Cookie: a', 'Set-Cookie: b', 'Content-Length: 0'),
      {},
    ],
    ['that is cut short', head('Content-Length: 9') + 'ok', {}],
    ['that is cut short, as a stream', head('Content-Length: 9') + 'ok', { responseType: 'stream' }],
    ['of HEAD', head('Content-Length: 9'), { method: 'head' }],
    ['without a body', 'HTTP/1.1 204 None\r\n\r\n', {}],
    ['that is an error', 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy', {}],
    ['that is no HTTP', 'nonsense\r\n\r\n', {}],
    ['that is none, because the connection ends', '', {}],
    ['of the longest length', bodyOf('four'), { maxContentLength: 4 }],
    ['without a limit', bodyOf('four'), { maxContentLength: -1 }],
    ['that is too long', bodyOf('four'), { maxContentLength: 3 }],
    ['that is too long, as a stream', bodyOf('four'), { maxContentLength: 3, responseType: 'stream' }],
    ['that is empty where nothing may come', bodyOf(''), { maxContentLength: 0 }],
    ['with a byte order mark', bodyOf('\uFEFFtext'), {}],
    ['with a byte order mark as utf8', bodyOf('\uFEFFtext'), { responseEncoding: 'utf8' }],
    ['with a byte order mark as utf-8', bodyOf('\uFEFFtext'), { responseEncoding: 'utf-8' }],
    ['with a mark later', bodyOf('a\uFEFF'), {}],
    ['as hexadecimal text', bodyOf('az'), { responseEncoding: 'hex' }],
    ['in an encoding that Node does not have', bodyOf('az'), { responseEncoding: 'none' }],
    ['as bytes', bodyOf('\uFEFFZü'), { responseType: 'arraybuffer' }],
    ['as a stream', bodyOf('Zürich'), { responseType: 'stream' }],
    ['as JSON', bodyOf('{"a":1}'), {}],
    [
      'that is no JSON',
      bodyOf('{"a":'),
      { responseType: 'json', transitional: { silentJSONParsing: false } },
    ],
  ])('B17: is that of plain axios: %s', async (_, bytes, config) => {
    const [ours, plain] = await outcomesOf(bytes, config);
    expect(ours).toEqual(plain);
  });

  const gzip = zlib.gzipSync(TEXT);
  const deflate = zlib.deflateSync(TEXT);
  it.each<[string, string, Buffer, AxiosRequestConfig]>([
    ['gzip', 'gzip', gzip, {}],
    ['gzip as a stream', 'gzip', gzip, { responseType: 'stream' }],
    ['x-gzip', 'x-gzip', gzip, {}],
    ['GZip', 'GZip', gzip, {}],
    ['compress', 'compress', deflate, {}],
    ['x-compress', 'x-compress', deflate, {}],
    ['deflate', 'deflate', deflate, {}],
    ['deflate without its header', 'deflate', zlib.deflateRawSync(TEXT), {}],
    ['br', 'br', zlib.brotliCompressSync(TEXT), {}],
    ['gzip that was cut short', 'gzip', gzip.subarray(0, -2), {}],
    ['br that was cut short', 'br', zlib.brotliCompressSync(TEXT).subarray(0, -2), {}],
    ['an empty gzip', 'gzip', Buffer.alloc(0), {}],
    ['gzip that is none', 'gzip', Buffer.from('plain text'), {}],
    ['gzip that is none, as a stream', 'gzip', Buffer.from('plain text'), { responseType: 'stream' }],
    ['gzip that stays so', 'gzip', gzip, { decompress: false, responseType: 'arraybuffer' }],
    ['gzip of HEAD', 'gzip', Buffer.alloc(0), { method: 'head' }],
    ['identity', 'identity', Buffer.from(TEXT), {}],
    ['an own encoding', 'constructor', Buffer.from(TEXT), {}],
    ['a list of encodings', 'gzip, br', gzip, {}],
    ['gzip of an error', 'gzip', gzip, { validateStatus: () => false }],
  ])('B17: is decoded as by plain axios: %s', async (_, encoding, bytes, config) => {
    const length = `Content-Length: ${bytes.length}`;
    const [ours, plain] = await outcomesOf(
      Buffer.concat([Buffer.from(head(length, `Content-Encoding: ${encoding}`)), bytes]),
      config,
    );
    expect(ours).toEqual(plain);
  });

  it.each([
    ['101', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'],
    ['a reset', ''],
  ])('B13: is an error at once instead of %s', async (_, bytes) => {
    answersWith(bytes);
    expect(await errorOf(client.ours.get('/x', { timeout: 0 }))).toMatchObject({
      code: 'ECONNRESET',
      request: { method: 'GET', path: '/v1/x' },
    });
  });

  it('B12: that is no HTTP leaves no bytes of the server in the error', async () => {
    client.server.handler = ({ socket, headers }) => void socket.end(`echo ${headers.authorization}\r\n\r\n`);
    const error = await errorOf(client.ours.get('/x'));
    expect(error).toMatchObject({ code: expect.stringMatching(/^HPE_/) });
    expect(findCanaries(error, { token: 'canary-token-1' })).toEqual([]);
  });

  it('B12: shows a frozen snapshot as its request, and the token in nothing', async () => {
    client.server.handler = (_, response) => void response.end('ok');
    const response = await client.ours.get('/x', { params: { a: 1 } });
    const { request } = response as { request: { res: object } };
    expect(request).toEqual({
      method: 'GET',
      host: '127.0.0.1',
      path: '/v1/x?a=1',
      res: { responseUrl: `${client.server.url}/v1/x?a=1`, statusCode: 200 },
    });
    expect([Object.isFrozen(request), Object.isFrozen(request.res)]).toEqual([true, true]);
    expect(findCanaries(response, { token: 'canary-token-1' })).toEqual([]);
  });
});

describe('the connection of a request', () => {
  it('B16: is used again after an answer, also after one that its caller has read as a stream', async () => {
    const { ours, server } = client;
    server.handler = (_, response) => void response.end('ok');
    await ours.get('/x');
    const { connections } = server;
    const { data } = await ours.get('/x', { responseType: 'stream' });
    for await (const chunk of data) expect(String(chunk)).toBe('ok');
    await ours.post('/x', { a: 1 });
    expect(server.connections).toBe(connections);
  });

  it('B5: ends with its call, if the caller aborts before its answer or in its answer', async () => {
    const { ours, server } = client;
    const requests = requestsTo(server.url);
    const [early, late] = [new AbortController(), new AbortController()];
    server.handler = () => early.abort();
    expect(await errorOf(ours.get('/x', { signal: early.signal }))).toMatchObject({ code: 'ERR_CANCELED' });
    server.handler = (_, response) => void response.write('part');
    const { data } = await ours.get('/x', { signal: late.signal, responseType: 'stream' });
    late.abort();
    expect(await errorOf(data.toArray())).toMatchObject({ code: 'ERR_CANCELED' });
    await expect.poll(() => requests.filter(({ destroyed }) => destroyed).length).toBe(2);
  });

  it('is probed by the system, as with axios, so that a server that is gone is noticed', async () => {
    const { ours, server } = client;
    const probes: unknown[][] = [];
    class Watching extends Agent {
      override createConnection(options: RequestOptions): ReturnType<Agent['createConnection']> {
        const socket = super.createConnection(options) as Socket;
        socket.setKeepAlive = (...given) => (probes.push(given), socket);
        return socket;
      }
    }
    server.handler = (_, response) => void response.end('ok');
    await ours.get('/x', { httpsAgent: new Watching({ ca: server.ca }) });
    expect(probes).toEqual([[true, 60_000]]);
  });

  it('S6: with a header that cannot be sent is not opened', async () => {
    const { server } = client;
    server.seen = [];
    const error = await errorOf(client.ours.get('/x', { headers: { 'X Y': '1' } }));
    expect(error).toMatchObject({ code: 'ERR_INVALID_HTTP_TOKEN' });
    expect(server.seen).toEqual([]);
  });
});
