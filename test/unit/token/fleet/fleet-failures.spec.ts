import { describe, expect, it } from 'vitest';
import { FleetFailures } from '../../../../lib/token/fleet/fleet-failures.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { failureOf } from '../../../support/token-fixtures.js';

function given() {
  const clock = new FakeClock();
  const failures = new FleetFailures(clock);
  /** A failure that stands for so long. */
  const met = (ms: number): void => failures.met(failureOf().until(new Date(clock.wall() + ms)), 'entry');
  return { clock, failures, met };
}

describe('failures that a process knows of', () => {
  it('B6: stand until their moment, and not after it', async () => {
    const { clock, failures, met } = given();
    expect(failures.standing).toBeUndefined();
    met(250);
    expect(failures.standing).toMatchObject({ name: 'entry', error: { code: 'TOKEN_UNAVAILABLE' } });
    await clock.advance(249);
    expect(failures.standing).toBeDefined();
    await clock.advance(1);
    expect(failures.standing).toBeUndefined();
  });

  it('B6: stand for no time where they tell none, or one that is past', () => {
    const { clock, failures, met } = given();
    met(-1);
    expect(failures.standing).toBeUndefined();
    failures.met(failureOf(), 'entry');
    clock.setWallBy(-1);
    expect(failures.standing).toBeUndefined();
  });

  it('B6: are looked behind once a second', async () => {
    const { clock, failures, met } = given();
    expect(failures.mayLook()).toBe(true);
    expect(failures.mayLook()).toBe(false);
    await clock.advance(1_000);
    met(60_000);
    expect(failures.mayLook()).toBe(false);
    await clock.advance(1_000);
    expect(failures.mayLook()).toBe(true);
  });

  it('B6: make the fleet patient, until one is over', () => {
    const { failures, met } = given();
    const spans = [1, 2, 3].map(() => {
      met(1);
      return failures.spanFor(failureOf());
    });
    expect(spans).toEqual([500, 1_000, 2_000]);
    failures.over();
    expect(failures.standing).toBeUndefined();
    expect(failures.spanFor(failureOf())).toBe(250);
  });
});
