import { describe, expect, it } from 'vitest';
import { FleetOutage } from '../../../../lib/token/fleet/fleet-outage.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { failureOf, HOUR } from '../../../support/token/token-fixtures.js';

const NAME = 'entry';

function givenOutage() {
  const clock = new FakeClock();
  const ages: number[] = [];
  const outage = new FleetOutage(clock, { continueOutage: (ageMs) => void ages.push(ageMs), ended() {} });
  /** The process fails at this moment of the store's clock, and leaves the endpoint alone for a second. */
  const fail = (at?: number, error = failureOf(), name = NAME) =>
    outage.recordFailure(error.copy(new Date(clock.wall() + 1_000)), undefined, name, at);
  return { clock, ages, outage, fail };
}

describe('the failure of a process', () => {
  it('F10: has a note with the first failure of the outage and the end of the pause', () => {
    const { outage, fail } = givenOutage();
    expect(fail(5_000)).toEqual({ note: { since: 5_000, endsAt: 6_000 }, ms: 1_000 });
    expect(fail(7_000)).toEqual({ note: { since: 5_000, endsAt: 8_000 }, ms: 1_000 });
    outage.ended();
    expect(fail(9_000)).toEqual({ note: { since: 9_000, endsAt: 10_000 }, ms: 1_000 });
  });

  it('F15: has no note if its own setup is wrong, or if the clock of the store is unknown', () => {
    const { fail } = givenOutage();
    expect(fail(5_000, failureOf('TOKEN_UNAVAILABLE', { local: true }))).toBeUndefined();
    expect(fail(undefined)).toBeUndefined();
  });

  it('S11: lasts no longer if it is repeated after the wall clock was set back', async () => {
    const { clock, outage } = givenOutage();
    const error = failureOf().copy(new Date(clock.wall() + 1_000));
    outage.recordFailure(error, undefined, NAME, 5_000);
    clock.setWallBy(-HOUR);
    await clock.advance(400);
    // The secret has changed, and the cool-down repeats its error.
    expect(outage.recordFailure(error, undefined, 'another', 5_400)?.ms).toBe(600);
    await clock.advance(599);
    expect(outage.standingFailure?.name).toBe('another');
    await clock.advance(1);
    expect(outage.standingFailure).toBeUndefined();
  });

  it('B7: belongs to the entry of its secret', () => {
    const { outage, fail } = givenOutage();
    expect(outage.failureWith(NAME)).toBeUndefined();
    fail();
    expect(outage.failureWith(NAME)?.error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(outage.failureWith('entry of another secret')).toBeUndefined();
  });
});

describe('a look for a token of another process', () => {
  it('F17: is possible at once, and then once a second', async () => {
    const { clock, outage } = givenOutage();
    expect([outage.claimLook(1_000), outage.claimLook(1_000)]).toEqual([true, false]);
    await clock.advance(999);
    expect(outage.claimLook(1_000)).toBe(false);
    await clock.advance(1);
    expect(outage.claimLook(1_000)).toBe(true);
  });
});

function note(since: number, text = 'note') {
  return { text, since, endsAt: 20_500 };
}

describe('a note of another process', () => {
  it('F13: lets a process that has not failed try once, as a part of the outage in the note', () => {
    const { outage, ages } = givenOutage();
    expect(outage.obeyNote(note(5_000), NAME, 20_000)).toBe('try');
    expect(ages).toEqual([15_000]);
  });

  it('F13: counts from the earliest failure that this process knows', () => {
    const { outage, ages } = givenOutage();
    outage.obeyNote(note(5_000), NAME, 20_000);
    outage.obeyNote(note(8_000, 'later'), NAME, 20_000);
    outage.obeyNote(note(2_000, 'earlier'), NAME, 20_000);
    expect(ages).toEqual([15_000, 15_000, 18_000]);
  });

  it("F12: holds a process back that has failed itself, with the process's own error, once", async () => {
    const { clock, outage, fail, ages } = givenOutage();
    fail(10_000);
    await clock.advance(1_000);
    expect(outage.standingFailure).toBeUndefined();
    const verdict = outage.obeyNote(note(5_000), NAME, 20_000);
    expect(verdict).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      retryAt: new Date(clock.wall() + 500),
    });
    expect(outage.standingFailure?.error).toBe(verdict);
    expect(outage.obeyNote(note(5_000), NAME, 20_000)).toBe('try');
    expect(ages).toEqual([15_000]);
  });

  it.each([
    ['at an unknown moment', undefined],
    ['in an earlier outage', 4_999],
  ])('F13: lets a process try that has failed %s', (_, at) => {
    const { outage, fail } = givenOutage();
    fail(at);
    expect(outage.obeyNote(note(5_000), NAME, 20_000)).toBe('try');
  });
});
