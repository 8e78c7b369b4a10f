import { Readable } from 'node:stream';
import type { InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { BASE_URL, steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

describe('the token of a request', () => {
  it('C3: puts the token on the wire and into nothing that the caller sees', async () => {
    const { axios, stub } = steeredClient();
    const response = await axios.get('/payments');
    expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    expect(response.config.headers.has('authorization')).toBe(false);
    expect(stub.seen[0]).not.toBe(response.config);
  });

  it('C3: runs after all interceptors of the user, who never see the token', async () => {
    const { axios, stub } = steeredClient();
    const seen: unknown[] = [];
    axios.interceptors.request.use((config) => {
      seen.push(config.headers.toJSON());
      return { ...config, url: '/changed' } as typeof config;
    });
    axios.interceptors.response.use((response) => {
      seen.push(response.config.headers.toJSON());
      return response;
    });
    const response = await axios.get('/payments');
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(stub.seen[0]?.url).toBe('/changed');
    expect(response.config.url).toBe('/changed');
  });

  it('C2: leaves the adapter in the config, so that the config can be sent again', async () => {
    const { axios, stub } = steeredClient();
    const adapter = (config: InternalAxiosRequestConfig) => stub.adapter(config);
    expect((await axios.get('/payments')).config.adapter).toBe(axios.defaults.adapter);
    expect((await axios.get('/payments', { adapter })).config.adapter).toBe(adapter);
    expect((await axios.request((await axios.get('/payments', { adapter })).config)).status).toBe(200);
    expect(new Set(stub.authorizations)).toEqual(new Set(['Bearer canary-token-1']));
  });

  it('S7: waits for a token that is not in memory', async () => {
    const { axios, stub, tokens } = steeredClient();
    tokens.inMemory = undefined;
    await axios.get('/payments');
    expect(stub.authorizations).toEqual(['Bearer canary-token-2']);
  });

  it.each([
    ['an Authorization header', { headers: { Authorization: 'Bearer own' } }],
    ['a header in lower case', { headers: { authorization: 'Basic own' } }],
    ['auth', { auth: { username: 'me', password: 'mine' } }],
    ['userinfo', { url: 'https://me:mine@api.example.com/v1/payments' }],
  ])("R25: leaves a caller's own credentials alone: %s", async (_, own) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    const { status } = await axios.request({ url: '/payments', ...own, ...everyStatus });
    expect(status).toBe(401);
    expect(stub.seen).toHaveLength(1);
    expect(JSON.stringify(stub.authorizations)).not.toContain('canary');
    expect(tokens.renewals).toEqual([]);
    expect(tokens.accepts).toEqual([]);
  });

  it.each([[false], [null], [undefined]])(
    'S7: an Authorization header of %s is no credential, so the token is sent',
    async (value) => {
      const { axios, stub } = steeredClient();
      await axios.get('/payments', { headers: { Authorization: value as never } });
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    },
  );
});

it('S6: an adapter gets the address as the caller wrote it', async () => {
  const { axios, stub } = steeredClient();
  await axios.get('/payments', { params: { page: 2 } });
  expect(stub.seen[0]).toMatchObject({ baseURL: BASE_URL, url: '/payments', params: { page: 2 } });
});

describe('a refused request', () => {
  it('S6: is sent if its Host header names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: is refused if the serializer of its params leads it elsewhere', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      config.paramsSerializer = { serialize: () => (config.headers.set('Host', 'evil.example'), 'a=1') };
      return config;
    });
    const error = await errorOf(axios.get('/x', { params: { a: 1 } }));
    expect([error, stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });

  it('S6: is refused if its form leads it elsewhere while its length is awaited', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      const getHeaders = (): object => (config.headers.set('Host', 'evil.example'), {});
      return Object.assign(config, { data: Object.assign(Readable.from(['x']), { getHeaders }) });
    });
    expect([await errorOf(axios.post('/x')), stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });
});
