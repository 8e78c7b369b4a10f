import { describe, expect, it } from 'vitest';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { Stories } from '../../../../lib/cli/simulate/stories.js';

const START = Date.parse('2026-01-02T03:04:05Z');

/** Adds requests in order. `ms` is the time since the start. */
class Traffic {
  /** How long the simulator's process was busy. */
  busyMs = 0;
  readonly stories = new Stories(() => this.busyMs);
  #id = 0;

  call(path: string, status: number, ms = this.#id, name = 'easy sandbox'): number | undefined {
    return this.#add(name, { kind: 'api', path, status, ms });
  }

  token(status = 200, ms = this.#id): void {
    this.#add('easy sandbox', { kind: 'token', path: '/token', status, ms });
  }

  #add(
    name: string,
    { ms, ...request }: Pick<ShownRequest, 'kind' | 'path'> & { status: number; ms: number },
  ): number | undefined {
    this.#id += 1;
    const shown = {
      ...request,
      id: this.#id,
      at: new Date(START + ms).toISOString(),
      method: 'GET',
      reason: request.status === 401 ? 'token revoked' : '',
      ok: request.status < 400,
      durationMs: 1,
      count: 1,
    };
    return this.stories.add(name, shown, request.kind === 'api' && request.status === 401);
  }
}

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
});
