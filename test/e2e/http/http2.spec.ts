import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { FakeTokens, HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { pathsTo } from '../../support/secrets/reachable.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { WireServer } from '../../support/http/wire-server.js';

/** Members of a config that axios knows and its types do not. */
type Http2Config = AxiosRequestConfig & { httpVersion: 2; http2Options: { ca: string } };

async function overHttp2() {
  const server = await WireServer.start({ allowH2: true });
  const tokens = new FakeTokens(systemClock);
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: `${server.url}/v1` },
    http: { ...HTTP_DEFAULTS, timeoutMs: 5_000 },
    tokens,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const by: Partial<Http2Config> = { httpVersion: 2, http2Options: { ca: server.ca } };
  return { axios: client.axios, server, by };
}

describe("R26: over HTTP/2 by axios' adapter", () => {
  it('a 401 is followed by a request with another token, and no result leads to a token', async () => {
    const { axios, server, by } = await overHttp2();
    server.handler = (_, response) => {
      response.writeHead(server.seen.length === 1 ? 401 : 200);
      response.end('{}');
    };
    const response = await axios.get('/things', by);
    expect(server.seen.map(({ protocol, headers }) => [protocol, headers.authorization])).toEqual([
      ['2.0', 'Bearer canary-token-1'],
      ['2.0', 'Bearer canary-token-2'],
    ]);
    expect(pathsTo('canary-token', response)).toEqual([]);
    expect(response.request).toMatchObject({ method: 'GET', path: '/v1/things' });
  });

  it('neither an error nor a stream leads to the token', async () => {
    const { axios, server, by } = await overHttp2();
    server.handler = (_, response) => {
      response.writeHead(500);
      response.end('broken');
    };
    expect(pathsTo('canary-token', await errorOf(axios.get('/things', by)))).toEqual([]);
    server.handler = (_, response) => void response.end('streamed');
    const response = await axios.get<Readable>('/things', { ...by, responseType: 'stream' });
    expect(pathsTo('canary-token', response)).toEqual([]);
    expect(Buffer.concat((await response.data.toArray()) as Buffer[]).toString()).toBe('streamed');
  });

  it.each<[string, unknown]>([
    ['JSON', { amount: 1, text: 'ü' }],
    ['text', 'plain ü'],
    ['a form', new URLSearchParams({ a: '1 2', b: 'ü&' })],
    ['a Buffer', Buffer.alloc(70_000, 'x')],
    ['a typed array', new Uint8Array(70_000)],
  ])('B4: after a 401 %s is repeated byte for byte', async (_, data) => {
    const { axios, server, by } = await overHttp2();
    server.handler = (_, response) => {
      response.writeHead(server.seen.length === 1 ? 401 : 200);
      response.end('{}');
    };
    expect((await axios.post('/things', data, by)).status).toBe(200);
    const [first, second, ...rest] = server.seen;
    expect(rest).toEqual([]);
    expect(first?.body.length).toBeGreaterThan(0);
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(second).toMatchObject({ protocol: '2.0', method: 'POST', url: '/v1/things' });
  });

  it('B12: neither a reset nor a timeout leads to the token', async () => {
    const { axios, server, by } = await overHttp2();
    server.handler = (request) => request.socket.destroy();
    // axios does not notice that its HTTP/2 connection is lost. Only the timeout ends the call.
    const reset = await errorOf(axios.get('/things', { ...by, timeout: 1_000 }));
    server.handler = () => undefined;
    const late = await errorOf(axios.get('/things', { ...by, timeout: 1_000 }));
    expect(reset).toMatchObject({ code: 'ECONNABORTED' });
    expect(late).toMatchObject({ message: 'timeout of 1000ms exceeded' });
    expect(pathsTo('canary-token', [reset, late])).toEqual([]);
  });

  it('a redirect is the answer', async () => {
    const { axios, server, by } = await overHttp2();
    server.handler = (_, response) => {
      response.writeHead(302, { location: 'https://stranger.invalid/' });
      response.end();
    };
    const error = await errorOf(axios.get('/things', by));
    expect(error).toMatchObject({ response: { status: 302 } });
    expect(server.seen).toHaveLength(1);
    expect(pathsTo('canary-token', error)).toEqual([]);
  });
});
