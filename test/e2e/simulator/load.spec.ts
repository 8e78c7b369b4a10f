import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, vi } from 'vitest';
import { ChainError } from '../../../lib/cli/simulate/verbs.js';
import { type RecordedSession, startSession } from '../../support/application/simulator-session.js';
import { cluster } from '../../support/application/warehouse.js';
import { type Line, SimulationHere } from '../../support/application/simulate.js';

const SOON = { timeout: 25_000, interval: 50 };

/** Plays a scenario until its callers have ended. */
async function play({ session, load }: RecordedSession, scenario: string) {
  await session.load.control({ scenario });
  await expect.poll(() => load().callers, SOON).toBe(0);
  return { ...load(), headline: session.load.headline };
}

async function stateOf({ control }: RecordedSession['session']): Promise<Line> {
  return (await (await fetch(`${control.address}/state`)).json()) as Line;
}

/** What the page shows must be what the simulator received. */
function expectSameNumbers({ provider, session }: RecordedSession): void {
  const { tokenRequests, apiRequests, failedTokenRequests, failedCalls } = session.overview.counts;
  expect(tokenRequests).toBe(provider.tokenRequests.length);
  expect(apiRequests).toBe(provider.apiRequests.length);
  expect(failedTokenRequests).toBe(provider.tokenRequests.filter(({ status }) => status !== 200).length);
  expect(failedCalls).toBe(provider.apiRequests.filter(({ status }) => status !== 200).length);
}

describe('the callers of provider-auth simulate', () => {
  it('B25: 1,000 cold callers cost one token request, and no call fails', async () => {
    const recorded = await startSession();
    expect(await play(recorded, 'cold')).toMatchObject({ calls: 1000, failed: 0, callers: 0 });
    expect(recorded.provider.tokenRequests).toHaveLength(1);
    expectSameNumbers(recorded);
    expect(recorded.session.overview.summary.headline).toEqual({
      level: 'good',
      text: '1 token request served 1,000 calls.',
    });
    expect(recorded.session.load.headline).toEqual({
      level: 'good',
      text: '1,000 cold callers: 1 token request instead of 1,000, no call failed.',
    });
    expect(recorded.said).toEqual(['1,000 cold callers: 1 token request instead of 1,000, no call failed.']);
  });

  it('B25: 1,000 callers lose their token: one more token request, and each refused call recovers', async () => {
    const recorded = await startSession();
    const { calls, failed, headline } = await play(recorded, 'revoke');
    expect(calls).toBeGreaterThan(1000);
    expect({ failed, tokens: recorded.provider.tokenRequests.length }).toEqual({ failed: 0, tokens: 2 });
    expectSameNumbers(recorded);
    const [story, ...others] = recorded.session.overview.stories.list();
    expect(others).toEqual([]);
    const refused = recorded.provider.apiRequests.filter(({ status }) => status === 401).length;
    expect(refused).toBeGreaterThan(0);
    expect(headline).toEqual({
      level: 'good',
      text: `Revoke over: 1 more token request for 1,000 callers, ${refused} ${refused === 1 ? 'call' : 'calls'} sent again, no call failed.`,
    });
    expect(story).toMatchObject({ refused, sentAgain: refused, tokenRequests: 1, until: expect.any(Number) });
  });

  it('B25: a rotated secret costs one refused token request, no call fails, and the first secret comes back', async () => {
    const recorded = await startSession();
    const first = recorded.provider.credentials('originations', 'sandbox').clientSecret;
    const { failed, headline } = await play(recorded, 'rotated');
    expect(failed).toBe(0);
    expect(headline).toMatchObject({
      level: 'good',
      text: expect.stringMatching(
        /^Rotated secret over: the old secret was refused in 1 token request, the new one accepted in 1\. \d+ refused calls? sent again, no call failed\.$/,
      ),
    });
    expect(recorded.provider.tokenRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    expectSameNumbers(recorded);
    expect(recorded.provider.credentials('originations', 'sandbox').clientSecret).toBe(first);
  });

  it('B25: tokens that expire under load cost one token request for each lifetime', async () => {
    const recorded = await startSession();
    const { failed, headline } = await play(recorded, 'expiring');
    expect(failed).toBe(0);
    const tokens = recorded.provider.tokenRequests.length;
    expect(headline).toMatchObject({
      level: 'good',
      text: expect.stringContaining(`Expiring token over: ${tokens} token requests in `),
    });
    // Nothing was revoked, so nothing says so.
    expect(
      recorded.session.overview.stories.list().filter(({ reason }) => reason !== 'token expired'),
    ).toEqual([]);
    expect(recorded.provider.tokenRequests.length).toBeGreaterThanOrEqual(5);
    expect(recorded.provider.tokenRequests.length).toBeLessThanOrEqual(7);
    expectSameNumbers(recorded);
    expect(recorded.provider.waitingScripts).toEqual([]);
  });

  it('B25: a test call while callers start is none of their calls', async () => {
    const { session, load, provider } = await startSession();
    const start = NestFactory.createApplicationContext.bind(NestFactory);
    // The application of the callers starts slowly, and that of the test call does not.
    vi.spyOn(NestFactory, 'createApplicationContext').mockImplementationOnce(async (...args) => {
      await sleep(1500);
      return start(...args);
    });
    const starting = session.load.control({ callers: 5 });
    await expect.poll(() => load().isStarting, SOON).toBe(true);
    await Promise.all([starting, session.load.control({ calls: 3 })]);
    await expect.poll(() => load().calls, SOON).toBeGreaterThan(10);
    await session.load.control({ stop: true });
    const ofCallers = provider.apiRequests.filter(({ path }) => path.includes('/callers/'));
    expect(provider.apiRequests.length - ofCallers.length).toBe(3);
    expect(load()).toMatchObject({ calls: ofCallers.length, failed: 0 });
  });

  it('B25 B32: calls with client certificates, too', async () => {
    const { session, provider, load } = await startSession(cluster);
    await session.load.control({ calls: 2 });
    expect(load()).toMatchObject({ calls: 2, failed: 0 });
    expect(provider.apiRequests).toHaveLength(2);
  });

  it('B25: says why callers cannot start', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { session } = await startSession();
    await expect(session.load.control({ calls: 1 })).rejects.toThrow(ChainError);
    await expect(session.load.control({ callers: 1 })).rejects.toThrow(/NODE_TLS_REJECT_UNAUTHORIZED/);
    expect(session.load.status.callers).toBe(0);
  });

  it('B25: a new session ends calls at once that wait for a token, and has none of their requests', async () => {
    const { session, provider } = await startSession();
    // One for the callers, and one for the calls one by one.
    provider.token.next(2).hang();
    await session.load.control({ callers: 20 });
    const order = session.load.control({ calls: 3 });
    await expect.poll(() => provider.waitingScripts, SOON).toEqual([]);
    const before = performance.now();
    // This order waits for the last answers.
    const stop = session.load.control({ stop: true });
    await session.run('simulator', { newSession: true }, 'page');
    // The last answers have 10 s.
    expect(performance.now() - before).toBeLessThan(9000);
    await Promise.all([order, stop]);
    await session.load.control({ calls: 1 });
    expect(await stateOf(session)).toMatchObject({
      headline: { text: '1 token request served 1 call.' },
      counts: { tokenRequests: 1, apiRequests: 1, failed: 0, unsent: 0 },
      load: { callers: 0, calls: 1, failed: 0 },
    });
  });

  it('B25: what callers sent just before a new session ended them is none of its requests', async () => {
    const { session, provider } = await startSession();
    // All callers wait for it, and call together then.
    provider.token.next().delay(1500);
    await session.load.control({ callers: 300 });
    await expect.poll(() => provider.apiRequests.length, { ...SOON, interval: 1 }).toBeGreaterThan(0);
    const ended = session.run('simulator', { newSession: true }, 'page');
    // A busy machine: the last answers have 1 s, and it is over before the next request is read.
    const end = performance.now() + 1100;
    while (performance.now() < end);
    await ended;
    const sent = provider.apiRequests.length;
    await sleep(200);
    expect(sent).toBe(0);
    expect(await stateOf(session)).toMatchObject({ counts: { apiRequests: 0 }, requests: [] });
  });

  it('B25: a new session starts at 0: without callers, faults, requests and the sentence of a scenario', async () => {
    const { session, provider, load } = await startSession();
    session.run('token', { for: 'easy', status: 503 }, 'page');
    await session.load.control({ scenario: 'expiring' });
    await expect.poll(() => load().calls, SOON).toBeGreaterThan(10);
    const post = await fetch(`${session.control.address}/simulator`, {
      method: 'POST',
      body: '{"newSession":true}',
    });
    expect(await post.json()).toEqual({ ok: true });
    const state = await (await fetch(`${session.control.address}/state`)).json();
    expect(state).toMatchObject({
      headline: { level: 'idle', text: 'No requests yet.' },
      counts: { tokenRequests: 0, apiRequests: 0, failed: 0, early: 0 },
      load: { callers: 0, calls: 0 },
      requests: [],
      actions: [],
      armed: [],
      stories: [],
    });
    expect(provider.waitingScripts).toEqual([]);
    // The next run starts at 0.
    await session.load.control({ calls: 1 });
    expect(session.overview.counts).toMatchObject({ tokenRequests: 1, apiRequests: 1, early: 0 });
  });

  it('B25: --load starts callers, and the control address ends them', async () => {
    const simulation = await SimulationHere.start(['--load', '3']);
    await simulation.requests(10);
    expect(await simulation.control('load', { stop: true })).toMatchObject({ status: 200 });
    expect((await simulation.requests(10)).filter(({ ok }) => !ok)).toEqual([]);
    expect(await simulation.control('load', { scenario: 'x' })).toMatchObject({ status: 400 });
  });
});
