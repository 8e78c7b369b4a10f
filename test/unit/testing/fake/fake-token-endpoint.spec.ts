import { expect, it, onTestFinished, vi } from 'vitest';
import { FakeTokenEndpoint } from '../../../../lib/testing/fake/fake-token-endpoint.js';
import { EASY } from '../../../support/application/exchange-context.js';
import { NOW } from '../../../support/token/fake-clock.js';

const PAIR = { provider: 'provider', ...EASY };

it.each([
  [PAIR, 'fake-easy-sandbox-1'],
  [{ ...PAIR, provider: 'warehouse' }, 'fake-warehouse-easy-sandbox-1'],
  [{ ...PAIR, account: 'merchant-42' }, 'fake-easy-sandbox-merchant-42-1'],
  [{ ...PAIR, account: 'a b/c.d~e+f_g%h' }, 'fake-easy-sandbox-a-b/c.d~e+f_g-h-1'],
])('C1: the fake token of %j is %s', async (pair, text) => {
  expect((await new FakeTokenEndpoint(pair, new Map()).request()).reveal()).toBe(text);
});

it('C1: each request gives the next token, which lives for an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const endpoint = new FakeTokenEndpoint(PAIR, new Map());
  const tokens = [await endpoint.request(), await endpoint.request(), await endpoint.request()];
  expect(tokens.map((token) => token.reveal())).toEqual([
    'fake-easy-sandbox-1',
    'fake-easy-sandbox-2',
    'fake-easy-sandbox-3',
  ]);
  expect(tokens[0]?.lifetimeMs).toBe(3_600_000);
  expect(tokens[0]?.expiresAt).toEqual(new Date(NOW + 3_600_000));
});

it('C1: the tokens of a pair and of its other scopes are counted together, so that no two are equal', async () => {
  const issued = new Map<string, number>();
  const [ofPair, ofScope] = [new FakeTokenEndpoint(PAIR, issued), new FakeTokenEndpoint(PAIR, issued)];
  expect((await ofPair.request()).reveal()).toBe('fake-easy-sandbox-1');
  expect((await ofScope.request()).reveal()).toBe('fake-easy-sandbox-2');
  const ofAccount = new FakeTokenEndpoint({ ...PAIR, account: 'merchant-42' }, issued);
  expect((await ofAccount.request()).reveal()).toBe('fake-easy-sandbox-merchant-42-1');
});
