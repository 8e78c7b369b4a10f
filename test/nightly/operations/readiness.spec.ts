import { setTimeout as pauseFor } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OperatedApp } from '../../support/application/operated-app.js';

const OUTAGE_MS = 60_000;
/** Three attempts, then one each second for ten seconds, then one each tenth of the outage (B18). A try at each probe is more. */
const [FEWEST_TRIALS, MOST_TRIALS] = [15, 36];
const PROBE_EVERY_MS = 250;
/** The last pause is the longest one: a tenth of the outage and its jitter, 5 s at most (B18). Twice as long on a slow machine. */
const BACK_WITHIN_MS = OUTAGE_MS / 5 + 5_000;

/** What a load balancer does: it asks `/health`, and sends calls of users only to an instance that answers with 200. */
async function balance(app: OperatedApp, forMs: number, until?: () => boolean): Promise<BalancedCall[]> {
  const calls: BalancedCall[] = [];
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const isReady = (await app.health()).status === 200;
    calls.push(isReady ? { status: await app.payment() } : 'kept away');
    if (isReady && until?.()) break;
    await pauseFor(PROBE_EVERY_MS);
  }
  return calls;
}

type BalancedCall = 'kept away' | { readonly status: number };

function failuresIn(calls: readonly BalancedCall[]): number {
  return calls.filter((call) => call !== 'kept away' && call.status !== 200).length;
}

describe('B35: an instance behind a readiness probe', () => {
  it('B35: leaves rotation while it has no token, and comes back without a call of a user', async () => {
    const app = await OperatedApp.start();
    expect(failuresIn(await balance(app, 1_000))).toBe(0);

    app.provider.token.status(503);
    app.provider.token.revokeAll();
    const before = app.provider.tokenRequests.length;
    const during = await balance(app, OUTAGE_MS);
    // The one call that found out, with the 401 of the API.
    expect(failuresIn(during)).toBe(1);
    expect(during.slice(2).every((call) => call === 'kept away')).toBe(true);
    const trials = app.provider.tokenRequests.length - before;
    expect(trials).toBeGreaterThanOrEqual(FEWEST_TRIALS);
    expect(trials).toBeLessThanOrEqual(MOST_TRIALS);

    app.provider.reset();
    const callsBefore = app.provider.apiRequests.length;
    const after = await balance(app, BACK_WITHIN_MS, () => true);
    expect(after.at(-1)).toEqual({ status: 200 });
    expect(app.provider.apiRequests.length - callsBefore).toBe(1);
  }, 150_000);
});
