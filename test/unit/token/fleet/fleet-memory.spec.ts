import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../../lib/secrets/access-token.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry, type StoredToken } from '../../../../lib/token/fleet/fleet-entry.js';
import { FleetMemory } from '../../../../lib/token/fleet/fleet-memory.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { CANARY, HOUR, MINUTE, profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
const another = new FleetEntry(profileOf(), new Secret('another'));

/** The token as the store holds it now. */
function stored(token: AccessToken, more: Partial<StoredToken> = {}): StoredToken {
  return { token, value: 'sealed', obtainedAt: 5, readAt: 6, ...more };
}

function givenMemory(expiryLeewayMs = 0) {
  const clock = new FakeClock();
  return { clock, memory: new FleetMemory({ expiryLeewayMs }, clock) };
}

describe('what a process remembers of the fleet', () => {
  it('B10: wants no entry again that it has had, and takes one from the others only if it was refused', () => {
    const { clock, memory } = givenMemory();
    expect(memory.unwanted(entry)).toBeUndefined();
    const token = memory.remember({ token: tokenOf(clock, 'one'), name: entry.name, value: 'sealed' });
    expect(memory.unwanted(entry)).toEqual({ value: 'sealed', remove: false });
    memory.addRefused(token);
    expect(memory.unwanted(entry)).toEqual({ value: 'sealed', remove: true });
  });

  it('B10: says nothing about an entry elsewhere, nor about a token that lies nowhere', () => {
    const { clock, memory } = givenMemory();
    memory.remember({ token: tokenOf(clock, 'one'), name: entry.name, value: 'sealed' });
    expect(memory.unwanted(another)).toBeUndefined();
    memory.remember({ token: tokenOf(clock, 'two'), name: entry.name });
    expect(memory.unwanted(entry)).toBeUndefined();
  });

  it('F20: remembers refused tokens until they end', () => {
    const { clock, memory } = givenMemory();
    const [one, two] = [tokenOf(clock, 'one'), tokenOf(clock, 'two')];
    expect(memory.isRefused(one)).toBe(false);
    memory.addRefused(one);
    memory.addRefused(undefined);
    expect([memory.isRefused(tokenOf(clock, 'one')), memory.isRefused(two)]).toEqual([true, false]);
    memory.addRefused(two);
    expect([memory.isRefused(one), memory.isRefused(two)]).toEqual([true, true]);
    clock.setWallBy(HOUR);
    memory.addRefused(tokenOf(clock, 'three'));
    expect([memory.isRefused(one), memory.isRefused(two)]).toEqual([false, false]);
  });

  it('F20: remembers a thousand of them', () => {
    const { clock, memory } = givenMemory();
    const tokens = Array.from({ length: 1_001 }, (_, index) => tokenOf(clock, `token-${index}`));
    for (const token of tokens) memory.addRefused(token);
    expect(tokens.map((token) => memory.isRefused(token)).indexOf(true)).toBe(1);
    expect(tokens.filter((token) => memory.isRefused(token))).toHaveLength(1_000);
  });

  it.each([
    ['before this process got the refused one', { obtainedAt: 9 }, false],
    ['at that moment', { obtainedAt: 10 }, true],
    ['after it', { obtainedAt: 11 }, true],
    ['later than now', { obtainedAt: 21 }, false],
    ['at an unknown moment', { obtainedAt: undefined }, false],
    ["later, but the store's clock was set back", { obtainedAt: 1, readAt: 9 }, true],
  ])('F19: after a 401, of a token obtained %s', (_, moments, isAnswer) => {
    const { clock, memory } = givenMemory();
    const refused = memory.remember({ token: tokenOf(clock, 'refused'), gotAt: 10 });
    memory.addRefused(refused);
    const unauthorized = { reason: 'unauthorized', refused } as const;
    const other = stored(tokenOf(clock, 'other'), { readAt: 20, ...moments });
    expect(memory.isAnswer(other, unauthorized)).toBe(isAnswer);
    // A later refusal of a token of unknown age changes nothing.
    memory.addRefused(memory.remember({ token: tokenOf(clock, 'alone') }));
    expect(memory.isAnswer(other, unauthorized)).toBe(isAnswer);
    memory.addRefused(tokenOf(clock, 'of-another-process'));
    expect(memory.isAnswer(other, unauthorized)).toBe(isAnswer);
  });

  it('F21: takes the same token under another seal, even within the leeway', () => {
    const { clock, memory } = givenMemory(MINUTE);
    const expired = { reason: 'expired' } as const;
    const token = memory.remember({
      token: tokenOf(clock, 'one', 2 * MINUTE),
      name: entry.name,
      value: 'first',
    });
    clock.setWallBy(MINUTE + 1);
    expect(memory.isAnswer(stored(token, { value: 'first' }), expired)).toBe(false);
    expect(memory.isAnswer(stored(token, { value: 'second' }), expired)).toBe(true);
    expect(memory.isAnswer(stored(tokenOf(clock, 'one', 0), { value: 'second' }), expired)).toBe(false);
    clock.setWallBy(MINUTE);
    expect(memory.isAnswer(stored(tokenOf(clock, 'one'), { value: 'third' }), expired)).toBe(false);
    memory.addRefused(token);
    expect(memory.isAnswer(stored(token, { value: 'second' }), expired)).toBe(false);
  });

  it('takes neither the last entry nor a refused token for an answer', () => {
    const { clock, memory } = givenMemory();
    const [one, two] = [tokenOf(clock, 'one'), tokenOf(clock, 'two')];
    expect(memory.isAnswer(stored(one), { reason: 'cold' })).toBe(true);
    memory.remember({ token: one, name: entry.name, value: 'sealed' });
    expect(memory.isAnswer(stored(tokenOf(clock, 'one')), { reason: 'expired' })).toBe(false);
    expect(memory.isAnswer(stored(two), { reason: 'expired' })).toBe(true);
    memory.addRefused(two);
    expect(memory.isAnswer(stored(two), { reason: 'expired' })).toBe(false);
  });

  it('S11: counts the leeway, but half of a life at most', () => {
    const { clock, memory } = givenMemory(MINUTE);
    const cold = { reason: 'cold' } as const;
    expect(memory.isAnswer(stored(tokenOf(clock, 'one', MINUTE)), cold)).toBe(true);
    expect(memory.isAnswer(stored(tokenOf(clock, 'one', 2 * MINUTE)), cold)).toBe(true);
    const token = tokenOf(clock, 'two', HOUR);
    clock.setWallBy(HOUR - MINUTE - 1);
    expect(memory.isAnswer(stored(token), cold)).toBe(true);
    clock.setWallBy(1);
    expect(memory.isAnswer(stored(token), cold)).toBe(false);
  });

  it('renews ahead to nothing but what lives longer', () => {
    const { clock, memory } = givenMemory();
    const ahead = { reason: 'ahead' } as const;
    expect(memory.isAnswer(stored(tokenOf(clock, 'one', MINUTE)), ahead)).toBe(true);
    const refused = memory.remember({ token: tokenOf(clock, 'one', HOUR) });
    expect(memory.isAnswer(stored(tokenOf(clock, 'two', HOUR)), ahead)).toBe(false);
    // A trial request after a 401 wants any other token.
    expect(memory.isAnswer(stored(tokenOf(clock, 'two', MINUTE)), { ...ahead, refused })).toBe(true);
    expect(memory.isAnswer(stored(tokenOf(clock, 'two', HOUR + 1)), ahead)).toBe(true);
    expect(memory.isAnswer(stored(tokenOf(clock, 'two', MINUTE)), { reason: 'expired' })).toBe(true);
  });

  it('F19: takes a token of an older version, whose age is unknown, if no token was refused', () => {
    const { clock, memory } = givenMemory();
    const token = stored(tokenOf(clock, 'one'), { obtainedAt: undefined });
    expect(memory.isAnswer(token, { reason: 'cold' })).toBe(true);
    memory.addRefused(memory.remember({ token: tokenOf(clock, 'refused'), gotAt: 1 }));
    expect(memory.isAnswer(token, { reason: 'unauthorized' })).toBe(false);
  });

  it('F19: takes no older token that it reads in the moment in which it got the refused token', () => {
    const { clock, memory } = givenMemory();
    memory.addRefused(memory.remember({ token: tokenOf(clock, 'refused'), gotAt: 6 }));
    const token = tokenOf(clock, 'one');
    expect(memory.isAnswer(stored(token, { obtainedAt: 5, readAt: 6 }), { reason: 'unauthorized' })).toBe(
      false,
    );
    expect(memory.isAnswer(stored(token, { obtainedAt: 6, readAt: 6 }), { reason: 'unauthorized' })).toBe(
      true,
    );
  });
});
