import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, vi } from 'vitest';
import { Load } from '../../../lib/cli/simulate/load.js';
import { SCENARIOS } from '../../../lib/cli/simulate/scenarios.js';
import { ChainError } from '../../../lib/cli/simulate/verbs.js';
import { askForToken, startSimulator } from '../../support/application/simulator.js';
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

  it('B25: callers run until they are stopped, and a stop takes the faults of a scenario back', async () => {
    const recorded = await startSession();
    const { session, load, provider } = recorded;
    await session.load.control({ callers: 5 });
    await expect.poll(() => load().calls, SOON).toBeGreaterThan(10);
    expect(load()).toMatchObject({ callers: 5, name: 'originations sandbox', failed: 0 });
    await session.load.control({ scenario: 'expiring' });
    await expect.poll(() => provider.waitingScripts.length, SOON).toBe(1);
    expect(load()).toMatchObject({ callers: 50, scenario: 'expiring' });
    await expect.poll(() => load().endsAt, SOON).toBeDefined();
    await session.load.control({ stop: true });
    expect(load().callers).toBe(0);
    expect(session.load.headline).toMatchObject({
      level: 'idle',
      text: expect.stringMatching(/^Stopped early: /),
    });
    expect(provider.waitingScripts).toEqual([]);
  });

  it('B25: a stop ends callers that are just starting, also after two orders at once', async () => {
    const { session, load, provider } = await startSession();
    const orders = [{ callers: 5 }, { callers: 7 }, { stop: true }];
    await Promise.all(orders.map((order) => session.load.control(order)));
    expect(load().callers).toBe(0);
    const received = provider.apiRequests.length;
    await sleep(600);
    expect(provider.apiRequests).toHaveLength(received);
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

  it('B25: what the callers cost is counted without the token requests of other clients', async () => {
    const { session, load, provider } = await startSession();
    await session.load.control({ callers: 5 });
    await expect.poll(() => load().calls, SOON).toBeGreaterThan(5);
    expect((await askForToken(provider, 'easy', 'sandbox')).status).toBe(200);
    await session.load.control({ calls: 1 });
    await session.load.control({ stop: true });
    expect(provider.tokenRequests).toHaveLength(3);
    // A load without a scenario has no sentence.
    expect(session.load.headline).toBeUndefined();
  });

  it('B25: faults of a scenario end with it', async () => {
    const { session, load, provider } = await startSession();
    await session.load.control({ scenario: 'rotated' });
    await expect.poll(() => load().endsAt, SOON).toBeDefined();
    await session.load.control({ stop: true });
    const { clientSecret } = provider.credentials('originations', 'sandbox');
    await sleep(3500);
    expect(provider.credentials('originations', 'sandbox').clientSecret).toBe(clientSecret);
    expect(provider.newestToken({ interface: 'originations', environment: 'sandbox' })?.state).toBe('valid');
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

  it('B25: the page hears that callers could not start', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const shown: number[] = [];
    const load: Load = new Load({
      provider: await startSimulator(),
      definition: undefined,
      run: () => undefined,
      started: () => undefined,
      rotated: () => undefined,
      unsent: () => undefined,
      said: () => undefined,
      changed: () => shown.push(load.status.callers),
    });
    await expect(load.control({ callers: 7 })).rejects.toThrow(ChainError);
    expect(shown).toEqual([7, 0]);
  });

  it('B25: counts a call that fails for its caller', async () => {
    const { session, provider, load } = await startSession();
    provider.api.next().status(500);
    await session.load.control({ calls: 3 });
    expect(load()).toMatchObject({ calls: 3, failed: 1 });
    expect(provider.apiRequests).toHaveLength(3);
  });

  it('B25: counts a call that never left, because there was no token', async () => {
    const { session, provider, load } = await startSession();
    provider.token.status(503);
    await session.load.control({ calls: 3 });
    expect(load()).toMatchObject({ calls: 3, failed: 3 });
    expect(session.overview.counts).toMatchObject({ apiRequests: 0, unsent: 3 });
    expect(session.overview.pairs()[0]).toMatchObject({ name: 'originations sandbox', unsent: 3 });
  });

  it('B25: the sentence of a scenario stays for some seconds although an application calls, and the verdict until the next order', async () => {
    const recorded = await startSession();
    const { session, provider, load } = recorded;
    const { headline } = await play(recorded, 'cold');
    expect(headline?.text).toContain('1,000 cold callers');
    session.load.noteRequest({ at: new Date() });
    expect(session.load.headline).toEqual(headline);
    const askUntilOver = async () => {
      await askForToken(provider, 'easy', 'sandbox');
      return session.load.headline;
    };
    await expect.poll(askUntilOver, SOON).toBeUndefined();
    expect((await stateOf(session))['load'].outcome).toEqual(headline);
    await session.load.control({ calls: 1 });
    expect(load().outcome).toBeUndefined();
  });

  it('B25: a new session ends calls one by one, so that none of them is in it', async () => {
    const { session, provider, load } = await startSession();
    const order = session.load.control({ calls: 1000 });
    await expect.poll(() => load().calls, SOON).toBeGreaterThan(3);
    await session.run('simulator', { newSession: true }, 'page');
    await order;
    expect((await askForToken(provider, 'easy', 'sandbox')).status).toBe(200);
    await expect.poll(() => session.overview.counts.tokenRequests, SOON).toBe(1);
    expect(await stateOf(session)).toMatchObject({
      counts: { tokenRequests: 1, apiRequests: 0, failed: 0 },
      load: { calls: 0, failed: 0 },
      requests: [{ interface: 'easy' }],
    });
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

  it('B25: a new session also starts if callers cannot end, and its line of a test compiles', async () => {
    const { session, provider } = await startSession();
    expect((await askForToken(provider, 'easy', 'sandbox')).status).toBe(200);
    const callers = new EventEmitter();
    const stopped = once(callers, 'ended').then(() => undefined);
    vi.spyOn(session.load, 'stop').mockReturnValueOnce(stopped);
    const begun = session.run('simulator', { newSession: true }, 'key');
    expect((await stateOf(session))['actions']).toMatchObject([{ code: 'provider.reset();' }]);
    callers.emit('error', new Error('cannot end'));
    await begun;
    expect(await stateOf(session)).toMatchObject({ counts: { tokenRequests: 0 }, actions: [] });
  });

  it('B25: the state has of each scenario what its button shows', async () => {
    const { session } = await startSession();
    const shown = SCENARIOS.map(({ name, label, does, seconds }) => ({
      name,
      label,
      does,
      ...(seconds !== undefined && { seconds }),
    }));
    expect((await stateOf(session))['scenarios']).toEqual(shown);
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

  it.each([
    [{ scenario: 'revok' }, 'Did you mean "revoke"?'],
    [{ scenario: 1 }, `Name one of ${SCENARIOS.map(({ name }) => name).join(', ')}.`],
    [{ callers: 0 }, 'Name one'],
    [{ callers: 5, stop: true }, 'Name one'],
    [{}, 'Name one'],
    [null, 'Name one'],
  ])('B25: refuses %j, and says what to write', async (order, text) => {
    const { session } = await startSession();
    await expect(session.load.control(order)).rejects.toThrow(ChainError);
    await expect(session.load.control(order)).rejects.toThrow(text);
  });

  it('B25: --load starts callers, and the control address ends them', async () => {
    const simulation = await SimulationHere.start(['--load', '3']);
    await simulation.requests(10);
    expect(await simulation.control('load', { stop: true })).toMatchObject({ status: 200 });
    expect((await simulation.requests(10)).filter(({ ok }) => !ok)).toEqual([]);
    expect(await simulation.control('load', { scenario: 'x' })).toMatchObject({ status: 400 });
  });
});
