import { expect, it, onTestFinished, vi } from 'vitest';
import { Tally } from '../../../../lib/cli/simulate/tally.js';

const NOTHING = {
  calls: 0,
  failed: 0,
  unsent: 0,
  recovered: 0,
  tokenRequests: 0,
  failedTokenRequests: 0,
};

/** A tally, and a clock that the test moves. */
function givenTally() {
  let now = 50_000;
  const tally = new Tally(() => now);
  return { tally, after: (seconds: number) => void (now += seconds * 1000) };
}

it('B25: a tally begins at 0, and before the fault of a scenario nothing is seen', () => {
  const { tally } = givenTally();
  expect(tally.counts).toEqual(NOTHING);
  expect(tally.seen).toBeUndefined();
  expect(tally.endedAt).toBeUndefined();
});

it('B25: a token request counts, and a failed one as failed, too', () => {
  const { tally } = givenTally();
  tally.noteTokenRequest(true);
  tally.noteTokenRequest(false);
  tally.noteTokenRequest(false);
  expect(tally.counts).toEqual({ ...NOTHING, tokenRequests: 3, failedTokenRequests: 2 });
});

it('B25: what is seen begins with the fault, and a further step of the fault does not begin again', () => {
  const { tally, after } = givenTally();
  Object.assign(tally.counts, { calls: 10, failed: 3, unsent: 2, recovered: 4 });
  tally.noteTokenRequest(true);
  tally.noteTokenRequest(false);
  tally.noteFault();
  after(1);
  Object.assign(tally.counts, { calls: 17, failed: 8, unsent: 4, recovered: 10 });
  tally.noteFault();
  tally.noteTokenRequest(false);
  after(2);
  expect(tally.seen).toStrictEqual({
    calls: 7,
    failed: 5,
    unsent: 2,
    recovered: 6,
    tokenRequests: 1,
    failedTokenRequests: 1,
    seconds: 3,
    failedLater: 0,
  });
});

it('B25: the first token after the fault is the recovery, and later failures are counted from there', () => {
  const { tally, after } = givenTally();
  tally.noteTokenRequest(true);
  tally.noteFault();
  tally.counts.failed = 5;
  after(2);
  tally.noteTokenRequest(false);
  after(4);
  tally.noteTokenRequest(true);
  tally.counts.failed = 7;
  after(8);
  tally.noteTokenRequest(true);
  expect(tally.seen).toStrictEqual({
    ...NOTHING,
    failed: 7,
    tokenRequests: 3,
    failedTokenRequests: 1,
    seconds: 14,
    recoveredAfter: 6,
    failedLater: 2,
  });
});

it('B25: the first end is the end, and no more seconds pass after it', () => {
  const { tally, after } = givenTally();
  tally.noteFault();
  after(3);
  tally.noteEnd();
  after(5);
  tally.noteEnd();
  expect(tally.endedAt).toBe(53_000);
  expect(tally.seen).toMatchObject({ seconds: 3 });
});

it('B25: without another clock, the clock of the system counts', () => {
  vi.useFakeTimers({ now: 7000 });
  onTestFinished(() => void vi.useRealTimers());
  const tally = new Tally();
  tally.noteEnd();
  expect(tally.endedAt).toBe(7000);
});
