import { describe, expect, it } from 'vitest';
import { serverTime } from '../../../lib/time/server-clock.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const inHeader = (ms: number): string => new Date(NOW + ms).toUTCString();

describe('serverTime', () => {
  it.each([-1_800_000, -2_000, 2_000, 1_800_000])('B6: is the time of a server that is %i ms ahead', (ms) => {
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
