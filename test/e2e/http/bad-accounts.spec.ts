import { expect, it } from 'vitest';
import type { AccountCredentials } from '../../../lib/index.js';
import { given, type RunningApp } from '../../support/http/given.js';

const GOOD = Array.from({ length: 10 }, (_, index) => `good ${index}`);
const BAD = ['hangs', 'wrong', 'refused'];
const ROUNDS = 60;

/** An account whose loader hangs, one whose credentials are wrong, and one whose API answers 401. */
async function start(): Promise<RunningApp> {
  return given()
    .simulator({}, (provider) => {
      for (const name of [...GOOD, ...BAD]) provider.addAccount(name);
      provider.api.path('/refused').unauthorized();
    })
    .app((provider) =>
      provider.options({
        token: { timeoutMs: 3_000 },
        accounts: (account) => {
          if (account === 'hangs') return new Promise<AccountCredentials>(() => {});
          const credentials = provider.credentials('easy', 'sandbox', account);
          return account === 'wrong' ? { ...credentials, clientSecret: 'another' } : credentials;
        },
      }),
    )
    .start();
}

/** Milliseconds of each call of the good accounts, in rounds, while further callers call for other accounts. */
async function timesOf({ easy }: RunningApp, others: readonly string[]): Promise<number[]> {
  const over = new AbortController();
  const callers = others.flatMap((account) =>
    Array.from({ length: 3 }, async () => {
      while (!over.signal.aborted) {
        await easy
          .for({ account })
          .fetch(`/${account}`, { signal: over.signal })
          .catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }),
  );
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all(
      GOOD.map(async (account) => {
        const started = performance.now();
        await easy.for({ account }).axiosRef.get('/good');
        times.push(performance.now() - started);
      }),
    );
  over.abort();
  await Promise.all(callers);
  return times.toSorted((one, other) => one - other);
}

const at = (times: readonly number[], part: number): number => times[Math.floor(times.length * part)] ?? NaN;

it(
  'B33: accounts that hang, are refused or get only 401 delay no call of the others',
  { timeout: 60_000 },
  async () => {
    const app = await start();
    await timesOf(app, []);
    // With as many further callers, so that both runs use the processor alike. What else runs on the machine may delay one
    // comparison, and bad accounts would delay each.
    await expect
      .poll(async () => {
        const without = await timesOf(app, GOOD.slice(0, BAD.length));
        const withBad = await timesOf(app, BAD);
        return {
          half: at(withBad, 0.5) < 3 * at(without, 0.5) + 50,
          most: at(withBad, 0.99) < 3 * at(without, 0.99) + 100,
        };
      })
      .toEqual({ half: true, most: true });
    const pair = () => app.status.status().find(({ active, interface: name }) => active && name === 'easy');
    // The account that hangs fails at the end of its time.
    await expect.poll(pair).toMatchObject({ accounts: { tokens: GOOD.length + BAD.length, failing: 2 } });
    expect(pair()?.apiError).toBeUndefined();
  },
);
