import { AsyncLocalStorage } from 'node:async_hooks';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Load } from '../../../../lib/cli/simulate/load.js';
import { type Scenario, SCENARIOS } from '../../../../lib/cli/simulate/scenarios.js';
import { type Chain, ChainError } from '../../../../lib/cli/simulate/verbs.js';
import { httpUnauthorizedChannel, tokenRequestChannel } from '../../../../lib/events/provider-auth-events.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';
import {
  EASY,
  FIRST_SECRET,
  happens,
  noToken,
  scenarioOf,
  SteeredApplications,
  SteeredSimulator,
  useFakeTime,
} from '../../../support/application/steered-callers.js';
import { startSimulator } from '../../../support/application/simulator.js';
import { Watched } from '../../../support/token/token-fixtures.js';

const START = 1_000_000;
const AT_REST = { callers: 0, name: 'easy sandbox', calls: 0, failed: 0 };

/** Callers on a clock that the test moves. No pause is random. They end with the test. */
function givenLoad({ random = 0, simulator = new SteeredSimulator() } = {}) {
  useFakeTime(START);
  const applications = new SteeredApplications(random);
  const parts = {
    run: vi.fn<(target: string, chain: Chain) => void>((target, chain) => {
      if (target === 'simulator') simulator.takeBack(chain['takeBack'] as number);
      else simulator.arm();
    }),
    started: vi.fn<(pair: object) => void>(),
    rotated: vi.fn<(pair: object) => void>(),
    unsent: vi.fn<(pair: object) => void>(),
    changed: vi.fn<() => void>(),
    said: vi.fn<(text: string) => void>(),
  };
  const load = new Load({ ...parts, provider: simulator.double, definition: applications.definition });
  onTestFinished(async () => {
    const stopped = load.stop(0);
    await vi.advanceTimersByTimeAsync(20_000);
    await stopped;
  });
  return { load, simulator, applications, ...parts };
}

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Calls that the test ends one by one. They fail as soon as their signal says so. */
function heldCalls(applications: SteeredApplications) {
  const held: { readonly path: string; readonly signal: AbortSignal; readonly answer: () => void }[] = [];
  applications.get.mockImplementation(
    (path, { signal }) =>
      new Promise((resolve, reject) => {
        held.push({ path, signal, answer: () => resolve({ status: 200 }) });
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  return held;
}

const WRONG_ORDER =
  'Name one: {"scenario":"revoke"}, {"callers":50} up to 10000, {"calls":1} up to 1000, or {"stop":true}.';

describe('an order for the callers', () => {
  it.each([
    null,
    undefined,
    'stop',
    {},
    [],
    { other: 1 },
    { callers: 0 },
    { callers: 10_001 },
    { callers: 1.5 },
    { callers: '5' },
    { calls: 0 },
    { calls: 1001 },
    { calls: true },
    { stop: false },
    { stop: 1 },
    { stopped: true },
    { callers: 5, stop: true },
    { scenario: 'revoke', stop: true },
  ])('B25: rejects %j', async (order) => {
    const { load, applications } = givenLoad();
    const refused = load.control(order);
    await expect(refused).rejects.toThrow(ChainError);
    await expect(refused).rejects.toThrow(WRONG_ORDER);
    expect(applications.options).toEqual([]);
  });

  it.each([
    ['revok', 'There is no such scenario. Did you mean "revoke"?'],
    ['something else', 'There is no such scenario. Name one of revoke, cold, outage, rotated, expiring.'],
    [1, 'There is no such scenario. Name one of revoke, cold, outage, rotated, expiring.'],
  ])('B25: names no scenario %j', async (name, message) => {
    const refused = givenLoad().load.control({ scenario: name });
    await expect(refused).rejects.toThrow(ChainError);
    await expect(refused).rejects.toThrow(message);
  });

  it('B25: starts callers or a scenario, or stops them', async () => {
    const { load } = givenLoad();
    const start = vi.spyOn(load, 'start').mockResolvedValue();
    const stop = vi.spyOn(load, 'stop').mockResolvedValue();
    for (const order of [
      { callers: 1 },
      { callers: 10_000 },
      ...SCENARIOS.map(({ name }) => ({ scenario: name })),
    ])
      await load.control(order);
    expect(start.mock.calls).toEqual([
      [{ callers: 1 }],
      [{ callers: 10_000 }],
      ...SCENARIOS.map((one) => [one]),
    ]);
    expect(stop).not.toHaveBeenCalled();
    await load.control({ stop: true });
    expect(stop.mock.calls).toEqual([[]]);
  });
});

describe('calls one by one', () => {
  it('B25: are counted, and the page hears of them', async () => {
    const { load, applications, started, changed, said } = givenLoad();
    expect(load.status).toStrictEqual(AT_REST);
    await load.control({ calls: 3 });
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 3 });
    expect(applications.get.mock.calls).toEqual(
      Array.from({ length: 3 }, () => ['/test-call', { signal: expect.any(AbortSignal) }]),
    );
    expect(started.mock.calls).toEqual([[EASY]]);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(said).not.toHaveBeenCalled();
    expect(load.headline).toBeUndefined();
  });

  it('B25: use the same application, so that they need one token, until a stop', async () => {
    const { load, applications } = givenLoad();
    await load.control({ calls: 1 });
    await load.control({ calls: 1 });
    expect(applications.options).toHaveLength(1);
    expect(applications.closed).toBe(0);
    await load.control({ stop: true });
    expect(applications.closed).toBe(1);
    await load.control({ stop: true });
    expect(applications.closed).toBe(1);
    await load.control({ calls: 1000 });
    expect(applications.options).toHaveLength(2);
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 1000 });
  });

  it('B25: that fail are counted, and those that never left are reported', async () => {
    const { load, applications, unsent } = givenLoad();
    applications.get
      .mockRejectedValueOnce(new Error('500'))
      .mockRejectedValueOnce(noToken())
      .mockRejectedValueOnce(noToken());
    await load.control({ calls: 4 });
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 4, failed: 3 });
    expect(unsent.mock.calls).toEqual([[EASY], [EASY]]);
  });

  it('B25: end with a stop: the one that is under way has 10 s for its answer, and no further one begins', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    const order = new Watched(load.control({ calls: 5 }));
    await happens(() => expect(held).toHaveLength(1));
    const stopped = new Watched(load.control({ stop: true }));
    await after(9999);
    expect(held[0]?.signal.aborted).toBe(false);
    expect([order.state, stopped.state]).toEqual(['waiting', 'waiting']);
    await after(1);
    await happens(() => expect([order.state, stopped.state]).toEqual(['given', 'given']));
    expect(held).toHaveLength(1);
    // The end of the calls is no failure.
    expect(load.status).toStrictEqual(AT_REST);
    // The next calls are not ended by that stop.
    applications.get.mockResolvedValue({});
    await load.control({ calls: 2 });
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 2 });
  });

  it('B25: have less time for the last answer if the caller of stop says so', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    void load.control({ calls: 2 });
    await happens(() => expect(held).toHaveLength(1));
    const stopped = new Watched(load.stop(300));
    await after(299);
    expect(held[0]?.signal.aborted).toBe(false);
    await after(1);
    await happens(() => expect(stopped.state).toBe('given'));
  });

  it('B25: are counted if they are answered after a stop', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    const order = load.control({ calls: 5 });
    await happens(() => expect(held).toHaveLength(1));
    const stopped = load.control({ stop: true });
    await after(10);
    held[0]?.answer();
    await Promise.all([order, stopped]);
    expect(held).toHaveLength(1);
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 1 });
  });

  it('B25: of two orders at once all are waited for', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    void load.control({ calls: 1 });
    void load.control({ calls: 1 });
    await happens(() => expect(held).toHaveLength(2));
    const stopped = new Watched(load.control({ stop: true }));
    await after(1);
    held[1]?.answer();
    await after(1);
    expect(stopped.state).toBe('waiting');
    held[0]?.answer();
    await happens(() => expect(stopped.state).toBe('given'));
  });

  it('B25: forget the last scenario', async () => {
    const { load } = givenLoad();
    await load.start(scenarioOf());
    await happens(() => expect(load.status.outcome).toEqual({ level: 'good', text: 'after 2 0 0 0 0 0' }));
    await load.control({ calls: 1 });
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 1 });
  });
});

describe('callers without a scenario', () => {
  it('B25: each call, wait, and call again, until they are stopped', async () => {
    const { load, applications, changed, said, started } = givenLoad({ random: 0.2 });
    await load.start({ callers: 2 });
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2 });
    expect(changed).toHaveBeenCalledTimes(2);
    expect(started.mock.calls).toEqual([[EASY]]);
    // The first pause is a part of 250 ms, and each further one is half of it longer.
    await after(49);
    expect(applications.paths).toEqual([]);
    await after(1);
    expect(applications.paths).toEqual(['/callers/1', '/callers/2']);
    await after(174);
    expect(applications.paths).toHaveLength(2);
    await after(1);
    expect(applications.paths).toEqual(['/callers/1', '/callers/2', '/callers/1', '/callers/2']);
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2, calls: 4 });
    const stopped = load.control({ stop: true });
    await stopped;
    await after(1000);
    expect(applications.paths).toHaveLength(4);
    expect(applications.closed).toBe(1);
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 4 });
    expect(changed).toHaveBeenCalledTimes(3);
    expect(said).not.toHaveBeenCalled();
    expect(load.headline).toBeUndefined();
  });

  it('B25: call less often if they are many: 300 calls a second together', async () => {
    const { load, applications } = givenLoad({ random: 0.5 });
    await load.start({ callers: 90 });
    await after(149);
    expect(applications.paths).toEqual([]);
    await after(1);
    expect(applications.paths).toHaveLength(90);
    await after(299);
    expect(applications.paths).toHaveLength(90);
    await after(1);
    expect(applications.paths).toHaveLength(180);
  });

  it('B25: of which each has 10 s for its last answer', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    await load.start({ callers: 2 });
    await after(0);
    expect(held).toHaveLength(2);
    const stopped = new Watched(load.control({ stop: true }));
    await after(5000);
    held[0]?.answer();
    await after(4999);
    expect(stopped.state).toBe('waiting');
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2, calls: 1 });
    await after(1);
    await happens(() => expect(stopped.state).toBe('given'));
    expect(load.status).toStrictEqual({ ...AT_REST, calls: 1 });
  });

  it('B25: of which each has less time for its last answer if the caller of stop says so', async () => {
    const { load, applications } = givenLoad();
    const held = heldCalls(applications);
    await load.start({ callers: 1 });
    await after(0);
    const stopped = new Watched(load.stop(1000));
    await after(999);
    expect(held[0]?.signal.aborted).toBe(false);
    await after(1);
    await happens(() => expect(stopped.state).toBe('given'));
  });

  it('B25: are replaced by the next ones, which count from 0', async () => {
    const { load, applications } = givenLoad();
    await load.start({ callers: 2 });
    await after(0);
    await load.start({ callers: 1 });
    expect(applications.closed).toBe(1);
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 1 });
    await after(0);
    expect(applications.paths).toEqual(['/callers/1', '/callers/2', '/callers/1']);
  });

  it('B25: keep their counts while others call one by one', async () => {
    const { load, applications } = givenLoad();
    await load.start({ callers: 2 });
    await after(0);
    await load.control({ calls: 3 });
    expect(applications.paths.slice(2)).toEqual(['/test-call', '/test-call', '/test-call']);
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2, calls: 2 });
    expect(applications.options).toHaveLength(2);
  });

  it('B25: are just starting while their application starts, and orders meanwhile wait', async () => {
    const { load, applications, changed } = givenLoad();
    let proceed: (() => void) | undefined;
    applications.beforeStart = () => new Promise((resolve) => (proceed = resolve));
    const started = load.start({ callers: 7 });
    const stopped = new Watched(load.control({ stop: true }));
    await happens(() => expect(proceed).toBeDefined());
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 7, isStarting: true });
    expect(changed).toHaveBeenCalledTimes(1);
    expect(stopped.state).toBe('waiting');
    proceed?.();
    await started;
    await happens(() => expect(stopped.state).toBe('given'));
    expect(load.status).toStrictEqual(AT_REST);
    await after(1000);
    expect(applications.paths).toEqual([]);
  });

  it('B25: that several orders start at once stop with the last order', async () => {
    const { load, applications } = givenLoad();
    await Promise.all([{ callers: 5 }, { callers: 7 }, { stop: true }].map((order) => load.control(order)));
    expect(load.status).toStrictEqual(AT_REST);
    expect([applications.options.length, applications.closed]).toEqual([2, 2]);
    await after(1000);
    expect(applications.paths).toEqual([]);
  });

  it.each([
    [new Error('no such option'), 'The callers cannot start: no such option'],
    ['no error', 'The callers cannot start: unknown'],
  ])('B25: that cannot start say why, and the next ones can start: %s', async (thrown, message) => {
    const { load, applications, changed, started } = givenLoad();
    const create = vi.spyOn(NestFactory, 'createApplicationContext');
    const shown: number[] = [];
    changed.mockImplementation(() => void shown.push(load.status.callers));
    applications.beforeStart = () => {
      throw thrown; // oxlint-disable-line typescript/only-throw-error
    };
    for (const order of [{ callers: 7 }, { calls: 1 }]) {
      const refused = load.control(order);
      await expect(refused).rejects.toThrow(ChainError);
      await expect(refused).rejects.toThrow(message);
      expect(load.status).toStrictEqual(AT_REST);
    }
    // Nest neither ends the process nor writes to its output.
    expect(create.mock.lastCall?.[1]).toEqual({ logger: false, abortOnError: false });
    expect(shown).toEqual([7, 0]);
    expect(started).not.toHaveBeenCalled();
    applications.beforeStart = () => Promise.resolve();
    await load.control({ callers: 1 });
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 1 });
  });

  it('B25: that cannot start leave no scenario behind', async () => {
    const { load, applications } = givenLoad();
    applications.beforeStart = () => Promise.reject(new Error('no'));
    await expect(load.start(scenarioOf())).rejects.toThrow('no');
    expect(load.headline).toBeUndefined();
  });
});

/** What the module reports of a token request and of a refused call. */
const publish = (outcome: string): void => {
  tokenRequestChannel.publish({ outcome } as never);
  httpUnauthorizedChannel.publish({ outcome } as never);
};

describe('a scenario of one call each', () => {
  it('B25: begins at once, and ends with the last answer', async () => {
    const { load, applications, said, changed } = givenLoad({ random: 0.9 });
    const held = heldCalls(applications);
    await load.start(scenarioOf({ callers: 3 }));
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 3, scenario: 'own' });
    expect(load.headline).toEqual({ level: 'idle', text: 'during 0 0' });
    await happens(() =>
      expect(held.map(({ path }) => path)).toEqual(['/callers/1', '/callers/2', '/callers/3']),
    );
    for (const { answer } of held) answer();
    await happens(() =>
      expect(load.status).toStrictEqual({
        ...AT_REST,
        calls: 3,
        outcome: { level: 'good', text: 'after 3 0 0 0 0 0' },
      }),
    );
    expect(load.headline).toEqual({ level: 'good', text: 'after 3 0 0 0 0 0' });
    expect(said.mock.calls).toEqual([['after 3 0 0 0 0 0']]);
    expect(changed).toHaveBeenCalledTimes(3);
    expect(applications.closed).toBe(1);
    expect(held).toHaveLength(3);
  });

  it('B25: counts what its callers cost, and nothing that others cost', async () => {
    const { load, applications, said } = givenLoad();
    applications.get.mockImplementation(async (path) => {
      // One token request worked, one failed, and one refused call recovered.
      publish(path === '/callers/1' ? 'ok' : 'recovered');
      await after(1);
      publish('ok');
    });
    publish('ok');
    await load.start(scenarioOf());
    for (const outcome of ['ok', 'recovered', 'recovered']) publish(outcome);
    await happens(() => expect(said.mock.calls).toEqual([['after 2 0 0 1 4 1']]));
    publish('recovered');
    expect(load.status.outcome?.text).toBe('after 2 0 0 1 4 1');
    expect(tokenRequestChannel.hasSubscribers).toBe(false);
    expect(httpUnauthorizedChannel.hasSubscribers).toBe(false);
  });

  it('B25: leaves no hook for the promises of the process', async () => {
    const { load } = givenLoad();
    const disable = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
    for (const runs of [1, 2]) {
      await load.start(scenarioOf());
      await load.stop();
      expect(disable).toHaveBeenCalledTimes(runs);
    }
  });

  it('B25: counts failed calls, and those that never left', async () => {
    const { load, applications, said, unsent } = givenLoad();
    applications.get.mockRejectedValueOnce(noToken()).mockRejectedValueOnce(new Error('500'));
    await load.start(scenarioOf({ callers: 3, held: () => false }));
    await happens(() => expect(said.mock.calls).toEqual([['after 3 2 1 0 0 0']]));
    expect(load.headline).toEqual({ level: 'bad', text: 'after 3 2 1 0 0 0' });
    expect(unsent.mock.calls).toEqual([[EASY]]);
  });

  it('B25: that is stopped says so', async () => {
    const { load, applications, said } = givenLoad();
    heldCalls(applications);
    await load.start(scenarioOf());
    const stopped = load.stop(100);
    await after(100);
    await stopped;
    expect(load.headline).toEqual({ level: 'idle', text: 'Stopped early: no call failed.' });
    expect(said.mock.calls).toEqual([['Stopped early: no call failed.']]);
    // The next one is not stopped.
    applications.get.mockResolvedValue({});
    await load.start(scenarioOf());
    await happens(() => expect(load.headline).toEqual({ level: 'good', text: 'after 2 0 0 0 0 0' }));
  });

  it('B25: that has ended is not stopped early by a later stop', async () => {
    const { load, said } = givenLoad();
    await load.start(scenarioOf());
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    await load.stop();
    expect(load.headline).toEqual({ level: 'good', text: 'after 2 0 0 0 0 0' });
  });

  it('B25: is the headline for 5 s after its end, although an application calls', async () => {
    const { load, applications, said } = givenLoad();
    const held = heldCalls(applications);
    await load.start(scenarioOf());
    load.noteRequest({ at: new Date(START + 100_000) });
    expect(load.headline).toBeDefined();
    await happens(() => expect(held).toHaveLength(2));
    for (const { answer } of held) answer();
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    load.noteRequest({ at: new Date(START + 5000) });
    expect(load.headline).toEqual({ level: 'good', text: 'after 2 0 0 0 0 0' });
    load.noteRequest({ at: new Date(START + 5001) });
    expect(load.headline).toBeUndefined();
    expect(load.status.outcome).toEqual({ level: 'good', text: 'after 2 0 0 0 0 0' });
    load.clear();
    expect(load.status).toStrictEqual(AT_REST);
  });
});

const seconds = (changes: Partial<Scenario> = {}): Scenario => scenarioOf({ seconds: 4, ...changes });

describe('a scenario of some seconds', () => {
  it('B25: begins when there are as many answers as callers, and ends after its seconds', async () => {
    const { load, applications, said } = givenLoad();
    const steps: string[] = [];
    const held = heldCalls(applications);
    await load.start(
      seconds({
        first: () => void steps.push('first'),
        steps: [
          [1, () => void steps.push('one')],
          [3, () => void steps.push('two')],
        ],
      }),
    );
    expect(load.headline).toEqual({ level: 'idle', text: 'before' });
    await after(30);
    held[0]?.answer();
    await after(2000);
    // A second answer of the first caller, or the first one of the other.
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2, calls: 1, scenario: 'own' });
    expect(steps).toEqual(['first']);
    applications.get.mockResolvedValue({});
    held[1]?.answer();
    held[2]?.answer();
    await after(50);
    const begun = START + 2080;
    const { endsAt = 0 } = load.status;
    expect(endsAt - 4000).toBeGreaterThanOrEqual(begun - 50);
    expect(endsAt - 4000).toBeLessThanOrEqual(begun);
    const until = (ms: number) => after(endsAt - 4000 + ms - Date.now());
    await until(999);
    expect(steps).toEqual(['first']);
    expect(load.headline).toEqual({ level: 'idle', text: 'before' });
    await until(1000);
    expect(steps).toEqual(['first', 'one']);
    expect(load.headline).toMatchObject({ level: 'idle', text: expect.stringMatching(/^during /) });
    await until(3000);
    expect(steps).toEqual(['first', 'one', 'two']);
    await until(3999);
    expect(load.status.callers).toBe(2);
    await until(4000);
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    expect(load.status).toMatchObject({
      callers: 0,
      outcome: { level: 'good', text: expect.stringMatching(/^after /) },
    });
    expect(load.status.endsAt).toBeUndefined();
  });

  it('B25: has 10 s for the last answers after its end', async () => {
    const { load, applications, said } = givenLoad();
    await load.start(seconds({ callers: 1 }));
    await after(1000);
    const held = heldCalls(applications);
    const { endsAt = 0 } = load.status;
    await after(endsAt + 9999 - Date.now());
    expect(held.map(({ signal }) => signal.aborted)).toEqual([false]);
    expect(load.status.callers).toBe(1);
    await after(1);
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    expect(load.status).toMatchObject({ callers: 0, failed: 0 });
  });

  it('B25: that is stopped before it begins has no step', async () => {
    const { load, applications, said } = givenLoad();
    const steps: string[] = [];
    heldCalls(applications);
    await load.start(seconds({ steps: [[0, () => void steps.push('one')]] }));
    await after(500);
    const stopped = load.stop(1000);
    await after(10);
    expect(load.status).toStrictEqual({ ...AT_REST, callers: 2, scenario: 'own' });
    await after(990);
    await stopped;
    await after(10_000);
    expect(steps).toEqual([]);
    expect(load.status).toMatchObject({ callers: 0 });
    expect(said.mock.calls).toEqual([['Stopped early: nothing happened.']]);
  });

  it('B25: that is stopped has no further step', async () => {
    const { load, said } = givenLoad();
    const steps: string[] = [];
    await load.start(
      seconds({
        steps: [
          [1, () => void steps.push('one')],
          [2, () => void steps.push('two')],
        ],
      }),
    );
    await after(1500);
    await load.stop();
    await after(10_000);
    expect(steps).toEqual(['one']);
    expect(said.mock.calls).toEqual([['Stopped early: no call failed.']]);
  });

  it('B25: that is stopped takes its faults back, too', async () => {
    const { load, simulator } = givenLoad();
    await load.start(seconds({ first: (stage) => stage.run('token', { lifetime: 3 }) }));
    await after(1500);
    expect(simulator.waitingScripts).toHaveLength(1);
    await load.stop();
    expect(simulator.waitingScripts).toEqual([]);
  });

  it('B25: without a step counts from its first call', async () => {
    const { load } = givenLoad();
    await load.start(seconds());
    await after(0);
    expect(load.headline).toEqual({ level: 'idle', text: 'during 2 0' });
  });

  it('B25: makes faults for its pair only, and takes back those that still wait', async () => {
    const { load, simulator, run, said } = givenLoad();
    const other = simulator.arm();
    await load.start(
      seconds({
        first: (stage) => stage.run('token', { lifetime: 3 }),
        steps: [
          [1, (stage) => stage.run('api', { for: 'originations', status: 500 })],
          [2, (stage) => stage.takeBack()],
          [3, (stage) => stage.run('token', { hang: true })],
        ],
      }),
    );
    await after(2500);
    expect(simulator.waitingScripts.map(({ id }) => id)).toEqual([other]);
    simulator.arm();
    await after(5000);
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    expect(run.mock.calls).toEqual([
      ['token', { for: ['easy', 'sandbox'], lifetime: 3 }],
      ['api', { for: 'originations', status: 500 }],
      ['simulator', { takeBack: 2 }],
      ['simulator', { takeBack: 3 }],
      ['token', { for: ['easy', 'sandbox'], hang: true }],
      ['simulator', { takeBack: 5 }],
    ]);
    expect(simulator.waitingScripts.map(({ id }) => id)).toEqual([other, 4]);
    expect(simulator.rotateSecret).not.toHaveBeenCalled();
  });

  it('B25: rotates the secret: the first reading is the old one, and the first secret comes back', async () => {
    const { load, simulator, applications, rotated, said } = givenLoad();
    await load.start(seconds({ steps: [[1, ({ rotateSecret }) => rotateSecret()]] }));
    const { clientSecret } = applications.options[0].interfaces.easy.sandbox;
    expect([clientSecret(), clientSecret()]).toEqual([FIRST_SECRET, FIRST_SECRET]);
    await after(1100);
    expect(simulator.secret).toBe('canary-number-1');
    expect([clientSecret(), clientSecret(), clientSecret()]).toEqual([
      FIRST_SECRET,
      'canary-number-1',
      'canary-number-1',
    ]);
    expect(rotated.mock.calls).toEqual([[EASY]]);
    await after(5000);
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    expect(simulator.rotateSecret.mock.calls).toEqual([
      ['easy', 'sandbox', undefined],
      ['easy', 'sandbox', FIRST_SECRET],
    ]);
    expect(simulator.secret).toBe(FIRST_SECRET);
    expect(rotated.mock.calls).toEqual([[EASY], [EASY]]);
  });

  it('B25: rotates nothing if the client has no secret', async () => {
    const simulator = new SteeredSimulator();
    simulator.secret = undefined;
    const { load, applications, rotated, said } = givenLoad({ simulator });
    await load.start(seconds({ steps: [[1, ({ rotateSecret }) => rotateSecret()]] }));
    await after(6000);
    await happens(() => expect(said.mock.calls).toHaveLength(1));
    expect(applications.options).toEqual([{ interfaces: { easy: { sandbox: {} } } }]);
    expect(simulator.rotateSecret).not.toHaveBeenCalled();
    expect(rotated).not.toHaveBeenCalled();
  });
});

describe('the application of the callers', () => {
  it('B25: has its own agent with 64 connections, if the options have one, and each application has the same', async () => {
    const simulator = new SteeredSimulator();
    simulator.http = { httpsAgent: 'of the provider' };
    const { load, applications } = givenLoad({ simulator });
    await load.control({ calls: 1 });
    await load.start({ callers: 1 });
    expect(simulator.agent.mock.calls).toEqual([[{ maxSockets: 64 }]]);
    const http = { httpsAgent: { agent: { maxSockets: 64 } } };
    expect(applications.options).toMatchObject([{ http }, { http }]);
  });

  it.each([undefined, { timeout: 5 }])(
    'B25: has no own agent, if the options have http: %j',
    async (http) => {
      const simulator = new SteeredSimulator();
      simulator.http = http;
      const { load, applications } = givenLoad({ simulator });
      await load.control({ calls: 1 });
      expect(simulator.agent).not.toHaveBeenCalled();
      expect(applications.options[0].http).toEqual(http);
    },
  );

  it.each([
    ['no interfaces', {}],
    ['another interface', { interfaces: { stock: {} } }],
    ['another environment', { interfaces: { easy: { production: {} } } }],
  ])('B25: starts with options that have %s', async (_, options) => {
    const simulator = new SteeredSimulator();
    Object.assign(simulator, { options: () => options });
    const { load, applications } = givenLoad({ simulator });
    await load.control({ calls: 1 });
    expect(applications.options).toEqual([options]);
  });

  it('B25: is the module of this package for the built-in provider', async () => {
    const provider = await startSimulator();
    const silent = vi.fn<() => void>();
    const parts = {
      run: silent,
      started: silent,
      rotated: silent,
      unsent: silent,
      changed: silent,
      said: silent,
    };
    const load = new Load({ provider, definition: undefined, ...parts });
    onTestFinished(() => load.stop());
    await load.control({ calls: 1 });
    expect(load.status).toStrictEqual({ ...AT_REST, name: 'originations sandbox', calls: 1 });
    expect(provider.apiRequests).toHaveLength(1);
  });

  it('B25: needs a pair', () => {
    const provider = { pairs: [] } as unknown as ProviderSimulator;
    expect(() => new Load({ provider } as never)).toThrow(new TypeError('A provider has at least one pair.'));
  });
});
