import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../../../lib/token/endpoint/token-response.js';
import { HOUR } from '../../../support/token/token-fixtures.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('readRetryAfter', () => {
  it.each([
    ['seconds', '2', 2_000],
    ['seconds in white space', ' 120 ', 120_000],
    ['a date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['a date without its comma', 'Sun 01 Mar 2026 12:00:30 GMT', 30_000],
    ['a date of the older form', 'Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
  ])('B6: reads %s', (_, header, expected) => {
    expect(readRetryAfter(header, NOW)).toBe(expected);
  });

  it.each([
    ['nothing', undefined],
    ['an empty value', ''],
    ['zero', '0'],
    ['a negative number', '-5'],
    ['a fraction', '1.5'],
    ['a word', 'soon'],
    ['a past date', 'Sun, 01 Mar 2026 11:59:59 GMT'],
    ['the present moment', 'Sun, 01 Mar 2026 12:00:00 GMT'],
    ['a date that does not exist', 'Xxx, 99 Foo 2026 12:00:00 GMT'],
    ['a date without its zone', 'Sun Mar  1 12:00:30 2026'],
    ['something that is no text', ['3']],
  ])('B6: ignores %s', (_, header) => {
    expect(readRetryAfter(header, NOW)).toBeUndefined();
  });

  it('B6: reads a long time as it is', () => {
    expect(readRetryAfter('86400', NOW)).toBe(24 * HOUR);
    expect(readRetryAfter('9'.repeat(400), NOW)).toBe(Infinity);
    expect(readRetryAfter('Mon, 02 Mar 2026 12:00:00 GMT', NOW)).toBe(24 * HOUR);
  });
});
