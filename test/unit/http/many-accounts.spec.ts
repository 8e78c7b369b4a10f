import { expect, it } from 'vitest';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { EasyHttpService } from '../../../lib/http/provider-http-services.js';
import { systemClock } from '../../../lib/time/clock.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { runs } from '../../support/run/runs.js';
import { HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { profileOf, TOKEN_SETTINGS, tokenOf } from '../../support/token/token-fixtures.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';

const NAMES = runs(2_000);
const MOST = 200;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const adapter = (config: object) =>
  Promise.resolve({ data: '', status: 200, statusText: 'OK', headers: {}, config: config as never });

const listeners = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

const accounts = (account: string) => ({ clientId: account, clientSecret: 'canary-secret' });

/** A client whose calls and token requests need no network. */
function givenClient() {
  const profile = profileOf();
  const token = { ...TOKEN_SETTINGS, maxAttempts: 1, maxAccounts: MOST };
  let asked = 0;
  const tokens = createTokenProvider(
    profile,
    { token, http: HTTP_DEFAULTS, accounts },
    systemClock,
    Math.random,
    () => ({ request: () => Promise.resolve(tokenOf(systemClock, `canary-${(asked += 1)}`)) }),
  );
  const client = createProviderHttpClient({ profile, http: HTTP_DEFAULTS, tokens, clock: systemClock });
  client.axios.defaults.adapter = adapter;
  return { tokens, easy: new EasyHttpService(client.axios, client.fetch), asked: () => asked };
}

it('B33: calls of names that are used once leave as many tokens as allowed, no timer and no listener', async () => {
  const { easy, tokens, asked } = givenClient();
  const call = async (from: number, to: number): Promise<void> => {
    for (let name = from; name < to; name += 1)
      await easy.for({ account: `merchant-${name}` }).axiosRef.get('/payments/1');
  };
  await call(0, 2 * MOST);
  const before = { heap: heapUsed(), timers: process.getActiveResourcesInfo().length, of: listeners() };
  await call(2 * MOST, NAMES);
  expect(asked()).toBe(NAMES);
  expect(tokens.status().accounts).toEqual({ tokens: MOST, failing: 0 });
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before.timers + 2);
  expect(listeners()).toBe(before.of);
  // A name that stays needs 3.4 KiB.
  expect((heapUsed() - before.heap) / (NAMES - 2 * MOST)).toBeLessThan(1_500);
}, 120_000);
