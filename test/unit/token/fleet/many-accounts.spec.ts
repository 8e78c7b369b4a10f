import { Logger } from '@nestjs/common';
import { beforeAll, expect, it } from 'vitest';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { pause } from '../../../../lib/time/clock.js';
import { createTokenProvider } from '../../../../lib/token/create-token-provider.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

const PROCESSES = 4;
const ACCOUNTS = 200;
const TOKEN = { timeoutMs: 5_000, maxAttempts: 2, expiryLeewayMs: 0, renewAheadMs: 0 };

beforeAll(() => Logger.overrideLogger(false));

it('B10 B33: a fleet that begins with many accounts at once asks for one token for each of them', async () => {
  const clock = new FakeClock();
  const shared = new MemoryTokenStore(() => clock.wall());
  const asked: string[] = [];
  const processes = Array.from({ length: PROCESSES }, () =>
    createTokenProvider(
      profileOf(),
      {
        token: TOKEN,
        http: { httpsAgent: undefined, proxy: undefined },
        accounts: (account) => ({ clientId: account, clientSecret: 'canary-secret' }),
        // Each process has its own store object, and so its own guard.
        store: {
          claim: async (claim) => pause(clock, 5).then(() => shared.claim(claim)),
          publish: shared.publish.bind(shared),
          release: shared.release.bind(shared),
        },
      },
      clock,
      Math.random,
      () => ({
        async request(credential) {
          asked.push(credential.clientId?.reveal() ?? '');
          await pause(clock, 100);
          return tokenOf(clock, `canary-${asked.length}`);
        },
      }),
    ),
  );
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `merchant ${index}`);
  const callers = processes.flatMap((tokens) => names.map((account) => tokens.for({ account }).getToken()));
  await clock.advance(60_000);
  await Promise.all(callers);
  expect(asked.toSorted()).toEqual(names.toSorted());
});
