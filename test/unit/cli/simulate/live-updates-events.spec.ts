// `nightly/simulator/live-updates.spec.ts` has what takes seconds.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ArmedFaults } from '../../../../lib/cli/simulate/armed-faults.js';
import { FAULTS } from '../../../../lib/cli/simulate/faults.js';
import { LiveUpdates } from '../../../../lib/cli/simulate/live-updates.js';
import type { Load, LoadStatus } from '../../../../lib/cli/simulate/load.js';
import type { Overview } from '../../../../lib/cli/simulate/overview.js';
import type { ChosenFault } from '../../../../lib/cli/simulate/reporter.js';
import { SCENARIOS } from '../../../../lib/cli/simulate/scenarios.js';
import type { OwnDefinition } from '../../../../lib/cli/simulate/session-spec.js';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import type { Verdict } from '../../../../lib/cli/simulate/verdict.js';
import { atMs, shownCall as call } from '../../../support/application/shown-session.js';

const COUNTS = { tokenRequests: 0, apiRequests: 0 };

const fault = (chain: string) => {
  const by: ChosenFault['by'] = 'page';
  return { at: '', by, chain, on: 'api' as const, code: `provider.${chain};`, body: '{}' };
};

/** Updates about parts that say what the test chooses. */
function givenParts({ definition }: { definition?: OwnDefinition } = {}) {
  const status: LoadStatus = { callers: 0, name: 'easy sandbox', calls: 0, failed: 0 };
  const load: { status: LoadStatus; headline: Verdict | undefined } = { status, headline: undefined };
  const overview = {
    counts: COUNTS,
    summary: { pairs: ['the pairs'], headline: { level: 'idle', text: 'of all pairs' } },
    stories: { list: () => ['all stories'], takeChanged: () => ['changed stories'] },
  };
  let noted = 0;
  const armed = {
    list: () => [{ code: `api.next(${noted}).hang()`, from: 0, leftBefore: noted }],
    noteWhatIsLeft: () => void (noted += 1),
    forgetUse: vi.fn<(id?: number) => void>(),
  };
  const updates = new LiveUpdates({
    overview: overview as unknown as Overview,
    armed: armed as unknown as ArmedFaults,
    load: load as Load,
    origin: 'https://localhost:4000',
    command: 'node main.js',
    definition,
  });
  return { updates, overview, armed, load };
}

/** What the page shows of those parts, after so many notes of what is left. */
const shownState = (noted: number) => ({
  now: 1234,
  origin: 'https://localhost:4000',
  pairs: ['the pairs'],
  headline: { level: 'idle', text: 'of all pairs' },
  counts: COUNTS,
  armed: [{ code: `api.next(${noted}).hang()`, from: 0, leftBefore: noted }],
  load: { callers: 0, name: 'easy sandbox', calls: 0, failed: 0 },
});

/** A page that keeps what it gets. */
class Page {
  readonly heads: unknown[][] = [];
  readonly written: string[] = [];
  readonly listeners: [event: string, listener: () => void][] = [];
  writableNeedDrain = false;
  isEnded = false;

  static open(updates: LiveUpdates): Page {
    const page = new Page();
    updates.subscribe(page as unknown as ServerResponse, { 'x-from': 'the server' });
    return page;
  }

  writeHead = (...head: unknown[]) => void this.heads.push(head);
  write = (text: string) => void this.written.push(text);
  once = (...listener: [string, () => void]) => void this.listeners.push(listener);

  end = (text: string) => {
    this.write(text);
    this.isEnded = true;
  };

  /** Something happens to the connection of the page. */
  emit(event: string): void {
    for (const [name, listener] of this.listeners.splice(0)) if (name === event) listener();
  }

  /** The events since the last call. */
  take(): { event: string; data: Record<string, unknown> }[] {
    return this.written.splice(0).map((text) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? [];
      return { event, data: JSON.parse(data) };
    });
  }
}

const idsOf = (data: unknown): unknown[] => (data as ShownRequest[]).map(({ id }) => id);

describe('what a page shows', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1234 }));
  afterEach(() => void vi.useRealTimers());

  it('B25: is the whole state, with the buttons', () => {
    const { updates } = givenParts();
    updates.add(call(1));
    updates.act(fault('api.hang()'));
    expect(updates.state()).toStrictEqual({
      ...shownState(1),
      stories: ['all stories'],
      requests: [call(1)],
      actions: [{ id: 1, kind: 'fault', ...fault('api.hang()') }],
      faults: FAULTS,
      scenarios: SCENARIOS.map(({ name, label, does, seconds }) =>
        seconds === undefined ? { name, label, does } : { name, label, does, seconds },
      ),
      command: 'node main.js',
    });
  });

  it('B25: has the sentence of a scenario as its headline, while there is one', () => {
    const { updates, load } = givenParts();
    load.headline = { level: 'good', text: 'of the scenario' };
    expect(updates.state().headline).toEqual({ level: 'good', text: 'of the scenario' });
  });

  it('B25: goes to a page that opens, as an event', () => {
    const { updates } = givenParts();
    updates.add(call(1));
    const page = Page.open(updates);
    expect(page.heads).toEqual([[200, { 'x-from': 'the server', 'content-type': 'text/event-stream' }]]);
    const state = { ...updates.state(), ...shownState(2) };
    expect(page.take()).toEqual([{ event: 'state', data: JSON.parse(JSON.stringify(state)) }]);
    // The page has it, so no update repeats it.
    vi.advanceTimersByTime(1000);
    expect(page.take()).toEqual([]);
  });

  it('B25: changes with one update for all that happens within 100 ms', () => {
    const { updates } = givenParts();
    const page = Page.open(updates);
    page.take();
    updates.add(call(1));
    vi.advanceTimersByTime(60);
    updates.add(call(2));
    updates.act(fault('api.hang()'));
    updates.act(fault('api.reset()'));
    vi.advanceTimersByTime(39);
    expect(page.take()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(page.take()).toEqual([
      {
        event: 'update',
        data: {
          ...shownState(3),
          now: 1334,
          stories: ['changed stories'],
          requests: [call(1), call(2)],
          actions: [
            { id: 1, kind: 'fault', ...fault('api.hang()') },
            { id: 2, kind: 'fault', ...fault('api.reset()') },
          ],
        },
      },
    ]);
    updates.changed();
    vi.advanceTimersByTime(100);
    expect(page.take()).toMatchObject([{ event: 'update', data: { requests: [], actions: [] } }]);
  });

  it('B25: changes for each page that is open', () => {
    const { updates } = givenParts();
    const [one, other] = [Page.open(updates), Page.open(updates)];
    one.take();
    other.take();
    updates.add(call(1));
    one.emit('close');
    vi.advanceTimersByTime(100);
    expect(one.take()).toEqual([]);
    expect(other.take()).toMatchObject([{ event: 'update', data: { requests: [{ id: 1 }] } }]);
  });

  it('B25: has the last 500 requests, and each fault stops counting a dropped request', () => {
    const { updates, armed } = givenParts();
    for (let id = 1; id <= 500; id += 1) updates.add(call(id, id === 1 ? { fault: 77 } : {}));
    expect(updates.state().requests).toHaveLength(500);
    expect(armed.forgetUse).not.toHaveBeenCalled();
    updates.add(call(501));
    updates.add(call(502));
    expect(idsOf(updates.state().requests)).toEqual(Array.from({ length: 500 }, (_, index) => index + 3));
    expect(armed.forgetUse.mock.calls).toEqual([[77], [undefined]]);
  });

  it('B25: has the last 500 actions', () => {
    const { updates } = givenParts();
    for (let number = 1; number <= 500; number += 1) updates.act(fault('api.hang()'));
    expect(updates.state().actions[0]?.id).toBe(1);
    updates.act(fault('api.hang()'));
    expect(idsOf(updates.state().actions)).toEqual(Array.from({ length: 500 }, (_, index) => index + 2));
  });

  it('B25: gets at most 400 requests in an update: first those that say most, in their order', () => {
    const { updates } = givenParts();
    const page = Page.open(updates);
    page.take();
    const special = { 5: { kind: 'token' }, 449: { ok: false }, 450: { resendOf: 1 } } as const;
    for (let id = 1; id <= 450; id += 1) updates.add(call(id, (special as Record<number, object>)[id]));
    vi.advanceTimersByTime(100);
    const [{ data } = { data: {} as Record<string, unknown> }] = page.take();
    const first = Array.from({ length: 398 }, (_, index) => index + 1);
    expect(idsOf(data['requests'])).toEqual([...first, 449, 450]);
  });

  it('B25: begins again with a new session, and nothing of the last one comes later', () => {
    const { updates } = givenParts();
    const page = Page.open(updates);
    updates.add(call(1));
    updates.act(fault('api.hang()'));
    page.take();
    updates.clear();
    expect(page.take()).toMatchObject([
      { event: 'state', data: { requests: [], actions: [], command: 'node main.js' } },
    ]);
    vi.advanceTimersByTime(100);
    expect(page.take()).toMatchObject([{ event: 'update', data: { requests: [], actions: [] } }]);
    expect(updates.state()).toMatchObject({ requests: [], actions: [] });
    updates.act(fault('api.reset()'));
    expect(updates.state()).toMatchObject({ actions: [{ id: 2 }] });
  });

  it('B25: gets the last news and the end, and then nothing more', () => {
    const { updates } = givenParts();
    const page = Page.open(updates);
    page.take();
    updates.add(call(1));
    updates.end();
    expect(page.take()).toMatchObject([
      { event: 'update', data: { requests: [{ id: 1 }] } },
      { event: 'ended', data: {} },
    ]);
    expect(page.isEnded).toBe(true);
    updates.add(call(2));
    vi.advanceTimersByTime(100);
    expect(page.take()).toEqual([]);
  });

  it('B25: waits while the page does not read, and is the whole state when it reads again', () => {
    const { updates } = givenParts();
    const page = Page.open(updates);
    page.take();
    page.writableNeedDrain = true;
    for (let id = 1; id <= 2; id += 1) {
      updates.add(call(id));
      vi.advanceTimersByTime(100);
    }
    expect(page.take()).toEqual([]);
    expect(page.listeners.map(([event]) => event)).toEqual(['close', 'drain']);
    page.writableNeedDrain = false;
    page.emit('drain');
    expect(page.take()).toMatchObject([
      { event: 'update' },
      { event: 'state', data: { requests: [{ id: 1 }, { id: 2 }], command: 'node main.js' } },
    ]);
    // The next time, the page waits again.
    page.writableNeedDrain = true;
    updates.add(call(3));
    vi.advanceTimersByTime(100);
    expect(page.listeners.map(([event]) => event)).toEqual(['drain']);
  });
});

describe('what is remembered as a spec', () => {
  it('B25: has the requests, the actions and your definition', () => {
    const { updates, overview } = givenParts({ definition: { name: 'stock', module: 'our-definitions' } });
    overview.counts = { tokenRequests: 1, apiRequests: 1 };
    updates.add(call(1, { kind: 'token' }));
    updates.add(call(2));
    updates.act({ ...fault('api.hang()'), at: atMs(1) });
    const spec = updates.spec();
    expect(spec).toContain("from 'our-definitions';");
    expect(spec).toContain("it('behaves as in the recorded session'");
    expect(spec).toContain(
      "\n\n  provider.api.hang();\n  expect(await call('easy', 'sandbox', 'GET', '/2'))",
    );
  });

  it.each([
    { tokenRequests: 2, apiRequests: 1 },
    { tokenRequests: 0, apiRequests: 3 },
  ])('B25: has the faults that waited if its first requests are no longer known: %j', (counts) => {
    const { updates, overview } = givenParts();
    updates.add(call(10));
    updates.add(call(11));
    overview.counts = counts;
    const spec = updates.spec();
    expect(spec).toContain("it('behaves as in the last 2 requests of the recorded session'");
    expect(spec).toContain('\n  // The calls before are no longer known.\n  provider.reset();\n');
  });
});
