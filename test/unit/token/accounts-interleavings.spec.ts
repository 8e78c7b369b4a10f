import { Logger } from '@nestjs/common';
import { beforeAll, expect, it } from 'vitest';
import type { AccountLoader } from '../../../lib/config/options/provider-auth-options.js';
import { pause } from '../../../lib/time/clock.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { runs } from '../../support/run/runs.js';
import { withoutStacks } from '../../support/run/without-stacks.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { seededRandom } from '../../support/token/outage-trial.js';
import { failureOf, MINUTE, tokenOf, tokensOf } from '../../support/token/token-fixtures.js';

const SEEDS = runs(30);
const STEPS = 60;
const ACCOUNTS = 20;

/** Tokens that went to a caller of another account, in one random run: slow answers, failures, expiries and revocations. */
async function crossingsIn(seed: number, hasStore: boolean): Promise<string[]> {
  const random = seededRandom(seed);
  const clock = new FakeClock();
  const wait = (): Promise<void> => pause(clock, random() * 3_000);
  const accounts: AccountLoader<string, string> = async (account) => {
    await wait();
    if (random() < 0.1) throw new Error('The database is down.');
    return random() < 0.05 ? undefined : { clientId: account, clientSecret: `secret of ${account}` };
  };
  const request: TokenRequests['request'] = async (credential) => {
    await wait();
    if (random() < 0.15) throw failureOf(random() < 0.5 ? 'TOKEN_UNAVAILABLE' : 'TOKEN_REJECTED');
    const owner = credential.clientId?.reveal() ?? 'pair';
    return tokenOf(clock, `${owner}.${random()}`, random() * 2 * MINUTE);
  };
  const store = hasStore ? new MemoryTokenStore(() => clock.wall()) : undefined;
  const token = { maxAttempts: 2, maxAccounts: ACCOUNTS / 2 };
  const tokens = tokensOf(clock, request, { token, random, accounts, store });
  const crossings: string[] = [];
  let given = 0;
  const callers: Promise<unknown>[] = [];
  const call = async (account: string | undefined): Promise<void> => {
    const provider = account === undefined ? tokens : tokens.for({ account });
    let token = await provider.getToken();
    given += 1;
    const check = (): void => {
      if (token.reveal().split('.')[0] !== (account ?? 'pair'))
        crossings.push(`${account} got ${token.reveal()}`);
    };
    check();
    if (random() < 0.3) token = await provider.renew(token);
    check();
  };
  for (let step = 0; step < STEPS; step += 1) {
    const name = `Merchant-${Math.floor(random() * ACCOUNTS)}`;
    const account = random() < 0.1 ? undefined : random() < 0.2 ? name.toLowerCase() : name;
    callers.push(call(account).catch(() => undefined));
    if (random() < 0.6) await clock.advance(random() * 20_000);
  }
  await clock.advance(10 * MINUTE);
  await Promise.all(callers);
  expect(given).toBeGreaterThan(STEPS / 4);
  return crossings;
}

beforeAll(() => Logger.overrideLogger(false));

it.each([false, true])(
  'B33: random callers of many accounts never get the token of another account, or of the pair, with a store: %s',
  { timeout: 300_000 },
  (hasStore) =>
    withoutStacks(async () => {
      for (let seed = 0; seed < SEEDS; seed += 1)
        expect(await crossingsIn(seed, hasStore), `seed ${seed}`).toEqual([]);
    }),
);
