import { describe, expect, it } from 'vitest';
import { clockAheadMs, readHttpDate, serverTime } from '../../../lib/time/server-clock.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const inHeader = (ms: number): string => new Date(NOW + ms).toUTCString();

describe('serverTime', () => {
  it.each([-2_000, 2_000])('B6: is the time of a server that is %i ms ahead', (ms) => {
    expect(serverTime(inHeader(ms), NOW)).toBe(NOW + ms);
  });

  it.each([
    ['gives no date', undefined],
    ['gives a text that is no date', 'today'],
    ['is behind by a second', inHeader(-1_000)],
    ['is ahead by a second', inHeader(1_000)],
  ])('B6: is the time of this machine if the server %s', (_, date) => {
    expect(serverTime(date, NOW)).toBe(NOW);
  });
});

describe('readHttpDate', () => {
  it.each(['Sun, 01 Mar 2026 12:00:00 GMT', 'Sunday, 01-Mar-26 12:00:00 GMT'])('reads %s', (date) => {
    expect(readHttpDate(date)).toBe(NOW);
  });

  // `Date.parse` reads all of these.
  it.each([
    ['without a day', '01 Mar 2026 12:00:00 GMT'],
    ['with a text before it', '1 Sun, 01 Mar 2026 12:00:00 GMT'],
    ['with a text after it', 'Sun, 01 Mar 2026 12:00:00 GMT+1'],
    ['of another zone', 'Sun, 01 Mar 2026 12:00:00 GMT-1'],
    ['in a list', ['Sun, 01 Mar 2026 12:00:00 GMT']],
  ])('reads no date %s', (_, date) => {
    expect(readHttpDate(date)).toBeUndefined();
  });
});

describe('clockAheadMs', () => {
  it.each([
    [0, 0, -500],
    [0, 1_000, 0],
    [90_000, 92_000, 90_500],
  ])('B6: a request from %i to %i ms after the date of its answer: %i ms ahead', (asked, answered, ahead) => {
    expect(clockAheadMs(inHeader(0), NOW + asked, NOW + answered)).toBe(ahead);
  });

  it('B6: is unknown without a date', () => {
    expect(clockAheadMs(undefined, NOW, NOW)).toBeUndefined();
  });
});
