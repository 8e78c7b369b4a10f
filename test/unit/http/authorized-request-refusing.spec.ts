import { describe, expect, it } from 'vitest';
import { steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

describe('a refused request', () => {
  it.each([
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x' }],
    ['OUTSIDE_BASE_URL', { url: '../admin' }],
    ['OUTSIDE_BASE_URL', { url: '/x', socketPath: '/tmp/socket' }],
    ['OUTSIDE_BASE_URL', { url: '/x', headers: { Host: 'evil.example' } }],
    ['OUTSIDE_BASE_URL', { url: 'https://evil.example/x', headers: { Authorization: 'Bearer own' } }],
    ['INSECURE_URL', { url: 'http://api.example.com/v1/x' }],
  ])('S6: ends with %s: %j', async (code, request) => {
    const { axios, stub } = steeredClient();
    expect(await errorOf(axios.request(request))).toMatchObject({ name: 'RequestRefusedError', code });
    expect(stub.seen).toEqual([]);
  });

  it('S6: is sent if its Host header names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: is refused if an interceptor of the user leads the address elsewhere', async () => {
    const { axios } = steeredClient();
    axios.interceptors.request.use((config) => Object.assign(config, { baseURL: 'https://evil.example' }));
    expect(await errorOf(axios.get('/x'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });
});
