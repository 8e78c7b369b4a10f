import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
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
