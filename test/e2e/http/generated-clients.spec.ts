import { describe, expect, it } from 'vitest';
import { GENERATED_CLIENTS } from '../../support/http/generated-clients.js';
import { given } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

describe.each(Object.entries(GENERATED_CLIENTS))('%s', (_, create) => {
  it('B21: a POST with a revoked token is sent again with a new one, and another server is refused', async () => {
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
});
