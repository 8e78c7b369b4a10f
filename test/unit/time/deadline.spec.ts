import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../lib/time/clock.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { HOUR } from '../../support/token/token-fixtures.js';

describe('Deadline', () => {
  it('S11: has come at its very millisecond and not before', async () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, 1000);
    await clock.advance(999);
    expect(deadline.hasCome(clock)).toBe(false);
    expect(deadline.remaining(clock)).toBe(1);
    await clock.advance(1);
    expect(deadline.hasCome(clock)).toBe(true);
    expect(deadline.remaining(clock)).toBe(0);
    await clock.advance(1);
    expect(deadline.remaining(clock)).toBe(0);
  });

  it('S11: has come when the wall clock alone says so: a machine that slept', () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, HOUR);
    clock.sleep(HOUR);
    expect(deadline.hasCome(clock)).toBe(true);
  });

  it('S11: has come when the monotonic clock alone says so: a wall clock that was set back', async () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, HOUR);
    clock.setWallBy(-HOUR);
    await clock.advance(HOUR);
    expect(deadline.hasCome(clock)).toBe(true);
  });

  it('gives its date by the present wall clock if that was set back', async () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, 1_000);
    clock.setWallBy(-HOUR);
    expect(deadline.dateBy(clock)).toEqual(new Date(deadline.wall - HOUR));
    await clock.advance(5_000);
    expect(deadline.dateBy(clock)).toEqual(new Date(clock.wall() - 4_000));
  });

  it.each([-1_000, 0, HOUR])('gives the same date after the wall clock went by %i ms on its own', (ms) => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, 1_000);
    clock.setWallBy(ms);
    expect(deadline.dateBy(clock)).toEqual(deadline.date);
  });

  it('S11: gives the remaining time by the clock that reaches it first', () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, 1000);
    clock.setWallBy(300);
    expect(deadline.remaining(clock)).toBe(700);
    clock.setWallBy(-600);
    expect(deadline.remaining(clock)).toBe(1000);
  });

  it('moves on by both clocks', async () => {
    const clock = new FakeClock();
    const deadline = Deadline.after(clock, 0).plus(500);
    expect(deadline.date).toEqual(new Date(clock.wall() + 500));
    await clock.advance(499);
    expect(deadline.hasCome(clock)).toBe(false);
    await clock.advance(1);
    expect(deadline.hasCome(clock)).toBe(true);
  });
});
