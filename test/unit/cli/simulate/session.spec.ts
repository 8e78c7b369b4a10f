import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Session } from '../../../../lib/cli/simulate/session.js';
import { ChainError } from '../../../../lib/cli/simulate/verbs.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { CONTROL_KEY, NO_COUNTS } from '../../../support/application/shown-session.js';
import {
  EASY,
  happens,
  noToken,
  scenarioOf,
  SteeredApplications,
  SteeredSimulator,
  useFakeTime,
} from '../../../support/application/steered-callers.js';
import { freePort } from '../../../support/run/free-port.js';

const START = Date.parse('2026-01-02T03:04:05.000Z');
const AT = '2026-01-02T03:04:05.000Z';

/** The verbs of the simulator's scripts. Each fault waits for requests. */
function scriptsOf(simulator: SteeredSimulator): object {
  const scripts: object = {
    for: () => scripts,
    status: () => void simulator.arm(),
    hang: () => void simulator.arm(3),
    revokeAll: () => 2,
  };
  return scripts;
}

interface State {
  readonly requests: object[];
  readonly actions: object[];
  readonly armed: object[];
  readonly counts: object;
}

/** A session on a clock that the test moves, with callers whose calls it answers. It ends with the test. */
async function givenSession(options: Partial<Parameters<typeof Session.start>[0]> = {}) {
  useFakeTime(START);
  const simulator = new SteeredSimulator();
  Object.assign(simulator, { token: scriptsOf(simulator), api: scriptsOf(simulator) });
  const applications = new SteeredApplications();
  const reporter = {
    started: vi.fn<() => void>(),
    request: vi.fn<(request: object, counts: object) => void>(),
    fault: vi.fn<(fault: object) => void>(),
    scenario: vi.fn<(text: string) => void>(),
    cleared: vi.fn<(counts: object) => void>(),
    ended: vi.fn<() => void>(),
  };
  const session = await Session.start({
    provider: simulator.double,
    definition: applications.definition,
    module: 'our-definitions',
    reporter,
    command: 'node main.js',
    key: 'key-of-session',
    ...options,
  });
  onTestFinished(async () => {
    const closed = session.close();
    await vi.advanceTimersByTimeAsync(20_000);
    await closed;
  });
  const get = async (place: string) => (await fetch(`${session.control.address}/${place}`)).text();
  return {
    session,
    simulator,
    applications,
    reporter,
    get,
    state: async () => JSON.parse(await get('state')) as State,
  };
}

/** What a page that is open gets. One read may return a part of an event, or several events. */
async function openEvents(session: Session) {
  const { body } = await fetch(`${session.control.address}/events`);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    /** Reads until all that was read matches, and returns it. */
    until: async (pattern: RegExp) => {
      while (!pattern.test(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The events have ended: ${text}`);
        text += value;
      }
      return text;
    },
    close: () => reader.cancel(),
  };
}

/** A call that arrived so many milliseconds after the start. */
const observed = (ms: number): ObservedRequest => ({
  kind: 'api',
  ...EASY,
  account: undefined,
  path: '/payments',
  reason: 'valid token',
  fault: undefined,
  refusedWith: [401],
  isEarly: false,
  at: new Date(START + ms),
  method: 'GET',
  status: 200,
  isComplete: true,
  durationMs: 3,
});

describe('a chain in a session', () => {
  it('B25: makes its fault, and the page, the reporter and the spec know of it', async () => {
    const { session, simulator, reporter, state, get } = await givenSession();
    expect(session.run('token', { for: 'easy', status: 503 }, 'page')).toBeUndefined();
    expect(simulator.waitingScripts).toEqual([{ id: 1, scope: {} }]);
    const chain = 'token.for("easy").status(503)';
    expect(reporter.fault.mock.calls).toStrictEqual([[{ at: AT, by: 'page', chain }]]);
    expect(await state()).toMatchObject({
      origin: 'https://localhost:4000',
      command: 'node main.js',
      armed: [{ id: 1, on: 'token', code: chain }],
    });
    expect((await state()).actions).toEqual([
      {
        id: 1,
        kind: 'fault',
        at: AT,
        by: 'page',
        chain,
        on: 'token',
        body: '{"for":"easy","status":503}',
        code: `provider.${chain};`,
      },
    ]);
    const spec = await get('session.spec.ts');
    expect(spec).toContain(`\n  provider.${chain};\n`);
    expect(spec).toContain("import * as definitions from 'our-definitions';");
    expect(spec).toContain("one?.name === 'depot'");
  });

  it('B25: returns its result, and shows it', async () => {
    const { session, reporter, state } = await givenSession();
    expect(session.run('token', { revokeAll: true }, 'key')).toBe(2);
    expect(reporter.fault.mock.calls).toEqual([
      [{ at: AT, by: 'key', chain: 'token.revokeAll()', result: 2 }],
    ]);
    expect((await state()).actions).toMatchObject([{ result: 2, code: 'provider.token.revokeAll();' }]);
  });

  it('B25: that is refused leaves nothing behind', async () => {
    const { session, reporter, state } = await givenSession();
    expect(() => session.run('token', { statu: 503 }, 'page')).toThrow(ChainError);
    expect(reporter.fault).not.toHaveBeenCalled();
    expect((await state()).actions).toEqual([]);
  });

  it('B25: takes one fault back, names it, and its line of a test keeps the others', async () => {
    const { session, simulator, state } = await givenSession();
    session.run('token', { status: 503 }, 'page');
    session.run('api', { hang: true }, 'page');
    expect(session.run('simulator', { takeBack: 1 }, 'control')).toBe(true);
    expect(simulator.waitingScripts.map(({ id }) => id)).toEqual([2]);
    expect(session.run('simulator', { takeBack: 99 }, 'control')).toBe(false);
    expect((await state()).actions.slice(2)).toMatchObject([
      {
        chain: 'simulator.takeBack(1) // token.status(503)',
        body: '{"takeBack":1}',
        code: 'provider.reset();\nprovider.api.hang();',
        result: true,
      },
      { chain: 'simulator.takeBack(99)', code: 'provider.reset();\nprovider.api.hang();', result: false },
    ]);
  });

  it('B25: removes all faults', async () => {
    const { session, simulator, state } = await givenSession();
    session.run('token', { status: 503 }, 'page');
    session.run('simulator', { reset: true }, 'page');
    expect(simulator.reset).toHaveBeenCalledOnce();
    expect(simulator.waitingScripts).toEqual([]);
    expect((await state()).actions).toMatchObject([
      { chain: 'token.status(503)' },
      { chain: 'simulator.reset()', code: 'provider.reset();' },
    ]);
    expect((await state()).armed).toMatchObject([{ id: 1, until: START }]);
  });
});

describe('a request in a session', () => {
  it('B25: is counted, reported and remembered', async () => {
    const { session, simulator, reporter, state } = await givenSession();
    const noted = vi.spyOn(session.load, 'noteRequest');
    const request = observed(1);
    simulator.emit('request', request);
    expect(session.overview.counts).toEqual({ ...NO_COUNTS, apiRequests: 1 });
    const shown = { id: 1, path: '/payments', status: 200 };
    expect(reporter.request.mock.calls).toMatchObject([[shown, { ...NO_COUNTS, apiRequests: 1 }]]);
    expect((await state()).requests).toMatchObject([shown]);
    expect(noted.mock.calls).toEqual([[request]]);
  });
});

describe('a new session', () => {
  it('B25: starts at 0, without faults, and says so', async () => {
    const { session, simulator, reporter, state } = await givenSession();
    session.run('token', { status: 503 }, 'page');
    simulator.emit('request', observed(1));
    await session.load.start(scenarioOf());
    await happens(() => expect(reporter.scenario.mock.calls).toEqual([['after 2 0 0 0 0 0']]));
    let proceed: (() => void) | undefined;
    const stopped = new Promise<void>((resolve) => (proceed = resolve));
    const stop = vi.spyOn(session.load, 'stop').mockReturnValueOnce(stopped);
    const begun = session.run('simulator', { newSession: true }, 'page');
    expect(stop.mock.calls).toEqual([[1000]]);
    // Its result is a promise, so it is not shown.
    expect(reporter.fault.mock.calls.at(-1)).toStrictEqual([
      { at: AT, by: 'page', chain: 'simulator.newSession()' },
    ]);
    expect((await state()).actions.at(-1)).toMatchObject({ code: 'provider.reset();' });
    expect(simulator.reset).not.toHaveBeenCalled();
    proceed?.();
    await begun;
    expect(simulator.reset).toHaveBeenCalledOnce();
    expect(reporter.cleared.mock.calls).toEqual([[NO_COUNTS]]);
    expect(await state()).toMatchObject({
      counts: NO_COUNTS,
      requests: [],
      actions: [],
      armed: [],
      load: { callers: 0, calls: 0 },
    });
    expect((await state()) as object).not.toHaveProperty('load.outcome');
  });

  it('B25: waits a second for calls that are under way', async () => {
    const { session, simulator, applications } = await givenSession();
    applications.get.mockImplementation(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    );
    void session.load.control({ calls: 1 });
    await happens(() => expect(applications.paths).toHaveLength(1));
    const begun = session.run('simulator', { newSession: true }, 'page');
    await vi.advanceTimersByTimeAsync(999);
    expect(simulator.reset).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await begun;
    expect(simulator.reset).toHaveBeenCalledOnce();
  });

  it('B25: begins although the callers fail to end', async () => {
    const { session, simulator } = await givenSession();
    vi.spyOn(session.load, 'stop').mockRejectedValueOnce(new Error('cannot end'));
    await session.run('simulator', { newSession: true }, 'page');
    expect(simulator.reset).toHaveBeenCalledOnce();
  });

  it('B25: has no request that had begun before', async () => {
    const { session, simulator, reporter } = await givenSession();
    vi.setSystemTime(START + 100);
    await session.run('simulator', { newSession: true }, 'page');
    simulator.emit('request', observed(99));
    simulator.emit('request', observed(100));
    expect(reporter.request).not.toHaveBeenCalled();
    simulator.emit('request', observed(101));
    expect(reporter.request).toHaveBeenCalledOnce();
  });
});

describe('the callers of a session', () => {
  it('B25: make the faults of their scenario, rotate the secret, and the reporter gets the last sentence', async () => {
    const { session, simulator, reporter, state } = await givenSession();
    const started = vi.spyOn(session.overview, 'noteStart');
    await session.load.start(
      scenarioOf({
        first: ({ run, rotateSecret }) => {
          run('token', { status: 503 });
          rotateSecret();
        },
      }),
    );
    await happens(() => expect(reporter.scenario.mock.calls).toEqual([['after 2 0 0 0 0 0']]));
    expect(started.mock.calls).toEqual([[EASY]]);
    const rotation = {
      kind: 'fault',
      at: AT,
      by: 'scenario',
      chain: 'rotateSecret("easy", "sandbox")',
      body: '{"for":["easy","sandbox"],"rotateSecret":true}',
      code: 'provider.rotateSecret("easy", "sandbox");',
    };
    const { actions } = await state();
    expect(actions).toMatchObject([
      { by: 'scenario', on: 'token', chain: 'token.for("easy", "sandbox").status(503)' },
      {},
      {
        by: 'scenario',
        on: 'simulator',
        chain: 'simulator.takeBack(1) // token.for("easy", "sandbox").status(503)',
      },
      {},
    ]);
    expect([actions[1], actions[3]]).toEqual([
      { id: 2, ...rotation },
      { id: 4, ...rotation },
    ]);
    expect(simulator.waitingScripts).toEqual([]);
  });

  it('B25: report calls that never left, and a page that is open hears of them', async () => {
    const { session, applications } = await givenSession();
    const events = await openEvents(session);
    await events.until(/^event: state\n.*\n\n/);
    applications.get.mockRejectedValue(noToken());
    await session.load.control({ calls: 1 });
    expect(session.overview.counts).toEqual({ ...NO_COUNTS, unsent: 1 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await events.until(/event: update\n.*\n\n/)).toMatch(/\n\nevent: update\n.*"unsent":1/);
    await events.close();
  });

  it('B25: that have started are shown to a page that is open', async () => {
    const { session } = await givenSession();
    const events = await openEvents(session);
    await events.until(/^event: state\n.*\n\n/);
    await session.load.control({ calls: 1 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await events.until(/event: update\n.*\n\n/)).toMatch(/\n\nevent: update\n.*"calls":1/);
    await events.close();
  });
});

describe('the addresses of a session', () => {
  // Another program may take the port before the session does.
  it('B25: have the chosen port and key, and the page', { retry: 3 }, async () => {
    const port = await freePort();
    const page = new Map([['index.html', { type: 'text/html', content: Buffer.from('the page') }]]);
    const { session, get } = await givenSession({ port, key: CONTROL_KEY, page });
    expect(session.control.address).toBe(`http://127.0.0.1:${port}/${CONTROL_KEY}`);
    expect(session.control.page).toBe(`http://127.0.0.1:${port}/${CONTROL_KEY}/`);
    expect(await get('index.html')).toBe('the page');
  });

  it('B25: run chains and orders', async () => {
    const { session, reporter } = await givenSession();
    const post = async (place: string, body: string) =>
      (await fetch(`${session.control.address}/${place}`, { method: 'POST', body })).json();
    expect(await post('token', '{"revokeAll":true}')).toEqual({ ok: true, result: 2 });
    expect(reporter.fault.mock.calls).toMatchObject([[{ by: 'control', chain: 'token.revokeAll()' }]]);
    expect(await post('load', '{"stop":true}')).toEqual({ ok: true });
  });

  it.each([
    ['the built-in provider', { definition: undefined, module: undefined }, "from 'nestjs-provider-auth';"],
    ['a definition without a module', { module: undefined }, "import * as definitions from '';"],
  ])('B25: have a spec for %s', async (_, options, text) => {
    const { get } = await givenSession(options);
    expect(await get('session.spec.ts')).toContain(text);
  });
});

describe('the end of a session', () => {
  it('B25: gives calls a second, and has no request after it', async () => {
    const { session, simulator, reporter } = await givenSession();
    const steps: unknown[] = [];
    vi.spyOn(session.load, 'stop').mockImplementation(async (...args) => {
      simulator.emit('request', observed(5));
      steps.push(args, reporter.request.mock.calls.length);
    });
    const closed = vi.spyOn(session.control, 'close');
    await session.close();
    expect(steps).toEqual([[1000], 1]);
    expect(closed).toHaveBeenCalledOnce();
    simulator.emit('request', observed(1_000_000));
    expect(reporter.request).toHaveBeenCalledOnce();
    await expect(fetch(session.control.address)).rejects.toThrow('fetch failed');
    closed.mockResolvedValue();
  });
});
