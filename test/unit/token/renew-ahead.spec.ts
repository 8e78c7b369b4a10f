import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { RenewAhead } from '../../../lib/token/renew-ahead.js';
import { Deadline } from '../../../lib/time/deadline.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { DAY, failureOf, HOUR, MINUTE, tokenOf } from '../../support/token/token-fixtures.js';

function givenRenewAhead(aheadMs = 5 * MINUTE, lifetimeMs = HOUR) {
  const clock = new FakeClock();
  const renewals: { at: number; token: AccessToken | undefined }[] = [];
  const start = clock.monotonic();
  const state = { answer: undefined as Error | undefined };
  const token = tokenOf(clock, 'one', lifetimeMs);
  const ahead = new RenewAhead(aheadMs, clock, (renewed) => {
    renewals.push({ at: clock.monotonic() - start, token: renewed });
    return state.answer ? Promise.reject(state.answer) : Promise.resolve(token);
  });
  return { clock, ahead, token, renewals, state };
}

/** Renewals that fail when the test says so. */
function givenSlowRenewals() {
  const clock = new FakeClock();
  const renewals: (AccessToken | undefined)[] = [];
  const answers: ((error: Error) => void)[] = [];
  const ahead = new RenewAhead(0, clock, (renewed) => {
    renewals.push(renewed);
    return new Promise((_, reject) => void answers.push(reject));
  });
  return { clock, ahead, renewals, answers };
}

/** An error that stands for `ms`. */
function cooled(clock: FakeClock, ms: number): Error {
  return failureOf().copy(new Date(clock.wall() + ms));
}

describe('RenewAhead', () => {
  it('S8: is off unless it is asked for', () => {
    const { clock, ahead, token } = givenRenewAhead(0);
    ahead.watch(token, 0);
    ahead.used();
    expect(clock.history).toEqual([]);
  });

  it('renews a token in use some time before its expiry', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(55 * MINUTE - 1);
    expect(renewals).toEqual([]);
    await clock.advance(1);
    expect(renewals).toEqual([{ at: 55 * MINUTE, token }]);
  });

  it('never before half of its life is over', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead(2 * HOUR);
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(2 * HOUR);
    expect(renewals.map(({ at }) => at)).toEqual([30 * MINUTE]);
  });

  it.each([
    ['the whole time ahead', 5 * MINUTE, 10 * MINUTE, 45 * MINUTE],
    ['the whole time ahead, also if it is shorter than the leeway', MINUTE, 10 * MINUTE, 49 * MINUTE],
    ['at most half of the time until then', 2 * HOUR, 30 * MINUTE, 15 * MINUTE],
  ])('renews before the token counts as expired: by %s', async (_, aheadMs, leewayMs, at) => {
    const { clock, ahead, token, renewals } = givenRenewAhead(aheadMs);
    ahead.watch(token, leewayMs);
    ahead.used();
    await clock.advance(HOUR);
    expect(renewals).toEqual([{ at, token }]);
  });

  it('B9: its timer holds no process', () => {
    const { clock, ahead, token } = givenRenewAhead();
    ahead.watch(token, 0);
    expect(clock.history).toEqual([{ ms: 55 * MINUTE, kind: 'background' }]);
  });

  it('S11: waits 30 days if that is what a token lives', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead(5 * MINUTE, 30 * DAY);
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(30 * DAY - 5 * MINUTE);
    expect(renewals).toHaveLength(1);
  });

  it('does not renew an unused token until its next use', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    await clock.advance(57 * MINUTE);
    expect(renewals).toEqual([]);
    ahead.used();
    expect(renewals).toEqual([{ at: 57 * MINUTE, token }]);
    ahead.used();
    expect(renewals).toHaveLength(1);
  });

  it('a new token has to be used anew', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    const next = tokenOf(clock, 'two');
    ahead.watch(next, 0);
    await clock.advance(HOUR);
    expect(renewals).toEqual([]);
    expect(clock.pending()).toEqual([]);
  });

  it('B6: after a failure tries again when the error no longer stands', async () => {
    const { clock, ahead, token, renewals, state } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(55 * MINUTE - 1);
    state.answer = cooled(clock, 401);
    await clock.advance(1);
    expect(renewals).toHaveLength(1);
    state.answer = undefined;
    await clock.advance(399);
    expect(renewals).toHaveLength(1);
    await clock.advance(1);
    expect(renewals).toHaveLength(2);
    expect(clock.history.every(({ kind }) => kind === 'background')).toBe(true);
  });

  it('B6: but not if the token is over by then', async () => {
    const { clock, ahead, token, renewals, state } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(55 * MINUTE - 1);
    state.answer = cooled(clock, HOUR);
    await clock.advance(2 * HOUR);
    expect(renewals).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B6: nor if it ends at that very moment', async () => {
    const { clock, ahead, token, renewals, state } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(55 * MINUTE - 1);
    state.answer = cooled(clock, 5 * MINUTE + 1);
    await clock.advance(1);
    expect(renewals).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it.each([
    ['that does not stand', failureOf()],
    ['that is a fault of this library', new TypeError('bug')],
  ])('ends after an error %s', async (_, error) => {
    const { clock, ahead, token, renewals, state } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    state.answer = error;
    await clock.advance(2 * HOUR);
    expect(renewals).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('forgets a token that was refused', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    ahead.forget();
    expect(clock.pending()).toEqual([]);
    await clock.advance(HOUR);
    ahead.used();
    expect(renewals).toEqual([]);
  });

  it('does not retry for a token that was replaced meanwhile', async () => {
    const { clock, ahead, token, state } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(55 * MINUTE - 1);
    state.answer = cooled(clock, 400);
    clock.pending()[0]?.callback();
    ahead.forget();
    await clock.advance(0);
    expect(clock.history).toHaveLength(1);
  });

  it('B9: once closed, sets no timer any more', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    ahead.close();
    ahead.watch(token, 0);
    ahead.used();
    await clock.advance(2 * HOUR);
    expect(renewals).toEqual([]);
    expect(clock.history).toHaveLength(1);
  });
});

describe('RenewAhead after a failed renewal', () => {
  it('B35: tries again at its time, as long as the state is asked for, and after each failure', async () => {
    const { clock, ahead, renewals, state } = givenRenewAhead(0);
    state.answer = cooled(clock, 13_000);
    ahead.asked(Deadline.after(clock, 3_000));
    ahead.asked(Deadline.after(clock, 3_000));
    await clock.advance(3_000);
    expect(renewals).toEqual([{ at: 3_000, token: undefined }]);
    await clock.advance(10_000);
    expect(renewals).toHaveLength(2);
  });

  it.each([
    ['has come', 2 * HOUR, 0],
    ['is earlier', HOUR - MINUTE, MINUTE],
  ])(
    'B35: after the machine has slept, tries at the time of the next try if that %s',
    async (_, sleptMs, leftMs) => {
      const { clock, ahead, renewals } = givenRenewAhead(0);
      const retryAt = Deadline.after(clock, HOUR);
      ahead.asked(retryAt);
      clock.sleep(sleptMs);
      ahead.asked(retryAt);
      await clock.advance(leftMs);
      expect(renewals).toEqual([{ at: leftMs, token: undefined }]);
      expect(clock.pending()).toEqual([]);
    },
  );

  it('B35: a question about a later try leaves the timer as it is', async () => {
    const { clock, ahead, renewals } = givenRenewAhead(0);
    ahead.asked(Deadline.after(clock, 3_000));
    await clock.advance(1_000);
    ahead.asked(Deadline.after(clock, 30_000));
    expect(clock.history).toHaveLength(1);
    await clock.advance(2_000);
    expect(renewals).toHaveLength(1);
  });

  it('B35: questions during short cool-downs lead to one try a second', async () => {
    const { clock, ahead, renewals, state } = givenRenewAhead(0);
    state.answer = cooled(clock, 0);
    for (let askedMs = 0; askedMs < 5_000; askedMs += 250) {
      ahead.asked(Deadline.after(clock, 250));
      await clock.advance(250);
    }
    expect(renewals.map(({ at }) => at)).toEqual([250, 1_250, 2_250, 3_250, 4_250]);
  });

  it('B35: comes even if an expired token still has a timer, because the machine has slept', async () => {
    const { clock, ahead, token, renewals } = givenRenewAhead();
    ahead.watch(token, 0);
    await clock.advance(55 * MINUTE - 2_000);
    clock.sleep(HOUR);
    ahead.asked(Deadline.after(clock, 5_000));
    await clock.advance(5_000);
    expect(renewals).toEqual([{ at: 55 * MINUTE + 3_000, token: undefined }]);
  });

  it('B35: ends after a bug of this library', async () => {
    const { clock, ahead, renewals, state } = givenRenewAhead(0);
    state.answer = new TypeError('bug');
    ahead.asked(undefined);
    await clock.advance(MINUTE);
    expect(renewals).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B35: if it fails, leaves a newer timer as it is', async () => {
    const { clock, ahead, renewals, answers } = givenSlowRenewals();
    ahead.asked(undefined);
    await clock.advance(1_000);
    ahead.asked(Deadline.after(clock, 2_000));
    answers[0]?.(cooled(clock, 10_000));
    await clock.advance(2_000);
    expect(renewals).toHaveLength(2);
  });

  it('B9: if it fails after the process has closed, sets no timer', async () => {
    const { clock, ahead, answers } = givenSlowRenewals();
    ahead.asked(undefined);
    await clock.advance(1_000);
    ahead.close();
    answers[0]?.(cooled(clock, 10_000));
    await clock.advance(0);
    expect(clock.pending()).toEqual([]);
  });

  it('B35: ends two minutes after the last question', async () => {
    const { clock, ahead, renewals, state } = givenRenewAhead(0);
    ahead.asked(undefined);
    for (let seconds = 0; seconds < 600; seconds += 1) {
      state.answer = cooled(clock, 5_000);
      await clock.advance(1_000);
    }
    expect(renewals.at(-1)?.at).toBeLessThanOrEqual(2 * MINUTE);
    expect(clock.pending()).toEqual([]);
    ahead.asked(undefined);
    await clock.advance(1_000);
    expect(renewals.at(-1)?.at).toBe(601_000);
  });

  it('B9: holds no process, and ends when a token arrives or the process closes', async () => {
    const { clock, ahead, renewals, token } = givenRenewAhead(0);
    ahead.asked(Deadline.after(clock, 5_000));
    expect(clock.history).toEqual([{ ms: 5_000, kind: 'background' }]);
    ahead.watch(token, 0);
    ahead.asked(Deadline.after(clock, 5_000));
    ahead.close();
    ahead.asked(Deadline.after(clock, 5_000));
    await clock.advance(10_000);
    expect([renewals, clock.pending()]).toEqual([[], []]);
  });
});
