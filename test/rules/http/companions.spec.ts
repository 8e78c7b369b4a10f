import type { HttpService } from '@nestjs/axios';
import { setupCache } from 'axios-cache-interceptor';
import MockAdapter from 'axios-mock-adapter';
import axiosRetry from 'axios-retry';
import nock from 'nock';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { given, TRANSPORT } from '../../support/http/given.js';
import { agentsOf, requestsTo } from '../../support/http/requests-to.js';
import { pathsTo } from '../../support/secrets/walk.js';

it('C2: axios-retry tries again with a token each time, and once per failure', async () => {
  const { answer, provider } = await given()
    .simulator({}, ({ api }) => api.next(2).status(503))
    .app()
    .call(({ easy }) => {
      axiosRetry(easy.axiosRef, { retries: 3, retryDelay: () => 1 });
      return easy.get('/things');
    });
  expect(answer?.status).toBe(200);
  expect(provider.apiRequests).toHaveLength(3);
  expect(new Set(provider.apiRequests.map((request) => request.tokenFingerprint)).size).toBe(1);
  expect(provider.apiRequests[2]?.claims).toBeDefined();
});

// undici takes no agent.
it.each(TRANSPORT === 'undici' ? [] : (['request', 'defaults'] as const))(
  'C2: axios-retry tries again over the agent of the %s, which holds no request',
  async (place) => {
    const { easy, provider } = await given().app().start();
    const httpsAgent = provider.agent();
    axiosRetry(easy.axiosRef, { retries: 2, retryDelay: () => 1 });
    if (place === 'defaults') easy.axiosRef.defaults.httpsAgent = httpsAgent;
    provider.api.next(2).status(503);
    const requests = requestsTo(provider.origin);
    const { status } = await firstValueFrom(easy.get('/things', place === 'request' ? { httpsAgent } : {}));
    expect(status).toBe(200);
    // All three requests use one agent, which the application does not hold.
    const used = new Set(agentsOf(requests).slice(-3));
    expect(used.size).toBe(1);
    expect([...used][0]).not.toBe(httpsAgent);
    expect([...used][0]).not.toBe(provider.httpsAgent);
  },
);

/** The package knows the CommonJS types of axios only. */
function mocking(service: HttpService): MockAdapter {
  return new MockAdapter(service.axiosRef as never);
}

it('C2: axios-mock-adapter answers instead of the API, and gets the token as the API would', async () => {
  const { easy, provider } = await given().app().start();
  const mock = mocking(easy);
  mock.onPost('/things', { a: 1 }).replyOnce(401).onPost('/things').reply(201, { made: true });
  const answer = await firstValueFrom(easy.post('/things', { a: 1 }));
  const tokens = provider.tokenRequests.map(({ token }) => token ?? '');
  expect(answer.data).toEqual({ made: true });
  expect(mock.history['post']?.map(({ headers }) => headers?.['Authorization'] as unknown)).toEqual(
    tokens.map((token) => `Bearer ${token}`),
  );
  expect(tokens.flatMap((token) => pathsTo(token, answer))).toEqual([]);
  expect(provider.apiRequests).toEqual([]);
});

it("C2: axios-mock-adapter names the caller's timeout if it simulates a timeout", async () => {
  const { error } = await given()
    .app()
    .call(({ easy }) => {
      mocking(easy).onGet('/things').timeout();
      return easy.get('/things', { timeout: 1234 });
    });
  expect(error).toMatchObject({ message: 'timeout of 1234ms exceeded', config: { url: '/things' } });
});

it('C2: axios-cache-interceptor answers a second time without a request', async () => {
  const { easy, provider } = await given().app().start();
  provider.api.body({ id: 1 }, { headers: { 'cache-control': 'max-age=60' } });
  setupCache(easy.axiosRef);
  const first = await firstValueFrom(easy.get('/things'));
  const second = await firstValueFrom(easy.get('/things'));
  expect([first.data, second.data]).toEqual([{ id: 1 }, { id: 1 }]);
  expect(provider.apiRequests).toHaveLength(1);
  expect(pathsTo(provider.tokenRequests[0]?.token ?? '', [first, second, easy.axiosRef])).toEqual([]);
});

it('C2: nock answers instead of the API and gets the token', async () => {
  onTestFinished(() => nock.restore());
  // Another spec of this process may have switched nock off.
  if (!nock.isActive()) nock.activate();
  const { easy, provider, tokens } = await given().app().start();
  const token = await tokens.getToken();
  const base = new URL(provider.baseUrl('easy', 'sandbox'));
  nock(base.origin)
    .get(`${base.pathname}/things`)
    .matchHeader('authorization', `Bearer ${token.reveal()}`)
    .reply(200, { nocked: true });
  // nock replaces node:http, so it answers requests of axios' own adapter.
  const byAxios = TRANSPORT === 'axios' ? {} : { adapter: 'http' as const };
  const { data } = await firstValueFrom(easy.get<object>('/things', byAxios));
  expect(data).toEqual({ nocked: true });
});

it('C2: an adapter of the user leads to the error of axios if it does not exist', async () => {
  const { error } = await given()
    .app()
    .call(({ easy }) => easy.get('/things', { adapter: 'none' as never }));
  expect(error).toMatchObject({ message: "Unknown adapter 'none'" });
});
