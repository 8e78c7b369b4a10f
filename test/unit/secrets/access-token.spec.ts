import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { Deadline } from '../../../lib/time/clock.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { HOUR, tokenOf } from '../../support/token/token-fixtures.js';

describe('AccessToken', () => {
  it('identifies tokens by the first 16 digits of their SHA-256', () => {
    const clock = new FakeClock();
    const expected = createHash('sha256').update('one').digest('hex').slice(0, 16);
    expect(tokenOf(clock, 'one').fingerprint).toBe(expected);
    expect(tokenOf(clock, 'two').fingerprint).not.toBe(expected);
  });

  it('S11: knows its end by the wall clock', () => {
    const clock = new FakeClock();
    expect(tokenOf(clock, 'one', HOUR).expiresAt).toEqual(new Date(clock.wall() + HOUR));
  });

  it('S11: says how long it still lives, and ends at its very millisecond, leeway included', async () => {
    const clock = new FakeClock();
    const token = tokenOf(clock, 'one', 1000);
    await clock.advance(899);
    expect(token.remainingMs(clock)).toBe(101);
    expect(token.endsWithin(100, clock)).toBe(false);
    await clock.advance(1);
    expect(token.endsWithin(100, clock)).toBe(true);
    expect(token.endsWithin(0, clock)).toBe(false);
    expect(token.lifetimeMs).toBe(1000);
  });

  it('B2: equals a token of the same value, whatever object holds it', () => {
    const clock = new FakeClock();
    const token = tokenOf(clock, 'one');
    expect(token.equals(tokenOf(clock, 'one'))).toBe(true);
    expect(token.equals(tokenOf(clock, 'two'))).toBe(false);
  });

  it('B2: equals one of another copy of the package', () => {
    const other = { reveal: () => 'one' } as Secret;
    expect(tokenOf(new FakeClock(), 'one').equals(other)).toBe(true);
  });

  it('B10: knows whether it came from a store. Without an origin it came from the endpoint', () => {
    const clock = new FakeClock();
    expect(tokenOf(clock, 'one', HOUR, 'store').cameFromStore).toBe(true);
    expect(tokenOf(clock, 'one', HOUR, 'endpoint').cameFromStore).toBe(false);
    const life = { deadline: Deadline.after(clock, HOUR), lifetimeMs: HOUR };
    expect(new AccessToken('one', life).cameFromStore).toBe(false);
  });
});
