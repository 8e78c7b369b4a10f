import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { Stories } from '../../../../lib/cli/simulate/stories.js';

const START = Date.parse('2026-01-02T03:04:05Z');

/** Adds requests in order. `ms` is the time since the start. */
class Traffic {
  /** How long the simulator's process was busy. */
  busyMs = 0;
  /** How long each request takes. */
  durationMs = 1;
  readonly stories = new Stories(() => this.busyMs);
  #id = 0;

  /** A GET, unless another method stands before the path. */
  call(place: string, status: number, ms = this.#id, name = 'easy sandbox'): number | undefined {
    const [path = '', method = 'GET'] = place.split(' ').toReversed();
    return this.#add(name, { kind: 'api', method, path, status, ms });
  }

  token(status = 200, ms = this.#id): void {
    this.#add('easy sandbox', { kind: 'token', method: 'POST', path: '/token', status, ms });
  }

  #add(
    name: string,
    { ms, ...request }: Pick<ShownRequest, 'kind' | 'method' | 'path'> & { status: number; ms: number },
  ): number | undefined {
    this.#id += 1;
    const shown = {
      ...request,
      id: this.#id,
      at: new Date(START + ms).toISOString(),
      reason: request.status === 401 ? 'token revoked' : '',
      ok: request.status < 400,
      durationMs: this.durationMs,
      count: 1,
    };
    return this.stories.add(name, shown, request.kind === 'api' && request.status === 401);
  }
}

/** 20 numbers. */
const twentyFrom = (first: number): readonly number[] =>
  Array.from({ length: 20 }, (_, index) => first + index);

describe('the stories of refused tokens', () => {
  it('B25: a 401, its token request and the call that was sent again are one story', () => {
    const traffic = new Traffic();
    traffic.call('/a', 200);
    traffic.call('/a', 401);
    traffic.token();
    expect(traffic.call('/a', 200)).toBe(2);
    expect(traffic.call('/a', 200)).toBeUndefined();
    expect(traffic.stories.list()).toMatchObject([
      {
        name: 'easy sandbox',
        reason: 'token revoked',
        refused: 1,
        tokenRequests: 1,
        sentAgain: 1,
        until: START + 4,
        isOver: false,
        steps: [{ id: 2 }, { id: 3 }, { id: 4, resendOf: 2 }],
      },
    ]);
  });

  it('B25: a call after a longer silence than any pause of a client is another call, not the one that was sent again', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(401, 1);
    traffic.token(200, 8000);
    expect(traffic.call('/a', 200, 8010)).toBeUndefined();
    expect(traffic.stories.list()).toMatchObject([{ refused: 1, tokenRequests: 1, sentAgain: 0 }]);
  });

  it('B25: time in which the simulator was busy is no silence', () => {
    const traffic = new Traffic();
    traffic.busyMs = 4000;
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    traffic.busyMs = 9000;
    expect(traffic.call('/a', 200, 8010)).toBeUndefined();
    expect(traffic.call('/a', 200, 7000)).toBe(1);
  });

  it('B25: the longest pause of a client is part of a story', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(503, 1);
    traffic.token(200, 2001);
    expect(traffic.call('/a', 200, 2010)).toBe(1);
  });

  it('B25: calls that are sent again one after the other are part of a story, however many there are', () => {
    const traffic = new Traffic();
    for (const path of ['/a', '/b', '/c']) traffic.call(path, 401, 0);
    traffic.token(200, 1);
    const repeated = ['/a', '/b', '/c'].map((path, index) => traffic.call(path, 200, 2000 * (index + 1)));
    expect(repeated).toEqual([1, 2, 3]);
  });

  it('B25: many refused calls with one token request are one story, in any order', () => {
    const traffic = new Traffic();
    for (let caller = 0; caller < 100; caller += 1) traffic.call(`/${caller}`, 401);
    traffic.token();
    const repeated = Array.from({ length: 100 }, (_, caller) => traffic.call(`/${99 - caller}`, 200));
    expect(repeated).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
    const [story, ...others] = traffic.stories.list();
    expect(others).toEqual([]);
    expect(story).toMatchObject({ refused: 100, tokenRequests: 1, sentAgain: 100 });
    expect(story?.steps).toHaveLength(41);
  });

  it('B25: refused token requests are part of the story', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401);
    traffic.token(503);
    expect(traffic.call('/a', 200)).toBeUndefined();
    traffic.token();
    expect(traffic.call('/a', 500)).toBe(1);
    expect(traffic.stories.list()).toMatchObject([
      { tokenRequests: 2, refusedTokenRequests: 1, sentAgain: 1, failedAgain: 1 },
    ]);
  });

  it('B25: a call that is refused again was sent again, and is no new refusal', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401);
    traffic.token();
    expect(traffic.call('/a', 401)).toBe(1);
    expect(traffic.stories.list()).toMatchObject([{ refused: 1, sentAgain: 1, failedAgain: 1 }]);
  });

  it('B25: a late refusal of the same token is no new story, a later one is', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    traffic.call('/a', 200, 2);
    traffic.call('/b', 401, 900);
    expect(traffic.call('/b', 200, 901)).toBe(4);
    traffic.call('/c', 401, 5000);
    expect(traffic.stories.list(START + 5000)).toMatchObject([
      { refused: 2, tokenRequests: 1, sentAgain: 2, failedAgain: 0 },
      { refused: 1, sentAgain: 0, isOver: false },
    ]);
  });

  it('B25: a call that is not sent again ends its story after the longest time of a call', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    expect(traffic.stories.list(START + 30_000)).toMatchObject([{ isOver: false }]);
    expect(traffic.stories.list(START + 30_001)).toMatchObject([{ isOver: true }]);
    expect(traffic.call('/a', 200, 30_001)).toBeUndefined();
  });

  it('B25: each pair has its own stories, and only so many are remembered', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0, 'easy sandbox');
    traffic.call('/a', 401, 0, 'easy production');
    expect(traffic.stories.list().map(({ name }) => name)).toEqual(['easy sandbox', 'easy production']);
    for (let count = 1; count < 100; count += 1) traffic.call('/a', 401, count * 40_000);
    expect(traffic.stories.list()).toHaveLength(50);
  });

  it('B25: an API that refuses tokens for ever makes one story after the other', () => {
    const traffic = new Traffic();
    for (let second = 0; second <= 61; second += 1) traffic.call('/a', 401, second * 1000);
    expect(traffic.stories.list(START + 62_000)).toMatchObject([
      { refused: 31, isOver: true },
      { refused: 31, isOver: false },
    ]);
    expect(traffic.stories.list(START + 92_000)).toMatchObject([{ isOver: true }, { isOver: true }]);
  });

  it('B25: what has changed is taken once', () => {
    const traffic = new Traffic();
    const taken = (ms: number) => traffic.stories.takeChanged(START + ms).map(({ id }) => id);
    traffic.call('/a', 200, 0);
    expect(taken(0)).toEqual([]);
    traffic.call('/a', 401, 1, 'easy sandbox');
    traffic.call('/b', 401, 2, 'easy production');
    expect(taken(2)).toEqual([1, 2]);
    expect(taken(2)).toEqual([]);
    traffic.call('/x', 200, 3);
    expect(taken(3)).toEqual([]);
    traffic.token(200, 4);
    expect(taken(4)).toEqual([1]);
    traffic.call('/a', 200, 5);
    expect(taken(5)).toEqual([1]);
    expect(traffic.stories.list()).toHaveLength(2);
    // Time alone ends the story of a call that is not sent again.
    expect(traffic.stories.takeChanged(START + 30_003)).toMatchObject([{ id: 2, isOver: true }]);
    expect(taken(40_000)).toEqual([]);
  });

  it('B25: a story has all that happened, and its requests', () => {
    const traffic = new Traffic();
    traffic.call('POST /a', 401, 5, 'easy sandbox merchant-1');
    const step = {
      at: '2026-01-02T03:04:05.005Z',
      kind: 'api',
      method: 'POST',
      path: '/a',
      status: 401,
      reason: 'token revoked',
      ok: false,
      durationMs: 1,
      count: 1,
    };
    const story = {
      id: 1,
      name: 'easy sandbox merchant-1',
      from: START + 5,
      reason: 'token revoked',
      refused: 1,
      sentAgain: 0,
      failedAgain: 0,
      tokenRequests: 0,
      refusedTokenRequests: 0,
      isOver: false,
      steps: [{ ...step, id: 1 }],
    };
    expect(traffic.stories.list(START + 6)).toEqual([story]);
    expect(traffic.stories.takeChanged(START + 6)).toEqual([story]);
  });

  it('B25: a story is over by the time of day, if no other time is given', () => {
    vi.useFakeTimers({ now: START });
    onTestFinished(() => void vi.useRealTimers());
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    expect(traffic.stories.takeChanged()).toMatchObject([{ isOver: false }]);
    vi.setSystemTime(START + 30_001);
    expect(traffic.stories.list()).toMatchObject([{ isOver: true }]);
    expect(traffic.stories.takeChanged()).toMatchObject([{ isOver: true }]);
  });

  it('B25: a story itself knows how long this process was busy', () => {
    const stories = new Stories();
    const request = {
      at: new Date(START).toISOString(),
      kind: 'api',
      method: 'GET',
      path: '/a',
      reason: '',
      ok: true,
      durationMs: 1,
      count: 1,
    } as const;
    stories.add('easy', { ...request, id: 1, ok: false }, true);
    stories.add('easy', { ...request, id: 2, kind: 'token' }, false);
    expect(stories.add('easy', { ...request, id: 3 }, false)).toBe(1);
  });

  it.each([
    ['as long as a client pauses at most', 3002, 1],
    ['longer', 3003, undefined],
  ])('B25: a silence that is %s: a call after %i ms', (_, ms, repeated) => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    expect(traffic.call('/a', 200, ms)).toBe(repeated);
  });

  it.each([
    [30_000, 1],
    [30_001, undefined],
  ])('B25: a story lasts for the longest time of a call: a call after %i ms', (ms, repeated) => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    for (let second = 2; second < 30; second += 2) traffic.token(503, second * 1000);
    traffic.token(200, 29_000);
    expect(traffic.call('/a', 200, ms)).toBe(repeated);
  });

  it.each([
    [1003, 1],
    [1004, 2],
  ])('B25: a refusal after %i ms is of the same story, or of a new one', (ms, stories) => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    traffic.call('/a', 200, 2);
    traffic.call('/b', 401, ms);
    expect(traffic.stories.list()).toHaveLength(stories);
    // It is open again.
    expect(traffic.stories.list().at(-1)).not.toHaveProperty('until');
  });

  it('B25: a silence begins with the last answer of all', () => {
    const traffic = new Traffic();
    traffic.durationMs = 2000;
    for (const path of ['/a', '/b', '/c']) traffic.call(path, 401, 0);
    traffic.durationMs = 1;
    traffic.token(200, 1);
    expect(traffic.call('/a', 200, 5000)).toBe(1);
    traffic.durationMs = 2500;
    traffic.token(200, 5001);
    expect(traffic.call('/b', 200, 10_000)).toBe(2);
    traffic.durationMs = 1;
    expect(traffic.call('/c', 200, 15_000)).toBe(3);
    expect(traffic.stories.list()).toMatchObject([{ until: START + 15_001, tokenRequests: 2 }]);
  });

  it('B25: the answer to a call that was sent again is an answer, too', () => {
    const traffic = new Traffic();
    for (const path of ['/a', '/b']) traffic.call(path, 401, 0);
    traffic.token(200, 1);
    traffic.durationMs = 2800;
    traffic.call('/a', 200, 2);
    expect(traffic.call('/b', 200, 5800)).toBe(2);
  });

  it('B25: token requests before a refusal and after the end belong to no story', () => {
    const traffic = new Traffic();
    traffic.token(200, 0);
    traffic.call('/a', 401, 1);
    traffic.token(200, 2);
    traffic.call('/a', 200, 3);
    traffic.stories.takeChanged();
    traffic.token(503, 4);
    expect(traffic.stories.takeChanged()).toEqual([]);
    expect(traffic.stories.list()).toMatchObject([
      { tokenRequests: 1, refusedTokenRequests: 0, steps: [{ id: 2 }, { id: 3 }, { id: 4 }] },
    ]);
  });

  it('B25: the same call of two callers is sent again twice, and the method counts', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.call('/a', 401, 1);
    traffic.call('POST /a', 401, 2);
    traffic.token(200, 3);
    expect(traffic.call('POST /a', 200, 4)).toBe(3);
    expect(traffic.call('/a', 200, 5)).toBe(1);
    expect(traffic.stories.list()[0]).not.toHaveProperty('until');
    expect(traffic.call('/a', 200, 6)).toBe(2);
    expect(traffic.call('/a', 200, 7)).toBeUndefined();
  });

  it('B25: 20 requests of each kind are remembered', () => {
    const traffic = new Traffic();
    for (let call = 0; call < 25; call += 1) traffic.call(`/${call}`, 401, call);
    for (let request = 0; request < 25; request += 1) traffic.token(503, 100);
    traffic.token(200, 200);
    for (let call = 0; call < 25; call += 1) traffic.call(`/${call}`, 500, 300);
    const [story] = traffic.stories.list();
    expect(story).toMatchObject({
      refused: 25,
      tokenRequests: 26,
      refusedTokenRequests: 25,
      sentAgain: 25,
      failedAgain: 25,
    });
    expect(story?.steps.map(({ id }) => id)).toEqual([
      ...twentyFrom(1),
      ...twentyFrom(26),
      ...twentyFrom(52),
    ]);
    expect(story?.steps.slice(40).map(({ resendOf }) => resendOf)).toEqual(twentyFrom(1));
  });

  it('B25: many requests of one kind leave room for those of another kind', () => {
    const traffic = new Traffic();
    for (let call = 0; call < 10; call += 1) traffic.call(`/${call}`, 401, 0);
    for (let request = 0; request < 12; request += 1) traffic.token(503, 1);
    traffic.token(200, 2);
    for (let call = 0; call < 9; call += 1) traffic.call(`/${call}`, 200, 3);
    for (let call = 10; call < 20; call += 1) traffic.call(`/${call}`, 401, 4);
    const steps = traffic.stories.list()[0]?.steps ?? [];
    expect(steps.filter(({ status }) => status === 401).map(({ path }) => path)).toEqual(
      twentyFrom(0).map((call) => `/${call}`),
    );
    expect(steps).toHaveLength(42);
  });

  it('B25: of more than 50 stories, the first ones are forgotten', () => {
    const traffic = new Traffic();
    for (let count = 0; count < 50; count += 1) traffic.call('/a', 401, count * 40_000);
    expect(traffic.stories.list().map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, one) => one + 1),
    );
    traffic.call('/a', 401, 50 * 40_000);
    expect(traffic.stories.list().map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, one) => one + 2),
    );
  });

  it('B25: a story whose calls were all sent again is never over by time', () => {
    const traffic = new Traffic();
    traffic.call('/a', 401, 0);
    traffic.token(200, 1);
    traffic.call('/a', 200, 2);
    expect(traffic.stories.list(START + 60_000)).toMatchObject([{ until: START + 3, isOver: false }]);
  });
});
