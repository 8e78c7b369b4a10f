import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

describe('an answer over node:https', () => {
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
