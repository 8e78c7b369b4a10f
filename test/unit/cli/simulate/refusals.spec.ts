import { describe, expect, it } from 'vitest';
import { Refusals } from '../../../../lib/cli/simulate/refusals.js';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { atMs, shownCall } from '../../../support/application/shown-session.js';

const EASY = 'easy sandbox';

/** Sentences about requests. A request has the number of its moment in milliseconds, and lasts for one. */
class Told {
  readonly #refusals = new Refusals();
  #now = 0;

  refused(at: number, path = '/a'): number | undefined {
    return this.#add({ path, ok: false, status: 401, reason: 'token revoked' }, at, true);
  }

  called(at: number, path = '/a', ok = true): number | undefined {
    return this.#add({ path, ok }, at, false);
  }

  token(at: number, ok = true): number | undefined {
    return this.#add({ kind: 'token', path: '/token', ok }, at, false);
  }

  sentences(later = 1): string[] {
    const now = Date.parse(atMs(this.#now + later));
    return this.#refusals.list(now).map(({ level, text }) => `${level}: ${text}`);
  }

  #add(changes: Partial<ShownRequest>, at: number, isRefusal: boolean): number | undefined {
    this.#now = at + 1;
    return this.#refusals.add(EASY, shownCall(at, changes), isRefusal);
  }
}

describe('what happened to refused calls', () => {
  it('B25: a call that was sent again with a new token is one sentence', () => {
    const told = new Told();
    told.refused(10);
    expect(told.sentences()).toEqual([
      'warn: 1 call refused (token revoked) → 0 token requests → 0 sent again so far.',
    ]);
    told.token(11);
    expect(told.called(13)).toBe(10);
    expect(told.sentences()).toEqual([
      'good: 1 call refused (token revoked) → 1 token request → 1 sent again, in 4 ms. Your caller noticed nothing.',
    ]);
  });

  it('B25: calls that were under way with the same token are part of it, and each repeats one of them', () => {
    const told = new Told();
    for (const at of [10, 11, 12]) told.refused(at);
    told.token(13, false);
    told.token(14);
    expect([told.called(15), told.called(16), told.called(17), told.called(18)]).toEqual([
      10,
      11,
      12,
      undefined,
    ]);
    told.refused(900, '/late');
    told.called(901, '/late');
    expect(told.sentences()).toEqual([
      'good: 4 calls refused (token revoked) → 2 token requests, 1 failure → 4 sent again, in 892 ms. Your callers noticed nothing.',
    ]);
  });

  it('B25: never says that a caller noticed nothing if a call was not sent again, or failed again', () => {
    const told = new Told();
    told.refused(10);
    told.token(11, false);
    expect(told.sentences(3001)).toEqual([
      'bad: 1 call refused (token revoked) → 1 token request, 1 failure → 0 sent again. 1 caller got an error.',
    ]);
    // After the silence, the same call is another caller's.
    told.token(3100);
    expect(told.called(3101)).toBeUndefined();
    told.refused(5000);
    told.token(5001);
    expect(told.called(5002, '/a', false)).toBe(5000);
    expect(told.sentences().at(-1)).toBe(
      'bad: 1 call refused (token revoked) → 1 token request → 1 sent again. 1 caller got an error.',
    );
  });

  it('B25: a call before a new token was issued, or to another path, is not sent again', () => {
    const told = new Told();
    told.refused(10);
    expect(told.called(11)).toBeUndefined();
    told.token(12);
    expect(told.called(13, '/b')).toBeUndefined();
    expect(told.called(14)).toBe(10);
  });

  it('B25: refusals after a silence begin a new sentence; the last 20 are kept', () => {
    const told = new Told();
    told.refused(10);
    told.token(11);
    told.called(12);
    told.refused(1100);
    expect(told.sentences()).toHaveLength(1);
    for (let at = 100_000; at < 300_000; at += 5000) told.refused(at);
    expect(told.sentences()).toHaveLength(20);
  });
});
