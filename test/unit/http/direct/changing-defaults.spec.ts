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

describe('defaults that change', () => {
  it('B16 B17: count from the next call on, which stays on the direct path', async () => {
    const { axios, generalCalls, sent } = stubbedClient();
    for (let call = 0; call < 100; call += 1) {
      axios.defaults.headers.common['X-Call'] = `${call}`;
      await axios.get('/things');
      expect(sent()).toBe(`${call}`);
    }
    expect(generalCalls()).toBe(0);
  });

  it.each<[string, (defaults: AxiosInstance['defaults']) => void]>([
    [
      'a transitional option that axios refuses',
      (defaults) => Object.assign(defaults.transitional ?? {}, { no: 1 }),
    ],
    [
      'headers of what is no method',
      ({ headers }) => Object.assign(headers, { tenant: { 'X-Tenant': '1' } }),
    ],
  ])('B17: leave calls to axios, with %s', async (_, change) => {
    const { axios, generalCalls } = stubbedClient();
    change(axios.defaults);
    await axios.get('/things').catch(() => undefined);
    expect(generalCalls()).toBe(1);
  });
});
