import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { BACK_OFF } from '../../../../lib/token/pauses.js';
import { type SimulatedPlan, simulateRenewal } from '../../../support/fleet/simulated-fleet.js';

/** Three attempts of 5 s, and the pauses between them. */
const RENEWAL_MS = 3 * 5_000 + BACK_OFF.longestSumMs;

const PLAN: SimulatedPlan = {
  size: 60,
  spreadMs: 0,
  endpointMs: 100,
  roundTripMs: 0.5,
  scriptMs: 0.02,
  timeoutMs: 250,
};

beforeEach(() => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});

it('B23: a simulated fleet replaces its token with one token request, and each process looks more often for a slower endpoint', async () => {
  const quick = await simulateRenewal(PLAN);
  const slow = await simulateRenewal({ ...PLAN, endpointMs: 1_000 });
  expect([quick.tokenRequests, slow.tokenRequests]).toEqual([1, 1]);
  // One command is the publication.
  expect(quick.commands).toBe(Math.round(quick.looks * PLAN.size) + 1);
  expect(slow.looks).toBeGreaterThan(quick.looks);
});

it('B10: B23: a token endpoint that takes 5 s gets one request each 2 s from 64 processes, however far it is', async () => {
  const slow = { ...PLAN, size: 64, endpointMs: 5_000 };
  for (const connectMs of [0, 800])
    expect((await simulateRenewal({ ...slow, connectMs })).tokenRequests).toBe(3);
});

it('B10: B23: processes that cannot reach the token endpoint delay the others at most by the time of one renewal, and cost no herd', async () => {
  const cutOff = { ...PLAN, spreadMs: 20, connectMs: 30 };
  for (let seed = 1; seed <= 5; seed += 1) {
    const one = await simulateRenewal({ ...cutOff, seed, size: 11, unreachable: 10 });
    expect(one.longestWaitMs).toBeLessThan(RENEWAL_MS);
    const many = await simulateRenewal({ ...cutOff, seed, size: 64, unreachable: 32 });
    expect(many.longestWaitMs).toBeLessThan(RENEWAL_MS);
    expect(many.tokenRequests).toBeLessThanOrEqual(2);
  }
}, 60_000);

it('B23: two regions with a Redis each share nothing: one token request in each', async () => {
  const { tokenRequests } = await simulateRenewal({ ...PLAN, regions: 2 });
  expect(tokenRequests).toBe(2);
});

it('B23: a Redis that needs longer than `timeoutMs` for all processes costs token requests, and a longer `timeoutMs` saves them', async () => {
  const overloaded = { ...PLAN, scriptMs: 10 };
  expect((await simulateRenewal(overloaded)).tokenRequests).toBeGreaterThan(1);
  expect((await simulateRenewal({ ...overloaded, timeoutMs: 5_000 })).tokenRequests).toBe(1);
});
