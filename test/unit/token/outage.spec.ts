import { expect, it } from 'vitest';
import { Outage } from '../../../lib/token/outage.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, MINUTE } from '../../support/token/token-fixtures.js';

/** @param random 0.5 is the middle of the jitter. */
function givenOutage(random = (): number => 0.5) {
  const clock = new FakeClock();
  const outage = new Outage(clock, random);
  /** A renewal fails: the milliseconds until the next try. */
  const pause = (retryAfterMs?: number): number => {
    const { retryAt } = outage.failed(failureOf('TOKEN_UNAVAILABLE', { retryAfterMs }));
    return Math.round((retryAt?.getTime() ?? Number.NaN) - clock.wall());
  };
  return { clock, outage, pause };
}

it('B18: pauses a tenth of the time since the first failure, from 250 ms to 5 s', async () => {
  const { clock, pause } = givenOutage();
  const start = clock.monotonic();
  const pauses: number[] = [];
  for (const ms of [0, 2_400, 10_000, 30_000, 3_600_000]) {
    await clock.advance(ms - (clock.monotonic() - start));
    pauses.push(pause());
  }
  expect(pauses).toEqual([250, 250, 1_000, 3_000, 5_000]);
});

it('B18: counts from the first failed attempt of the first failed renewal', async () => {
  const { clock, outage } = givenOutage();
  const since = clock.monotonic();
  const pauseFrom = (moment: number): number =>
    (outage.failed(failureOf(), moment).retryAt?.getTime() ?? Number.NaN) - clock.wall();
  await clock.advance(10_000);
  expect(pauseFrom(since)).toBe(1_000);
  await clock.advance(10_000);
  expect(pauseFrom(clock.monotonic() - 100)).toBe(2_000);
});

it('B18: is on from the first failed renewal until one succeeds, and the next outage starts anew', async () => {
  const { clock, outage, pause } = givenOutage();
  pause();
  await clock.advance(60_000);
  pause();
  expect(outage.isOn).toBe(true);
  outage.ended();
  expect(outage.isOn).toBe(false);
  expect(pause()).toBe(250);
});

it('B18: pauses as long as Retry-After asks, if that is longer', async () => {
  const { clock, pause } = givenOutage();
  expect([pause(7_000), pause(100)]).toEqual([7_000, 250]);
  await clock.advance(3_600_000);
  expect(pause(600_000)).toBe(600_000);
});

it('B18: jitters by 20 % at most, and balances each second pause with the one before, so that bad luck costs no requests', () => {
  const draws = [0, 0.25, 1];
  const { pause } = givenOutage(() => draws.shift() ?? Number.NaN);
  expect(Array.from({ length: 6 }, () => pause())).toEqual([200, 300, 225, 275, 300, 200]);
});

it('B18: a corrected wall clock changes no pause', async () => {
  const { clock, pause } = givenOutage();
  pause();
  clock.setWallBy(3_600_000);
  expect(pause()).toBe(250);
  clock.setWallBy(-7_200_000);
  await clock.advance(20_000);
  expect(pause()).toBe(2_000);
});

it.each([
  ['has not failed itself', undefined, 20_000, 3_000],
  ['has failed later', 10_000, 20_000, 2_000],
  ['has failed earlier', 10_000, 5_000, 1_000],
])('B10: joins the outage of another process if it %s', async (_, failedMs, ageMs, expected) => {
  const { clock, outage, pause } = givenOutage();
  if (failedMs) pause();
  await clock.advance(failedMs ?? 0);
  outage.continueOutage(ageMs);
  expect(outage.isOn).toBe(true);
  if (!failedMs) await clock.advance(10_000);
  expect(pause()).toBe(expected);
});

it('B10: a refusal is no outage, also if the whole fleet is refused: the next failure pauses shortly', async () => {
  const { clock, outage, pause } = givenOutage();
  outage.failed(failureOf('TOKEN_REJECTED'));
  if (outage.failure) outage.standFor(MINUTE, outage.failure, 10 * MINUTE);
  expect([outage.ageMs, outage.isOn]).toEqual([10 * MINUTE, false]);
  await clock.advance(MINUTE);
  expect(pause()).toBe(250);
});

it('B35: knows when the failure happened, even if another process has prolonged its cool-down', async () => {
  const { clock, outage } = givenOutage();
  const at = clock.wall();
  outage.failed(failureOf());
  await clock.advance(50);
  const first = outage.failure;
  const error = first && outage.standFor(MINUTE, first);
  expect(error?.retryAt).toEqual(new Date(at + 50 + MINUTE));
  expect(outage.failure).toMatchObject({ error, at: { wall: at }, until: { wall: at + 50 + MINUTE } });
});

it('B10: a token of any process ends the cool-down, and the count of refusals', () => {
  const { clock, outage } = givenOutage();
  outage.failed(failureOf('TOKEN_REJECTED'));
  outage.ended();
  expect(outage.standingError).toBeUndefined();
  const { retryAt } = outage.failed(failureOf('TOKEN_REJECTED'));
  expect(retryAt).toEqual(new Date(clock.wall() + 5_000));
});

it('B33: an unknown account counts for a second, and is no outage', () => {
  const { clock, outage } = givenOutage();
  const { retryAt } = outage.failed(failureOf('ACCOUNT_UNKNOWN'));
  expect(retryAt).toEqual(new Date(clock.wall() + 1_000));
  expect(outage.isOn).toBe(false);
});
