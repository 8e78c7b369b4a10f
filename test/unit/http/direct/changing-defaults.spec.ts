import type { AxiosInstance } from 'axios';
import { describe, expect, it } from 'vitest';
import { createProviderHttpClient } from '../../../../lib/http/provider-http-client.js';
import { generalCallsOf } from '../../../support/http/call-paths.js';
import { BASE_URL, FakeTokens, HTTP_DEFAULTS, StubAdapter } from '../../../support/http/http-client.js';
import { FakeClock } from '../../../support/token/fake-clock.js';

interface Stubbed {
  readonly axios: AxiosInstance;
  readonly generalCalls: () => number;
  /** The header of the last request. */
  readonly sent: () => unknown;
}

function stubbedClient(): Stubbed {
  const clock = new FakeClock();
  const { adapter, seen } = new StubAdapter();
  const { axios } = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL },
    http: {
      ...HTTP_DEFAULTS,
      transport: { open: () => ({ adapter, actsAsHttp: true, close: () => Promise.resolve() }) },
    },
    tokens: new FakeTokens(clock),
    clock,
  });
  return { axios, generalCalls: () => generalCallsOf(axios), sent: () => seen.at(-1)?.headers['X-Call'] };
}

async function callsWithChanges({ axios, sent }: Stubbed, count: number, everyNth = 1): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    if (call % everyNth === 0) axios.defaults.headers.common['X-Call'] = `${call}`;
    await axios.get('/things');
    expect(sent()).toBe(axios.defaults.headers.common['X-Call']);
  }
}

describe('defaults that change', () => {
  it('B14 B17: calls take the general path, if a default changes before each of them', async () => {
    const client = stubbedClient();
    await callsWithChanges(client, 500);
    expect(client.generalCalls()).toBeGreaterThan(490);
  });

  it('B16: calls take the direct path again, if the defaults then stay the same', async () => {
    const client = stubbedClient();
    await callsWithChanges(client, 100);
    const before = client.generalCalls();
    await callsWithChanges(client, 2_500, 2_500);
    expect(client.generalCalls() - before).toBeLessThan(2_100);
  });

  it('B16: calls stay on the direct path, if the defaults change now and then', async () => {
    const client = stubbedClient();
    await callsWithChanges(client, 1_000, 40);
    expect(client.generalCalls()).toBe(0);
  });
});
