import { describe, expect, it } from 'vitest';
import { chainOf, chainOfStatus, FAULTS, labelOf } from '../../../../lib/cli/simulate/faults.js';
import { OPEN, QUIT } from '../../../../lib/cli/simulate/keyboard.js';

const of = (label: string) => FAULTS.find((fault) => fault.label === label) ?? FAULTS[0]!;

describe('the faults of provider-auth simulate', () => {
  it('B25: have one key and one label each', () => {
    expect(new Set(FAULTS.map(({ key }) => key)).size).toBe(FAULTS.length);
    expect(new Set(FAULTS.map(({ label }) => label)).size).toBe(FAULTS.length);
    expect(FAULTS.filter(({ key }) => key.length !== 1 || key === OPEN || QUIT.has(key))).toEqual([]);
  });

  it('B25: are one table for the keys, the page and programs', () => {
    expect(
      FAULTS.map(({ key, label, on, chain, isCounted, does }) => [
        `${key} ${label}: ${does}`,
        on,
        chain,
        isCounted ? 'counted' : 'once',
      ]),
    ).toEqual([
      ['r revoke: all tokens are revoked', 'token', { revokeAll: true }, 'once'],
      ['5 503: the token endpoint is unavailable', 'token', { status: 503 }, 'counted'],
      ['9 429: too many token requests, Retry-After: 2', 'token', { retryAfter: [2, 429] }, 'counted'],
      ['i invalid client: the credentials are refused', 'token', { refuse: 'invalid_client' }, 'counted'],
      ['h hang: the token endpoint never answers', 'token', { hang: true }, 'counted'],
      ['x reset: the token connection is reset', 'token', { reset: true }, 'counted'],
      ['g garbage: the token endpoint sends bytes that are not HTTP', 'token', { garbage: true }, 'counted'],
      ['s short life: the token lives for 5 seconds', 'token', { lifetime: 5 }, 'counted'],
      ['u 401: the API refuses a valid token', 'api', { unauthorized: true }, 'counted'],
      ['0 500: the API fails', 'api', { status: 500 }, 'counted'],
      ['l late: the API answers after 2 seconds', 'api', { after: 2000, regular: true }, 'counted'],
      ['n new session: a new session starts at 0, without faults', 'simulator', { newSession: true }, 'once'],
      ['c clear: all faults are removed', 'simulator', { reset: true }, 'once'],
    ]);
  });

  it('B25: a chain of a button has its label, whatever its pair and number, and only for its target', () => {
    expect(labelOf('token', { for: ['easy', 'sandbox'], next: 7, status: 503 })).toBe('503');
    expect(labelOf('token', { revokeAll: true, for: 'easy' })).toBe('revoke');
    expect(labelOf('api', { status: 503 })).toBe('status 503');
    expect(labelOf('simulator', { reset: true })).toBe('clear');
    expect(labelOf('token', { reset: true })).toBe('reset');
    expect(labelOf('simulator', { takeBack: 12 })).toBe('take back 12');
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
    [{ lifetime: 2.5 }, 'lifetime 2.5 s'],
    [{ delay: 3 }, 'delay 3'],
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
    ['200', { status: 200 }],
    ['599:999999', { next: 999_999, status: 599 }],
    ['600', undefined],
    ['503:1000000', undefined],
    ['5030', undefined],
    ['x503', undefined],
    ['503:2x', undefined],
    ['', undefined],
  ])('B25: a status with a count, as an option: %s', (text, chain) => {
    expect(chainOfStatus(text)).toEqual(chain);
  });
});
