import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../../../lib/cli/simulate/scenarios.js';
import { Tally } from '../../../../lib/cli/simulate/tally.js';
import {
  type Facts,
  headlineOf,
  verdictOf,
  verdictOfScenario,
} from '../../../../lib/cli/simulate/verdict.js';
import { NO_COUNTS } from '../../../support/application/shown-session.js';

const NOTHING: Facts = { ...NO_COUNTS, token: { state: 'none' }, tokenFailures: 0, callFailures: 0 };

const facts = (state: Facts['token']['state'], others: Partial<Facts>): Facts => ({
  ...NOTHING,
  token: { state },
  ...others,
});

const DOWN = { tokenRequests: 13, failedTokenRequests: 12, tokenFailures: 12, tokenFailure: '503' };
const FAILING = { tokenRequests: 1, apiRequests: 9, failedCalls: 3, callFailures: 3 };

/** A pair whose verdict is made in the test that reads it. */
const pair = (name: string, given: Facts) => ({
  name,
  get verdict() {
    return verdictOf(given);
  },
});

describe('the verdict on a pair', () => {
  it.each<[what: string, facts: Facts, level: string, text: string]>([
    ['nothing was asked', NOTHING, 'idle', 'No requests yet.'],
    ['no token, and none to get', facts('none', DOWN), 'bad', 'Down: 12 token requests failed (503).'],
    [
      'one refused token request',
      facts('none', { tokenRequests: 1, tokenFailures: 1, tokenFailure: '401 wrong client secret' }),
      'bad',
      "Down: the client's id or secret is refused (1 token request, 401 wrong client secret).",
    ],
    [
      'a revoked token, and none to get',
      facts('revoked', DOWN),
      'bad',
      'Down: 12 token requests failed (503).',
    ],
    [
      'an expired token, and none to get',
      facts('expired', DOWN),
      'bad',
      'Down: 12 token requests failed (503).',
    ],
    [
      'a valid token, and no next one to get',
      facts('valid', DOWN),
      'warn',
      '12 token requests failed (503). The last token is still valid.',
    ],
    [
      'an API that fails',
      facts('valid', { ...FAILING, callFailure: '503' }),
      'bad',
      '3 calls failed in a row (503).',
    ],
    [
      'calls with a revoked token, after a new one was issued',
      facts('valid', { ...FAILING, callFailure: '401 token revoked' }),
      'warn',
      '3 calls refused (401 token revoked). A new token was issued.',
    ],
    [
      'calls with a revoked token',
      facts('revoked', { ...FAILING, callFailure: '401 token revoked' }),
      'warn',
      '3 calls refused (401 token revoked). No new token yet.',
    ],
    [
      'an API that fails while the token has expired',
      facts('expired', { ...FAILING, callFailure: '500' }),
      'warn',
      '3 calls failed (500). No new token yet.',
    ],
    [
      'a token endpoint that does not answer',
      facts('none', { ...DOWN, tokenFailure: 'no answer' }),
      'bad',
      'Down: 12 token requests failed (no answer).',
    ],
    [
      'calls without a token',
      facts('none', { apiRequests: 1, callFailures: 1, callFailure: '401 no token' }),
      'warn',
      '1 call refused (401 no token). No new token yet.',
    ],
    [
      'a revoked token',
      facts('revoked', { tokenRequests: 1, apiRequests: 2 }),
      'warn',
      'The token is revoked. The next call needs a new one.',
    ],
    [
      'an expired token',
      facts('expired', { tokenRequests: 1, apiRequests: 2 }),
      'warn',
      'The token is expired. The next call needs a new one.',
    ],
    [
      'too many tokens',
      facts('valid', { tokenRequests: 3, apiRequests: 9, early: 2 }),
      'warn',
      '2 tokens too early: the last token was valid for at least half of its life. Restarting the application causes this, too.',
    ],
    [
      'a token without a call',
      facts('valid', { tokenRequests: 1 }),
      'good',
      '1 token request, no calls yet.',
    ],
    [
      'as many calls as token requests',
      facts('valid', { tokenRequests: 2, apiRequests: 2 }),
      'good',
      '2 token requests served 2 calls.',
    ],
    [
      'an API that fails with a text that only contains such a reason',
      facts('valid', { ...FAILING, callFailure: '500 token revoked or not' }),
      'bad',
      '3 calls failed in a row (500 token revoked or not).',
    ],
    [
      'traffic',
      facts('valid', { tokenRequests: 1, apiRequests: 4312 }),
      'good',
      '1 token request served 4,312 calls.',
    ],
    [
      'traffic after a recovery',
      facts('valid', { tokenRequests: 14, failedTokenRequests: 12, apiRequests: 40, failedCalls: 8 }),
      'good',
      '14 token requests, 12 of them failed, served 32 calls.',
    ],
  ])('B25: %s', (_, given, level, text) => {
    expect(verdictOf(given)).toEqual({ level, text });
  });
});

describe('the headline', () => {
  const good = pair('easy sandbox', facts('valid', { tokenRequests: 1, apiRequests: 3 }));
  const idle = pair('easy production', NOTHING);
  const sum = { ...NO_COUNTS, tokenRequests: 2, apiRequests: 7 };

  it('B25: counts all pairs together if none needs help', () => {
    expect(headlineOf([idle, good], sum)).toEqual({
      level: 'good',
      text: '2 token requests served 7 calls.',
    });
    for (const pairs of [[idle], []])
      expect(headlineOf(pairs, NO_COUNTS)).toEqual({ level: 'idle', text: 'No requests yet.' });
  });

  it('B25: counts calls that were not sent, with trouble and after it', () => {
    const down = pair('easy sandbox', facts('none', { ...DOWN, unsent: 6452 }));
    expect(headlineOf([good, down], { ...sum, unsent: 6452 }).text).toBe(
      'easy sandbox: Down: 12 token requests failed (503). Failed before they were sent: 6,452 calls (no token).',
    );
    expect(headlineOf([good], { ...sum, unsent: 1 })).toEqual({
      level: 'warn',
      text: '2 token requests served 7 calls. Failed before they were sent: 1 call (no token).',
    });
  });

  it('B25: names the pair that needs help first', () => {
    const down = pair('easy sandbox', facts('none', DOWN));
    const revoked = pair('originations sandbox', facts('revoked', { tokenRequests: 1 }));
    expect(headlineOf([good, revoked, down], sum)).toEqual({
      level: 'bad',
      text: 'easy sandbox: Down: 12 token requests failed (503).',
    });
    expect(headlineOf([good, revoked], sum).text).toMatch(/^originations sandbox: The token is revoked/);
  });
});

const scenario = {
  before: 'Soon.',
  during: ({ failed }) => `${failed} failed so far.`,
  after: ({ failed }) => `${failed} failed.`,
  // One failed call is promised.
  held: ({ failed }) => failed === 1,
} as Pick<Scenario, 'before' | 'during' | 'after' | 'held'> as Scenario;

const tallyOf = (failed: number | undefined, isOver = false): Tally => {
  const tally = new Tally();
  if (failed !== undefined) tally.noteFault();
  tally.counts.failed = failed ?? 0;
  if (isOver) tally.noteEnd();
  return tally;
};

describe('the verdict on a scenario', () => {
  it.each([
    ['before its fault', tallyOf(undefined), 'idle', 'Soon.'],
    ['that ended before its fault', tallyOf(undefined, true), 'idle', 'Soon.'],
    ['while no call has failed', tallyOf(0), 'idle', '0 failed so far.'],
    ['while it still keeps its promise', tallyOf(1), 'idle', '1 failed so far.'],
    ['while it does not keep its promise', tallyOf(2), 'warn', '2 failed so far.'],
    ['that kept its promise', tallyOf(1, true), 'good', '1 failed.'],
    ['that did not keep its promise', tallyOf(2, true), 'bad', '2 failed.'],
  ])('B25: %s', (_, tally, level, text) => {
    expect(verdictOfScenario(scenario, tally, false)).toEqual({ level, text });
  });

  it.each([
    ['before its fault', tallyOf(undefined), 'Stopped early: nothing happened.'],
    ['after its fault', tallyOf(0), 'Stopped early: no call failed.'],
    ['after its end', tallyOf(2, true), 'Stopped early: 2 calls failed.'],
  ])('B25: that was stopped %s has no level', (_, tally, text) => {
    expect(verdictOfScenario(scenario, tally, true)).toEqual({ level: 'idle', text });
  });
});
