import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { Deadline } from '../../../lib/time/clock.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { CANARY, HOUR, tokenOf } from '../../support/token/token-fixtures.js';

describe('AccessToken', () => {
  it('gives its value to reveal() alone', () => {
    const token = tokenOf(new FakeClock(), CANARY.token);
    expect(token.reveal()).toBe(CANARY.token);
    const rendered = [
      String(token),
      `the token ${token as unknown as string}`,
      JSON.stringify({ token }),
      inspect(token, { showHidden: true, depth: null, getters: true }),
      inspect(token, { showHidden: true, depth: null, getters: true, customInspect: false }),
      inspect(new Map([[token, token]])),
    ].join('\n');
    expect(rendered).toContain('[redacted]');
    expect(rendered).not.toContain(CANARY.token);
  });

  it('cannot be changed', () => {
    const token = tokenOf(new FakeClock(), 'one');
    expect(Object.isFrozen(token)).toBe(true);
    expect(Reflect.set(token, 'expiresAt', new Date(0))).toBe(false);
  });

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

  it('S11: ends by either clock, leeway included', async () => {
    const clock = new FakeClock();
    const token = tokenOf(clock, 'one', 1000);
    await clock.advance(899);
    expect(token.endsWithin(100, clock)).toBe(false);
    await clock.advance(1);
    expect(token.endsWithin(100, clock)).toBe(true);
    expect(token.endsWithin(0, clock)).toBe(false);
    clock.setWallBy(100);
    expect(token.endsWithin(0, clock)).toBe(true);
    clock.setWallBy(-HOUR);
    expect(token.endsWithin(0, clock)).toBe(false);
    clock.setMonotonicBy(100);
    expect(token.endsWithin(0, clock)).toBe(true);
  });

  it('says how long it still lives', async () => {
    const clock = new FakeClock();
    const token = tokenOf(clock, 'one', 1000);
    await clock.advance(400);
    expect(token.remainingMs(clock)).toBe(600);
    await clock.advance(1000);
    expect(token.remainingMs(clock)).toBe(0);
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

  it('is a Secret, so whatever redacts secrets redacts it', () => {
    expect(tokenOf(new FakeClock(), 'one')).toBeInstanceOf(Secret);
    expect(new FakeClock()).not.toBeInstanceOf(AccessToken);
  });
});
