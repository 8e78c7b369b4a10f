import { Readable } from 'node:stream';
import { AxiosError, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { BASE_URL, steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const pair = { interface: 'easy', environment: 'sandbox' };
const silent = { warn: () => undefined, log: () => undefined };

/** A client whose first request fails. Its certificates have changed since, or have not. */
function givenClient({ haveChanged = true, ...failure }: Given = {}) {
  let readings = 0;
  const read = (): Promise<ClientTls | undefined> => {
    readings += 1;
    return Promise.resolve(haveChanged ? new ClientTls({}) : undefined);
  };
  const tls = new ClientTls({}, { pair, cert: 'tls.cert', read }, undefined, silent);
  const client = steeredClient({}, 'direct', undefined, { tls });
  const { stub } = client;
  stub.statuses = [0, 200];
  stub.respond = (config, status) => {
    if (status === 200) return { data: 'as sent', status, statusText: '', headers: {}, config };
    if (failure.isRedirected) followRedirect(config);
    const data = { data: '', status: 503, statusText: '', headers: {}, config };
    throw new AxiosError('refused', 'CERT_HAS_EXPIRED', config, {}, failure.hasAnswer ? data : undefined);
  };
  return { ...client, readings: () => readings };
}

interface Given {
  readonly haveChanged?: boolean;
  readonly isRedirected?: boolean;
  readonly hasAnswer?: boolean;
}

function followRedirect({ beforeRedirect, headers }: InternalAxiosRequestConfig): void {
  const hop = { protocol: 'https:', hostname: 'api.example.com', path: '/v1/other', headers: {} };
  beforeRedirect?.({ ...hop, href: `${BASE_URL}/other` }, { headers: {}, statusCode: 307 }, {
    headers,
  } as never);
}

describe('B34: a request whose handshake was refused for a certificate', () => {
  it.each([
    ['directly', {}, 2],
    ['by an adapter', { maxRedirects: 3 }, 0],
    ['with proxy: false where there is no proxy', { proxy: false as const, maxRedirects: 3 }, 0],
  ])('B34: is sent once more, %s, because the certificates have changed', async (_, config, direct) => {
    givenEnvironment();
    const { axios, stub, tokens, readings } = givenClient();
    expect((await axios.post('/payments', { a: 1 }, config)).data).toBe('as sent');
    expect(stub.authorizations).toEqual(['Bearer canary-token-1', 'Bearer canary-token-1']);
    expect(stub.seen.map(({ data }) => data)).toEqual(['{"a":1}', '{"a":1}']);
    expect([stub.direct, tokens.accepts.length, readings()]).toEqual([direct, 1, 1]);
  });

  it.each<[string, Given, object, number]>([
    ['the certificates are the same', { haveChanged: false }, {}, 1],
    ['the caller has chosen the connection', {}, { proxy: { host: 'proxy.example', port: 3128 } }, 0],
    ['its body can be read only once', {}, { data: Readable.from(['x']) }, 1],
    ['the server has answered it with a redirect', { isRedirected: true }, { maxRedirects: 3 }, 1],
    ['the API has answered it', { hasAnswer: true }, {}, 0],
  ])('B34: is not sent again if %s', async (_, given, config, read) => {
    const { axios, stub, readings } = givenClient(given);
    const error = await errorOf(axios.request({ url: '/payments', method: 'post', ...config }));
    expect(error).toMatchObject({ code: 'CERT_HAS_EXPIRED', message: 'refused' });
    expect([stub.seen.length, readings()]).toEqual([1, read]);
  });

  it('B34 S8: is sent once more with another token, because the first one was for the old certificate', async () => {
    const { axios, stub, tokens } = givenClient();
    const respond = stub.respond.bind(stub);
    stub.respond = (config, status) => {
      tokens.inMemory = undefined;
      return respond(config, status);
    };
    expect((await axios.get('/payments')).status).toBe(200);
    expect(stub.authorizations).toEqual(['Bearer canary-token-1', 'Bearer canary-token-2']);
  });

  it('B34: an adapter without an answer or an error reads no certificates again', async () => {
    const { axios, stub, readings } = givenClient();
    stub.respond = () => undefined as never;
    const { message } = (await errorOf(axios.get('/payments', { maxRedirects: 3 }))) as Error;
    expect(message).toBe('The adapter of this request gave no answer.');
    expect(readings()).toBe(0);
  });
});

describe('a request that was answered', () => {
  it('B34: reads no certificates again', async () => {
    const { axios, stub, readings } = givenClient();
    stub.statuses = [200];
    expect((await axios.get('/payments')).data).toBe('as sent');
    expect([stub.seen.length, readings()]).toEqual([1, 0]);
  });
});
