import { expect, it } from 'vitest';
import { counted, numberOf } from '../../../lib/cli/number-of.js';

it.each([
  [0, '0 calls'],
  [1, '1 call'],
  [2, '2 calls'],
  [4312, '4312 calls'],
])('a number has its noun in the right form: %i', (count, text) => {
  expect(numberOf(count, 'call')).toBe(text);
});

it('a large number may have its digits in groups', () => {
  expect([counted(4312, 'call'), counted(1, 'call')]).toEqual(['4,312 calls', '1 call']);
});
