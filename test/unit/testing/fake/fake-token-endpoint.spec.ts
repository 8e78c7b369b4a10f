import { expect, it } from 'vitest';
import { FakeTokenEndpoint } from '../../../../lib/testing/fake/fake-token-endpoint.js';

const EASY = { provider: 'provider', interface: 'easy', environment: 'sandbox' };

it.each([
  [EASY, 'fake-easy-sandbox-1'],
  [{ ...EASY, provider: 'warehouse' }, 'fake-warehouse-easy-sandbox-1'],
  [{ ...EASY, account: 'merchant-42' }, 'fake-easy-sandbox-merchant-42-1'],
  [{ ...EASY, account: 'a b/c.d~e+f_g%h' }, 'fake-easy-sandbox-a-b/c.d~e+f_g-h-1'],
])('C1: the fake token of %j is %s', async (pair, text) => {
  expect((await new FakeTokenEndpoint(pair).request()).reveal()).toBe(text);
});

it('C1: each request gives the next token, which lives for an hour', async () => {
  const endpoint = new FakeTokenEndpoint(EASY);
  const tokens = [await endpoint.request(), await endpoint.request(), await endpoint.request()];
  expect(tokens.map((token) => token.reveal())).toEqual([
    'fake-easy-sandbox-1',
    'fake-easy-sandbox-2',
    'fake-easy-sandbox-3',
  ]);
  expect(tokens[0]?.lifetimeMs).toBe(3_600_000);
  expect(Math.abs(tokens[0]!.expiresAt.getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000);
});
