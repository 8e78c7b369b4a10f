import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { requestsTo } from '../../support/http/requests-to.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

/** The server writes these bytes instead of an answer, and closes the connection. */
function answersWith(bytes: string): void {
  client.server.handler = ({ socket }) => void socket.end(bytes);
}

describe('an answer over node:https', () => {
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

  it('B5: is free, but its caller reads nothing of a whole stream after an abort', async () => {
    const { ours, server } = client;
    const abort = new AbortController();
    server.handler = (_, response) => void response.end('ok');
    const { data } = await ours.get('/x', { signal: abort.signal, responseType: 'stream' });
    // After that, all of the stream is there.
    await ours.get('/x');
    abort.abort();
    expect(await errorOf(data.toArray())).toMatchObject({ code: 'ERR_CANCELED' });
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
