import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

describe('the token of a request', () => {
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
