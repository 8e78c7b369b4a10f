import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { TokenTrial } from '../../support/token/token-trial.js';

const MANY = 10_000;

describe('many callers', () => {
  it('B1: 10,000 cold callers cost one token request', async () => {
    const trial = await TokenTrial.start();
    const calls = await Promise.all(Array.from({ length: MANY }, () => trial.tokens.getToken()));
    expect(new Set(calls).size).toBe(1);
    expect(trial.provider.tokenRequests.length).toBe(1);
  });

  it('B2: 10,000 refusals of one token at once cost one token request', async () => {
    const trial = await TokenTrial.start();
    const first = await trial.tokens.getToken();
    const renewed = await Promise.all(Array.from({ length: MANY }, () => trial.tokens.renew(first)));
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(first);
    expect(trial.provider.tokenRequests.length).toBe(2);
  });

  it('B2: 10,000 refusals of one token spread over 3 s cost one token request', async () => {
    const trial = await TokenTrial.start({ simulator: { latencyMs: 100 } });
    const first = await trial.tokens.getToken();
    const renewed = await Promise.all(
      Array.from({ length: MANY }, async (_, index) => {
        await passed((index * 3_000) / MANY);
        const token = await trial.tokens.renew(first);
        // As an HTTP client does whose resent request succeeds.
        trial.tokens.reportSuccess(token);
        return token;
      }),
    );
    expect(new Set(renewed).size).toBe(1);
    expect(trial.provider.tokenRequests.length).toBe(2);
  });
});

describe('an outage', () => {
  it('B18: of 5 s at 200 callers/s costs at most 20 token requests, and callers succeed soon after it', async () => {
    const trial = await TokenTrial.start();
    trial.provider.token.status(503);
    const started = performance.now();
    const elapsed = (): number => performance.now() - started;
    let calls = 0;
    while (elapsed() < 5_000) {
      const due = (elapsed() / 1_000) * 200;
      const burst = Array.from({ length: Math.max(1, Math.ceil(due - calls)) }, () => trial.ask());
      calls += burst.length;
      for (const { error } of await Promise.all(burst))
        expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
      await passed(5);
    }
    const outageMs = elapsed();
    expect(trial.provider.tokenRequests.length).toBeLessThanOrEqual(20);
    expect(trial.provider.tokenRequests.length).toBeGreaterThan(3);
    trial.provider.reset();
    // Measured by the outage as it was: a busy machine makes it longer, and the pause with it.
    const { retryAt } = trial.tokens.status();
    expect((retryAt?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(0.12 * outageMs + 5);

    let token: AccessToken | undefined;
    while (!token && elapsed() < outageMs + 30_000) {
      ({ token } = await trial.ask());
      await passed(5);
    }
    expect(token).toBeDefined();
    expect(elapsed() - outageMs).toBeLessThan(10_000);
    expect(trial.provider.tokenRequests.length).toBe(1);
    expect(trial.lines.map((line) => line.split(' ')[0])).toEqual(['error', 'log']);
  });

  it('B6: during a renewal ahead, callers with a valid token do not notice it', async () => {
    const trial = await TokenTrial.start({
      simulator: { lifetimeSeconds: 10 },
      token: { renewAheadMs: 60_000, maxAttempts: 1 },
    });
    await trial.tokens.getToken();
    trial.provider.token.next(2).status(503);
    const started = performance.now();
    while (trial.provider.tokenRequests[3]?.status === undefined && performance.now() - started < 9_500) {
      expect(trial.tokens.useIfValid()).toBeDefined();
      await passed(10);
    }
    expect(trial.provider.tokenRequests.map(({ status }) => status)).toEqual([200, 503, 503, 200]);
    expect(trial.leaks()).toEqual([]);
  });
});
