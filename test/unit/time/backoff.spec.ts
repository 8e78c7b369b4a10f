import { describe, expect, it } from 'vitest';
import { backoffMs, jitterFactor } from '../../../lib/time/backoff.js';

describe('backoffMs', () => {
  it('doubles up to the longest pause', () => {
    const backoff = { firstMs: 1_000, longestMs: 30_000 };
    expect([0, 1, 2, 3, 4, 5, 6].map((earlier) => backoffMs(backoff, earlier))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('grows by another factor, and without a limit if none is given', () => {
    expect(backoffMs({ firstMs: 20, factor: 1.5 }, 2)).toBe(45);
    expect(backoffMs({ firstMs: 1 }, 40)).toBe(2 ** 40);
  });
});

describe('jitterFactor', () => {
  it('is ±20 % unless another share is given', () => {
    expect([0, 0.5, 1].map((random) => jitterFactor(() => random))).toEqual([0.8, 1, 1.2]);
    expect([0, 0.5, 1].map((random) => jitterFactor(() => random, 0.5))).toEqual([0.5, 1, 1.5]);
  });
});
