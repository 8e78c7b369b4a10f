import { describe, expect, it, vi } from 'vitest';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import { POLL_MS, recordedStore } from '../../../support/fleet/fleet-store.js';
import { failureOf, MINUTE, tokenOf } from '../../../support/token/token-fixtures.js';

/** The sentences of `docs/fleet-protocol.md` about failures. */

const EXPIRED: TokenNeed = { reason: 'expired' };

/** A failure with a cool-down of so many milliseconds. */
function failing(clock: { wall(): number }, ms = 250, error = failureOf()) {
  return error.copy(new Date(clock.wall() + ms));
}

describe('failures', () => {
  it('F10, F12: a process that has failed itself leaves the endpoint alone until the note ends', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 250);
    await two.fails(failureOf(), 2_000);
    await clock.advance(250);
    const asked = one.asks();
    await settled();
    // The note is from the other process, and the error is the process's own error.
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 1_750) });
    expect(one.requests).toBe(1);
    await clock.advance(1_749);
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    await clock.advance(1);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('F11: a note that a writer puts back after its end is ignored', async () => {
    const { process, clock, store } = givenFleet();
    const { notes, put } = recordedStore(store);
    const one = process();
    await one.fails(failureOf(), 250);
    const [note] = notes;
    expect(note).toBeDefined();
    await clock.advance(250);
    await one.fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(MINUTE);
    await put({ note: note?.value ?? '' }, 270_000);
    await one.fetches('two', { need: EXPIRED });
  });

  it('F11: a note holds no process back for more than 6 s, or 60 s after a refusal', async () => {
    for (const [error, ms, longest] of [
      [failureOf(), 30_000, 6_000],
      [failureOf('TOKEN_REJECTED'), 300_000, 60_000],
      [failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 300_000 }), 300_000, 60_000],
    ] as const) {
      const { process, clock, store } = givenFleet();
      const { notes } = recordedStore(store);
      await process().fails(error, ms);
      expect(notes.map((note) => note.ms)).toEqual([longest]);
      const late = process();
      await late.fails(error, 100);
      expect(clock.pending('awaited')).toEqual([]);
    }
  });

  it("F12: a process heeds a note no longer than its own kind of failure allows, whatever the note's kind", async () => {
    const { process, clock } = givenFleet();
    const [refused, other] = [process(), process()];
    await other.fails(failureOf(), 100);
    await refused.fails(failureOf('TOKEN_REJECTED'), 60_000);
    await clock.advance(100);
    const asked = other.asks();
    await settled();
    expect(asked.error).toMatchObject({ status: 503, retryAt: new Date(clock.wall() + 6_000) });
  });

  it("F12: a note that is read a second time has held a process back for as long as the process's own kind of failure allows", async () => {
    const { process, clock } = givenFleet();
    const [limited, other] = [process(), process()];
    await other.fails(failureOf(), 100);
    await limited.fails(failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 60_000 }), 60_000);
    await clock.advance(100);
    other.asks();
    await clock.advance(6_000);
    expect((await other.fetches('one')).reveal()).toBe('one');
  });

  it('F11: a note lasts no longer if the clock of the store was set back', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf(), 5_000);
    clock.setWallBy(-50_000);
    await clock.advance(5_000);
    one.asks();
    await clock.advance(6_000);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('F13: a process that has not tried in this outage tries once itself, one at a time', async () => {
    const { process, clock } = givenFleet();
    const all = [process(), process(), process()];
    await all[0]?.fails(failureOf('TOKEN_REJECTED'), 5_000);
    const [two, three] = [all[1]?.asks(), all[2]?.asks()];
    await settled();
    expect(all.map((one) => one.requests)).toEqual([1, 1, 0]);
    all[1]?.endpoint.last.give(tokenOf(clock, 'two'));
    await clock.advance(POLL_MS);
    expect([two?.result?.reveal(), three?.result?.reveal()]).toEqual(['two', 'two']);
    expect(all.map((one) => one.requests)).toEqual([1, 1, 0]);
  });

  it('F13: a note that is put back costs a healthy process only its own attempt', async () => {
    const { process, clock, store } = givenFleet();
    const { notes, put } = recordedStore(store);
    await process().fails(failureOf('TOKEN_REJECTED'), 60_000);
    await put({ note: notes[0]?.value ?? '' });
    const healthy = process();
    await healthy.fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
    expect(clock.pending('awaited')).toEqual([]);
  });

  it('F13: a process that failed in an earlier outage has not tried in this outage', async () => {
    const { process, clock } = givenFleet();
    const [one, two] = [process(), process()];
    await one.fails(failureOf(), 250);
    await clock.advance(250);
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(MINUTE);
    await two.fails(failureOf(), 5_000);
    expect((await one.fetches('two')).reveal()).toBe('two');
  });

  it('F14: a note is never counted as a failure of this process', async () => {
    const { process, clock, store } = givenFleet();
    // A release takes as long as a trip to a distant Redis, so the note ends after the pause of its writer.
    const release = store.release.bind(store);
    vi.spyOn(store, 'release').mockImplementation(async (given) => {
      clock.after(20, () => void release(given), 'background');
    });
    const one = process();
    const waits: number[] = [];
    const messages: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const before = clock.monotonic();
      const own = one.requests;
      while (one.requests === own) {
        const asked = one.asks();
        await clock.advance(1);
        messages.push(asked.error instanceof Error ? asked.error.message : '');
      }
      waits.push(clock.monotonic() - before);
      one.endpoint.last.fail(failing(clock, 250));
      await settled();
    }
    expect(messages.join('\n')).not.toContain('another process');
    // The pause is the same each time. A note adds no more than its own trip.
    for (const wait of waits.slice(1)) expect(wait).toBeLessThanOrEqual(280);
  });

  it("F15: a failure of one process's own setup leaves no note, and the next process may ask at once", async () => {
    const { process, store } = givenFleet();
    const { notes } = recordedStore(store);
    await process().fails(
      failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true }),
      5_000,
    );
    await process().fetches('one');
    expect(notes).toEqual([]);
  });

  it('F16: a process whose lease has run out takes it again to leave its note', async () => {
    const { process, clock, store } = givenFleet();
    const { notes } = recordedStore(store);
    const one = process();
    one.asks();
    await clock.advance(3_000);
    one.endpoint.last.fail(failing(clock));
    await settled();
    expect(notes).toHaveLength(1);
  });

  it('F16: it does not take the lease if another process has it', async () => {
    const { process, clock, store } = givenFleet();
    const { notes } = recordedStore(store);
    const [one, two] = [process(), process()];
    one.asks();
    two.asks();
    await clock.advance(3_000);
    expect(two.requests).toBe(1);
    one.endpoint.last.fail(failing(clock));
    await settled();
    expect(notes).toEqual([]);
  });

  it('F17: while a failure stands, a process looks for a token once a second', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    await process().fetches('one');
    await clock.advance(999);
    const early = one.asks();
    await settled();
    expect(early.state).toBe('failed');
    await clock.advance(1);
    expect((await one.reads()).reveal()).toBe('one');
  });
});
