import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { FakeTokens } from '../../support/http-client.js';
import { pathsTo } from '../../support/reachable.js';
import { errorOf } from '../../support/token-fixtures.js';
import { WireServer } from '../../support/wire-server.js';

/** Members of a config that axios knows and its types do not. */
type Http2Config = AxiosRequestConfig & { httpVersion: 2; http2Options: { ca: string } };

async function overHttp2() {
  const server = await WireServer.start({ allowH2: true });
  const tokens = new FakeTokens(systemClock);
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: `${server.url}/v1` },
    http: {
      timeoutMs: 5_000,
      retryUnauthorized: true,
      maxRedirects: 0,
      httpsAgent: undefined,
      proxy: undefined,
      headers: undefined,
      transport: undefined,
    },
    tokens,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const by: Http2Config = { httpVersion: 2, http2Options: { ca: server.ca } };
  return { axios: client.axios, server, by };
}

describe('R26: over HTTP/2', () => {
  it('a 401 is answered with another token, and neither leads anywhere', async () => {
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
});
