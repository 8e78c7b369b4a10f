import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { Deadline } from '../../../../lib/time/deadline.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { openToken, sealToken } from '../../../../lib/token/fleet/stored-token.js';
import { LONGEST_LIFETIME_MS, LONGEST_TOKEN } from '../../../../lib/token/token-response.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { CANARY, HOUR, MINUTE, profileOf, tokenOf } from '../../../support/token-fixtures.js';

const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
const clock = new FakeClock();
const now = 1_000_000;
const life = { asked: Deadline.after(clock, 0), now, expiresAt: now + HOUR };
const right = { token: 'abc', lifetimeMs: HOUR, endsAt: now + HOUR };

/** What is read of an entry with this content, whoever of the holders of the secret wrote it. */
const opened = (content: unknown) => openToken(entry, entry.seal('token', content as object), life);

describe('a token in a store', () => {
  it('B10: comes back as it was written', () => {
    const token = openToken(entry, sealToken(entry, tokenOf(clock, 'abc'), now + HOUR, clock), life);
    expect(token?.reveal()).toBe('abc');
    expect(token).toMatchObject({ lifetimeMs: HOUR, cameFromStore: true });
    expect(token?.remainingMs(clock)).toBe(HOUR);
  });

  it.each([
    ['the store', { expiresAt: now + MINUTE }, right],
    ['its writer', {}, { ...right, endsAt: now + MINUTE }],
    ['its whole life', { expiresAt: now + HOUR }, { ...right, lifetimeMs: MINUTE }],
  ])('S11: ends as soon as %s says so', (_, told, content) => {
    const token = openToken(entry, entry.seal('token', content), { ...life, ...told });
    expect(token?.remainingMs(clock)).toBe(MINUTE);
  });

  it.each([
    ['nothing', null],
    ['a list', [right]],
    ['a number', 5],
    ['a text', 'abc'],
    ['no token', { ...right, token: undefined }],
    ['a token that is no text', { ...right, token: ['abc'] }],
    ['a token that no header can carry', { ...right, token: 'a b' }],
    ['a token that is too long', { ...right, token: 'a'.repeat(LONGEST_TOKEN + 1) }],
    ['no lifetime', { ...right, lifetimeMs: undefined }],
    ['a lifetime that is a text', { ...right, lifetimeMs: String(HOUR) }],
    ['a lifetime of 0', { ...right, lifetimeMs: 0 }],
    ['a lifetime beyond all', { ...right, lifetimeMs: LONGEST_LIFETIME_MS + 1 }],
    ['no end', { ...right, endsAt: undefined }],
    ['an end that is a text', { ...right, endsAt: String(now + HOUR) }],
  ])('B11: is none where its entry holds %s', (_, content) => {
    expect(opened(content)).toBeUndefined();
  });

  it.each(Object.entries(right))('B11: takes no %s that all objects have', (member, value) => {
    Reflect.defineProperty(Object.prototype, member, { value, configurable: true });
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, member));
    expect(opened({ ...right, [member]: undefined })).toBeUndefined();
  });

  it('B10: may be as long, and live as long, as one from the token endpoint', () => {
    const token = 'a'.repeat(LONGEST_TOKEN);
    expect(opened({ ...right, token })?.reveal()).toBe(token);
    expect(opened({ ...right, lifetimeMs: LONGEST_LIFETIME_MS })?.lifetimeMs).toBe(LONGEST_LIFETIME_MS);
  });

  it('B11: is none where something else was sealed, or nothing', () => {
    expect(openToken(entry, entry.seal('failure', right), life)).toBeUndefined();
    expect(openToken(entry, 'garbage', life)).toBeUndefined();
  });
});
