import createOpenapiFetch from 'openapi-fetch';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EasyHttpService } from '../../../lib/index.js';
import type { paths } from '../../../sample/06-generated-clients/src/generated/openapi-fetch/schema.js';
import { getPayments } from '../../../sample/06-generated-clients/src/generated/orval-axios/payments.js';
import * as nestjs from '../../../sample/06-generated-clients/src/openapi-generator/typescript-nestjs.js';
import { given } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

interface GeneratedClient {
  get(id: string): Promise<unknown>;
  create(payment: { amount: number }): Promise<unknown>;
}

/** One client of each kind, as `docs/generated-clients.md` sets it up. A base or a token replaces what the page gives to it. */
const CLIENTS: Readonly<
  Record<string, (easy: EasyHttpService, settings?: { base?: string; token?: string }) => GeneratedClient>
> = {
  'on axios: orval'(easy, { base: baseURL, token } = {}) {
    const client = getPayments(easy.axiosRef);
    const config = {
      ...(baseURL && { baseURL }),
      ...(token && { headers: { Authorization: `Bearer ${token}` } }),
    };
    return {
      get: (id) => client.getPayment(id, config),
      create: (payment) => client.createPayment(payment, config),
    };
  },

  'on fetch: openapi-fetch'(easy, { base = easy.baseUrl, token } = {}) {
    const client = createOpenapiFetch<paths>({
      fetch: easy.fetch,
      baseUrl: base,
      ...(token && { headers: { Authorization: `Bearer ${token}` } }),
    });
    return {
      get: (id) => client.GET('/payments/{id}', { params: { path: { id } } }),
      create: (body) => client.POST('/payments', { body }),
    };
  },

  'on HttpService: openapi-generator'(easy, { base = easy.baseUrl, token } = {}) {
    const configuration = new nestjs.Configuration({ basePath: base, ...(token && { accessToken: token }) });
    const service = new nestjs.PaymentsService(easy, configuration);
    return {
      get: (id) => lastValueFrom(service.getPayment(id)),
      create: (payment) => lastValueFrom(service.createPayment(payment)),
    };
  },
};

describe.each(Object.entries(CLIENTS))('a generated client %s', (_, create) => {
  it('B21: sends a POST with a revoked token again with a new one, and another server is refused', async () => {
    const { easy, provider } = await given().app().start();
    const client = create(easy);
    await client.get('1');
    provider.token.revokeAll();
    expect(await client.create({ amount: 7 })).toMatchObject({ data: { method: 'POST', path: '/payments' } });
    const [, refused, repeated, ...others] = provider.apiRequests;
    expect([refused?.status, repeated?.status, ...others]).toEqual([401, 200]);
    for (const sent of [refused, repeated]) {
      expect(sent?.body.toString()).toBe('{"amount":7}');
      expect(sent?.headers['content-type']).toMatch(/^application\/json/);
    }
    expect(provider.tokenRequests).toHaveLength(2);

    const elsewhere = create(easy, { base: 'https://provider.example/v1' });
    expect(await errorOf(elsewhere.get('1'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(provider.apiRequests).toHaveLength(3);
  });

  it('B21: sends a token that the application sets as it is, and a 401 renews nothing', async () => {
    const { easy, provider } = await given().app().start();
    await create(easy, { token: 'my-token' })
      .get('1')
      .catch(() => {});
    expect(provider.apiRequests.map(({ status, headers }) => [status, headers.authorization])).toEqual([
      [401, 'Bearer my-token'],
    ]);
    expect(provider.tokenRequests).toEqual([]);
  });
});
