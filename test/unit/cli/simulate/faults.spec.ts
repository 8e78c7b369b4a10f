import { describe, expect, it } from 'vitest';
import { chainOf, chainOfStatus, FAULTS, labelOf } from '../../../../lib/cli/simulate/faults.js';
import { QUIT } from '../../../../lib/cli/simulate/keyboard.js';

const of = (label: string) => FAULTS.find((fault) => fault.label === label) ?? FAULTS[0]!;

describe('the faults of provider-auth simulate', () => {
  it('B25: have one key and one label each', () => {
    expect(new Set(FAULTS.map(({ key }) => key)).size).toBe(FAULTS.length);
    expect(new Set(FAULTS.map(({ label }) => label)).size).toBe(FAULTS.length);
    expect(FAULTS.filter(({ key }) => key.length !== 1 || QUIT.has(key))).toEqual([]);
  });

  it('B25: are chains for all pairs or one, and for a number of requests', () => {
    const pair = { interface: 'easy', environment: 'sandbox' } as const;
    expect(chainOf(of('503'))).toEqual({ next: 1, status: 503 });
    expect(chainOf(of('503'), { pair, count: 3 })).toEqual({
      for: ['easy', 'sandbox'],
      next: 3,
      status: 503,
    });
    expect(chainOf(of('revoke'), { pair, count: 3 })).toEqual({ for: ['easy', 'sandbox'], revokeAll: true });
    expect(chainOf(of('clear'), { pair })).toEqual({ reset: true });
  });

  it.each([
    [{ lifetime: 3 }, 'lifetime 3 s'],
    [{ next: 2, hang: true }, 'hang'],
    [{ status: 404, after: 500 }, 'after 500, status 404'],
    [{ retryAfter: [3, 429] }, 'retry after 3, 429'],
    [{ lifetime: [3, { expiresIn: 9 }] }, 'lifetime 3 s, {…}'],
    [{ body: 'myOrders(1).x' }, 'body "myOrders(1).x"'],
  ])('B25: a chain without a button has words as its label: %j', (chain, label) => {
    expect(labelOf('token', { for: ['easy'], ...chain })).toBe(label);
  });

  it.each([
    ['503', { status: 503 }],
    ['503:2', { next: 2, status: 503 }],
    ['50', undefined],
    ['199', undefined],
    ['503:0', undefined],
    ['503:', undefined],
    ['503:-1', undefined],
  ])('B25: a status with a count, as an option: %s', (text, chain) => {
    expect(chainOfStatus(text)).toEqual(chain);
  });
});
