import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../lib/time/deadline.js';
import { StoreClock } from '../../../../lib/token/fleet/guarded-store.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { HOUR } from '../../../support/token/token-fixtures.js';

describe("the store's clock, as a process knows it", () => {
  it('F8: is not known before the first answer', () => {
    const clock = new StoreClock(new FakeClock());
    expect([clock.earliest, clock.latest]).toEqual([undefined, undefined]);
  });

  it('F8: was read at some moment between the question and the answer, and goes on since', async () => {
    const own = new FakeClock();
    const clock = new StoreClock(own);
    const asked = Deadline.after(own, 0);
    await own.advance(40);
    clock.record(1_000, asked);
    await own.advance(7.5);
    expect([clock.earliest, clock.latest]).toEqual([1_007, 1_047]);
    await own.advance(5 * HOUR);
    expect(clock.earliest).toBe(1_007 + 5 * HOUR);
  });

  it('F8: is not known any more after a sleep, a step of the wall clock, or many hours', async () => {
    for (const happens of [
      async (own: FakeClock) => own.sleep(1_001),
      async (own: FakeClock) => own.setWallBy(-1_001),
      (own: FakeClock) => own.advance(6 * HOUR + 1),
    ]) {
      const own = new FakeClock();
      const clock = new StoreClock(own);
      clock.record(1_000, Deadline.after(own, 0));
      own.setWallBy(1_000);
      expect(clock.earliest).toBe(1_000);
      own.setWallBy(-1_000);
      await happens(own);
      expect([clock.earliest, clock.latest]).toEqual([undefined, undefined]);
    }
  });

  it('F8: is still known after exactly 6 hours, and after a step of exactly a second', async () => {
    const own = new FakeClock();
    const clock = new StoreClock(own);
    clock.record(1_000, Deadline.after(own, 0));
    await own.advance(6 * HOUR);
    own.setWallBy(1_000);
    expect(clock.earliest).toBe(1_000 + 6 * HOUR);
  });
});
