import { GraphQLClient } from 'graphql-request';
import ky from 'ky';
import { createFetch } from 'ofetch';
import { describe, expect, it } from 'vitest';
import type { ProviderFetch } from '../../../lib/index.js';
import { given, type RunningApp } from '../../support/http/given.js';

/** Clients of npm that take a `fetch`, as an application would set them up. */
interface Client {
  get(path: string): Promise<unknown>;
  post(path: string, body: object, signal?: AbortSignal): Promise<unknown>;
}

const CLIENTS: Record<string, (fetch: ProviderFetch) => Client> = {
  // ky makes a `Request`. ky 2 needs Node 22, so this is the newest ky 1.
  ky(fetch) {
    const api = ky.create({ fetch, prefixUrl: fetch.baseUrl, retry: 0 });
    return {
      get: (path) => api.get(path).json(),
      post: (path, json, signal) => api.post(path, { json, ...(signal && { signal }) }).json(),
    };
  },
  // ofetch passes a text and an init.
  ofetch(fetch) {
    const api = createFetch({ fetch, Headers }).create({ baseURL: fetch.baseUrl, retry: 0 });
    return {
      get: (path) => api(path),
      post: (path, body, signal) => api(path, { method: 'POST', body, ...(signal && { signal }) }),
    };
  },
};

const start = async (script: (provider: RunningApp['provider']) => void = () => {}) =>
  given().simulator({}, script).app().start();

describe.each(Object.entries(CLIENTS))('%s on our fetch', (_, create) => {
  it('B21: gets and posts, also after a revoked token', async () => {
    const { easy, provider } = await start();
    const client = create(easy.fetch);
    expect(await client.get('payments/1')).toMatchObject({ path: expect.stringContaining('payments/1') });
    provider.token.revokeAll();
    await client.post('payments', { amount: 1 });
    const sent = provider.apiRequests.map(({ method, status, body }) => [method, status, body.toString()]);
    expect(sent).toEqual([
      ['GET', 200, ''],
      ['POST', 401, '{"amount":1}'],
      ['POST', 200, '{"amount":1}'],
    ]);
    expect(provider.tokenRequests).toHaveLength(2);
  });
});

it('B21: graphql-request on our fetch sends a query, also after a revoked token', async () => {
  const { easy, provider } = await start(({ api }) =>
    api.body({ data: { payment: { id: '1' } } }, { headers: { 'content-type': 'application/json' } }),
  );
  const client = new GraphQLClient(`${easy.baseUrl}/graphql`, { fetch: easy.fetch });
  const query = 'query ($id: ID!) { payment(id: $id) { id } }';
  expect(await client.request(query, { id: '1' })).toEqual({ payment: { id: '1' } });
  provider.token.revokeAll();
  expect(await client.request(query, { id: '1' })).toEqual({ payment: { id: '1' } });
  const [, refused, again] = provider.apiRequests;
  expect(refused?.status).toBe(401);
  expect(again?.body.equals(refused?.body ?? Buffer.alloc(0))).toBe(true);
  expect(provider.tokenRequests).toHaveLength(2);
});
