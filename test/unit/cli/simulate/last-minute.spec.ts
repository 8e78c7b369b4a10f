import { expect, it } from 'vitest';
import { LastMinute } from '../../../../lib/cli/simulate/last-minute.js';
import { atMs, shownCall } from '../../../support/application/shown-session.js';

const timeOf = (ms: number): number => Date.parse(atMs(ms));

it('B25: counts each second of the last minute by the moment of the answer, and forgets older ones', () => {
  const minute = new LastMinute();
  minute.add(shownCall(100));
  minute.add(shownCall(900, { durationMs: 200, ok: false }));
  minute.add(shownCall(1200, { resendOf: 1 }));
  minute.add(shownCall(1300, { kind: 'token', fault: 3 }));
  minute.addFault(timeOf(1400));
  const [first, second] = [
    { at: timeOf(0), tokenRequests: 0, calls: 1, failed: 0, sentAgain: 0, faults: 0 },
    { at: timeOf(1000), tokenRequests: 1, calls: 2, failed: 1, sentAgain: 1, faults: 2 },
  ];
  expect(minute.list(timeOf(59_999))).toEqual([first, second]);
  minute.add(shownCall(60_000, { durationMs: 0 }));
  expect(minute.list(timeOf(60_000))).toEqual([
    second,
    { at: timeOf(60_000), tokenRequests: 0, calls: 1, failed: 0, sentAgain: 0, faults: 0 },
  ]);
});
