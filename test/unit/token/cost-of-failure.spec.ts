import { setTimeout as passed } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AxiosError, create } from 'axios';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../../lib/module/client.js';
import { HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, profileOf, TOKEN_SETTINGS } from '../../support/token/token-fixtures.js';

const CALLERS = 600;
const ANSWER_MS = 20;

/** A client whose token endpoint refuses each request after a while. */
function refusedClient() {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  onTestFinished(() => error.mockRestore());
  let requests = 0;
  const request = async (): Promise<never> => {
    requests += 1;
    await passed(ANSWER_MS);
    throw failureOf('TOKEN_REJECTED');
  };
  const token = { ...TOKEN_SETTINGS, maxAttempts: 1 };
  const profile = profileOf();
  const { http, tokens } = connect(
    profile,
    { profiles: [profile], token, http: HTTP_DEFAULTS },
    // No cool-down ends, however slow the machine is.
    new FakeClock(),
    {
      endpointOf: () => ({ request }),
      isMock: () => true,
    },
  );
  return { axios: http.axiosRef, fetch: http.fetch, tokens, requests: () => requests };
}

/** axios itself, with an adapter that refuses each call after the same while. This costs less than any real request. */
function refusedAxios() {
  return create({
    adapter: async (config) => {
      await passed(ANSWER_MS);
      const response = { status: 401, statusText: '', headers: {}, data: '', config };
      throw new AxiosError(
        'Request failed with status code 401',
        'ERR_BAD_REQUEST',
        config,
        undefined,
        response,
      );
    },
  });
}

/** The errors of this many callers at once, and the CPU time that they cost: time on a busy machine says little. */
async function errorsOf(call: () => Promise<unknown>) {
  const before = process.cpuUsage();
  const results = await Promise.allSettled(Array.from({ length: CALLERS }, call));
  const errors = results.map((result) =>
    result.status === 'rejected' ? (result.reason as Error) : undefined,
  );
  const stacks = errors.map((error) => error?.stack?.length ?? 0);
  const { user, system } = process.cpuUsage(before);
  return { errors, longestStack: Math.max(...stacks), cost: user + system };
}

it('B13: many callers of one refused token request cost less than as many errors of axios, and no stack grows', async () => {
  const refused = refusedAxios();
  let ratio = Infinity;
  // A busy machine may disturb a round.
  for (let round = 0; round < 3 && ratio >= 1; round += 1) {
    const { axios, requests } = refusedClient();
    const plain = await errorsOf(() => refused.get('https://127.0.0.1:9/payments'));
    const ours = await errorsOf(() => axios.get('/payments'));
    expect(requests()).toBe(1);
    expect(new Set(ours.errors).size).toBe(CALLERS);
    expect(ours.longestStack).toBeLessThan(2 * plain.longestStack + 1_000);
    ratio = ours.cost / plain.cost;
  }
  // It was about 0.5. With one error for all callers, it grew with the number of callers.
  expect(ratio).toBeLessThan(1);
});

it('B13: no stack grows with the calls in a cool-down', async () => {
  const { axios, requests } = refusedClient();
  // axios adds a stack that differs from the last one.
  const places = [
    async () => [await axios.get('/a')],
    async () => Promise.all([axios.get('/b'), passed(0)]),
    async () => ({ answer: await axios.get('/c') }),
  ];
  const lengths = new Set<number>();
  for (let call = 0; call < 200; call += 1) {
    const error: unknown = await places[call % 3]?.().catch((one: unknown) => one);
    lengths.add(String((error as Error).stack).length);
  }
  expect(requests()).toBe(1);
  expect(lengths.size).toBeLessThanOrEqual(3);
});

it('B13: a caller that tries again and again in a cool-down does not stop the process', async () => {
  const { tokens, requests } = refusedClient();
  await tokens.getToken().catch(() => undefined);
  // From here on, no call waits for an answer.
  const timer = AbortSignal.timeout(ANSWER_MS);
  let calls = 0;
  for (; !timer.aborted && calls < 1_000_000; calls += 1) await tokens.getToken().catch(() => undefined);
  expect(requests()).toBe(1);
  expect(timer.aborted).toBe(true);
  expect(calls).toBeGreaterThan(0);
});
