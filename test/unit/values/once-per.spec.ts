import { describe, expect, it } from 'vitest';
import { oncePer } from '../../../lib/values/once-per.js';

describe('oncePer', () => {
  it('B30: calls the function once for each object', () => {
    const wrapped = oncePer((of: object) => ({ of }));
    const [one, other] = [{}, {}];
    expect(wrapped(one)).toBe(wrapped(one));
    expect(wrapped(other).of).toBe(other);
  });
});
