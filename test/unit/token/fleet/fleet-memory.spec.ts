import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { FleetMemory } from '../../../../lib/token/fleet/fleet-memory.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { CANARY, HOUR, MINUTE, profileOf, tokenOf } from '../../../support/token-fixtures.js';

const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
const another = new FleetEntry(profileOf(), new Secret('another'));

function given(expiryLeewayMs = 0) {
  const clock = new FakeClock();
  return { clock, memory: new FleetMemory({ expiryLeewayMs }, clock) };
}

describe('what a process remembers of the fleet', () => {
  it('B10: wants no entry again that it has had, and takes one from the others only if it was refused', () => {
    const { clock, memory } = given();
    expect(memory.unwanted(entry)).toBeUndefined();
    const token = memory.keep({ token: tokenOf(clock, 'one'), name: entry.name, value: 'sealed' });
    expect(memory.unwanted(entry)).toEqual({ value: 'sealed', remove: false });
    memory.refuse(token);
    expect(memory.unwanted(entry)).toEqual({ value: 'sealed', remove: true });
  });

  it('B10: says nothing about an entry elsewhere, nor about a token that lies nowhere', () => {
    const { clock, memory } = given();
    memory.keep({ token: tokenOf(clock, 'one'), name: entry.name, value: 'sealed' });
    expect(memory.unwanted(another)).toBeUndefined();
    memory.keep({ token: tokenOf(clock, 'two'), name: entry.name });
    expect(memory.unwanted(entry)).toBeUndefined();
  });

  it('B10: remembers a refused token until another one is refused', () => {
    const { clock, memory } = given();
    const [one, two] = [tokenOf(clock, 'one'), tokenOf(clock, 'two')];
    expect(memory.isRefused(one)).toBe(false);
    memory.refuse(one);
    memory.refuse(undefined);
    expect([memory.isRefused(tokenOf(clock, 'one')), memory.isRefused(two)]).toEqual([true, false]);
    memory.refuse(two);
    expect([memory.isRefused(one), memory.isRefused(two)]).toEqual([false, true]);
  });

  it('S11: takes neither the last token nor a refused one for an answer', () => {
    const { clock, memory } = given();
    const [one, two] = [tokenOf(clock, 'one'), tokenOf(clock, 'two')];
    expect(memory.isAnswer(one, { reason: 'cold' })).toBe(true);
    memory.keep({ token: one });
    expect(memory.isAnswer(tokenOf(clock, 'one'), { reason: 'expired' })).toBe(false);
    expect(memory.isAnswer(two, { reason: 'expired' })).toBe(true);
    memory.refuse(two);
    expect(memory.isAnswer(two, { reason: 'expired' })).toBe(false);
  });

  it('S11: counts the leeway, but half of a life at most', () => {
    const { clock, memory } = given(MINUTE);
    const cold = { reason: 'cold' } as const;
    expect(memory.isAnswer(tokenOf(clock, 'one', MINUTE), cold)).toBe(true);
    expect(memory.isAnswer(tokenOf(clock, 'one', 2 * MINUTE), cold)).toBe(true);
    const token = tokenOf(clock, 'two', HOUR);
    clock.setWallBy(HOUR - MINUTE - 1);
    expect(memory.isAnswer(token, cold)).toBe(true);
    clock.setWallBy(1);
    expect(memory.isAnswer(token, cold)).toBe(false);
  });

  it('renews ahead to nothing but what lives longer', () => {
    const { clock, memory } = given();
    const ahead = { reason: 'ahead' } as const;
    expect(memory.isAnswer(tokenOf(clock, 'one', MINUTE), ahead)).toBe(true);
    memory.keep({ token: tokenOf(clock, 'one', HOUR) });
    expect(memory.isAnswer(tokenOf(clock, 'two', HOUR), ahead)).toBe(false);
    expect(memory.isAnswer(tokenOf(clock, 'two', HOUR + 1), ahead)).toBe(true);
    expect(memory.isAnswer(tokenOf(clock, 'two', MINUTE), { reason: 'expired' })).toBe(true);
  });
});
