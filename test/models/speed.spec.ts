import { type AxiosAdapter, type AxiosInstance, create } from 'axios';
import { expect, it } from 'vitest';
import { createProviderHttpClient } from '../../lib/http/provider-http-client.js';
import { BASE_URL, FakeTokens, HTTP_DEFAULTS } from '../support/http/http-client.js';
import { FakeClock } from '../support/token/fake-clock.js';

const CALLS = 200;
const ROUNDS = 31;
/** On a busy machine, other processes may disturb one measurement. */
const MEASUREMENTS = 5;
/** A call of the module through this adapter takes at most so many times as long as a call of plain axios. */
const FACTOR = 1.5;

const adapter: AxiosAdapter = (config) =>
  Promise.resolve({ data: '{"ok":true}', status: 200, statusText: 'OK', headers: {}, config, request: {} });

it(
  'B14: a call through a mock adapter takes little longer than one of plain axios',
  { timeout: 300_000 },
  async () => {
    const clock = new FakeClock();
    const own = createProviderHttpClient({
      profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL },
      http: { ...HTTP_DEFAULTS, timeoutMs: 0 },
      tokens: new FakeTokens(clock),
      clock,
    }).axios;
    own.defaults.adapter = adapter;
    const plain = create({ baseURL: BASE_URL, adapter, headers: { Authorization: 'Bearer own' } });
    let best = Infinity;
    for (let round = 0; round < MEASUREMENTS && best > FACTOR; round += 1)
      best = Math.min(best, await ratioOf(own, plain));
    expect(best).toBeLessThanOrEqual(FACTOR);
  },
);

/** The median of rounds in turns. */
async function ratioOf(own: AxiosInstance, plain: AxiosInstance): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ofPlain = await timeOf(plain);
    ratios.push((await timeOf(own)) / ofPlain);
  }
  return ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Infinity;
}

async function timeOf(instance: AxiosInstance): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < CALLS; call += 1) await instance.get('/payments');
  return performance.now() - start;
}
