import axios from 'axios';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generalCallsOf } from '../support/http/general-calls.js';
import { given } from '../support/http/given.js';

/** The short way is off with an axios that it was not compared with, as if its file were missing. */
describe('B17: without the short way', () => {
  const { VERSION } = axios as typeof axios & { VERSION: string };
  beforeEach(() => void Reflect.set(axios, 'VERSION', '99.0.0'));
  afterEach(() => void Reflect.set(axios, 'VERSION', VERSION));

  it('each call is made by axios, and carries the token', async () => {
    const { easy, provider } = await given().app().start();
    await firstValueFrom(easy.get('/payments', { params: { full: true } }));
    await easy.axiosRef.post('/payments', { amount: 1 });
    expect(generalCallsOf(easy.axiosRef)).toBe(2);
    expect(provider.apiRequests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /payments?full=true',
      'POST /payments',
    ]);
    for (const { headers } of provider.apiRequests)
      expect(headers.authorization).toBe(`Bearer ${provider.tokenRequests[0]?.token}`);
  });

  it('a refused token is renewed once, and the request is sent again with its body', async () => {
    const { answer, provider } = await given()
      .simulator({}, ({ api }) => api.next().unauthorized())
      .app()
      .call(({ easy }) => easy.post('/payments', { amount: 7 }));
    expect(answer).toMatchObject({ status: 200 });
    expect(provider.tokenRequests).toHaveLength(2);
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual(['{"amount":7}', '{"amount":7}']);
  });

  it('a request outside the base URL is refused, and shows no token', async () => {
    const { error, provider } = await given()
      .app()
      .call(({ easy }) => easy.get('https://elsewhere.example/'));
    expect(error).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(provider.apiRequests).toHaveLength(0);
  });

  it('interceptors, adapters of the caller and errors are as with it', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.next().status(404))
      .app()
      .start();
    const { axiosRef } = easy;
    axiosRef.interceptors.request.use((config) => config.headers.set('X-Own', 'yes') && config);
    await expect(axiosRef.get('/missing')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST', status: 404 });
    expect(provider.apiRequests[0]?.headers).toMatchObject({ 'x-own': 'yes' });
    const stubbed = await axiosRef.get('/stub', {
      adapter: (config) =>
        Promise.resolve({
          data: config.headers.get('Authorization'),
          status: 200,
          statusText: '',
          headers: {},
          config,
        }),
    });
    expect(stubbed.data).toBe(`Bearer ${provider.tokenRequests[0]?.token}`);
  });
});
