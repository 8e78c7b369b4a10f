import { describe, expect, it, onTestFinished } from 'vitest';
import { LONGEST_LIFETIME_MS } from '../../../../lib/catalogue/wire.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { Deadline } from '../../../../lib/time/deadline.js';
import { FleetEntry, LEASE_MS } from '../../../../lib/token/fleet/fleet-entry.js';
import { LONGEST_TOKEN } from '../../../../lib/token/endpoint/token-response.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { CANARY, HOUR, MINUTE, profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
const clock = new FakeClock();
const now = 1_000_000;
const asked = Deadline.after(clock, 0);
const found = { value: '', now, expiresAt: now + HOUR };
const right = { token: 'abc', lifetimeMs: HOUR, endsAt: now + HOUR };

/** What a process reads from an entry with this content. Any process with the secret may have written it. */
const opened = (content: unknown, answer: object = {}) =>
  entry.openToken({ ...found, ...answer, value: entry.seal('token', content as object) }, asked);

describe('a token in a store', () => {
  it('F18: comes back as it was written', () => {
    const value = entry.sealToken(tokenOf(clock, 'abc'), { obtainedAt: now - 5, endsAt: now + HOUR });
    const stored = entry.openToken({ ...found, value }, asked);
    expect(stored?.token.reveal()).toBe('abc');
    expect(stored?.token).toMatchObject({ lifetimeMs: HOUR, cameFromStore: true });
    expect(stored?.token.remainingMs(clock)).toBe(HOUR);
    expect(stored).toMatchObject({ value, obtainedAt: now - 5, readAt: now });
  });

  it('B31: may have every visible character', () => {
    const value = String.raw`00D!AQ%41\u0041&"`;
    const token = tokenOf(clock, value);
    const stored = entry.sealToken(token, { obtainedAt: now, endsAt: now + HOUR });
    expect(entry.openToken({ ...found, value: stored }, asked)?.token.reveal()).toBe(value);
  });

  it('F18: may come from a version that did not store when it was obtained', () => {
    expect(opened(right)).toMatchObject({ obtainedAt: undefined });
    expect(opened({ ...right, storeObtainedAt: 'now' })).toMatchObject({ obtainedAt: undefined });
  });

  it('F18, S11: is none if it was obtained later than now: the clock of the store was set back', () => {
    expect(opened({ ...right, storeObtainedAt: now + 1_000 })).toBeDefined();
    expect(opened({ ...right, storeObtainedAt: now + 1_001 })).toBeUndefined();
  });

  it.each([
    ['the store', { expiresAt: now + MINUTE }, right],
    ['its writer', {}, { ...right, endsAt: now + MINUTE }],
    ['its whole life', { expiresAt: now + HOUR }, { ...right, lifetimeMs: MINUTE }],
  ])('F18, S11: ends as soon as %s says so', (_, answer, content) => {
    expect(opened(content, answer)?.token.remainingMs(clock)).toBe(MINUTE);
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
    expect(opened({ ...right, token })?.token.reveal()).toBe(token);
    expect(opened({ ...right, lifetimeMs: LONGEST_LIFETIME_MS })?.token.lifetimeMs).toBe(LONGEST_LIFETIME_MS);
  });

  it('B11: is none where something else was sealed, or nothing', () => {
    for (const value of [entry.seal('failure', right), entry.seal('lease', right), 'garbage'])
      expect(entry.openToken({ ...found, value }, asked)).toBeUndefined();
  });
});

describe('a lease in a store', () => {
  it('F7: contains when it was taken and for how long, and no two texts are equal', () => {
    const lease = { takenAt: now, ms: LEASE_MS };
    const [one, other] = [entry.sealLease(lease), entry.sealLease(lease)];
    expect(entry.openLease(one)).toEqual(lease);
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]+$/);
  });

  it('F9: lasts 5 s at most, whatever it says', () => {
    expect(entry.openLease(entry.sealLease({ takenAt: now, ms: HOUR }))?.ms).toBe(5_000);
  });

  it.each([
    null,
    [],
    {},
    { takenAt: now },
    { ms: 1 },
    { takenAt: String(now), ms: 1 },
    { takenAt: null, ms: 1 },
  ])('F7: is none where it holds %j', (content) => {
    expect(entry.openLease(entry.seal('lease', content as object))).toBeUndefined();
  });

  it('F7: is none where something else was sealed, or nothing', () => {
    const lease = { takenAt: now, ms: LEASE_MS };
    for (const value of [entry.seal('failure', lease), entry.seal('token', lease), 'garbage'])
      expect(entry.openLease(value)).toBeUndefined();
  });
});

describe('a note in a store', () => {
  const note = { since: now - 1, endsAt: now + 1 };

  it('F10: contains since when the endpoint has failed and until when not to ask it, and nothing else', () => {
    const value = entry.sealNote({ ...note, token: CANARY.token } as typeof note);
    expect([...(entry.open('failure', value) ?? [])]).toEqual(Object.entries(note));
    expect(entry.openNote(value)).toEqual(note);
  });

  it.each([null, [], {}, { since: 1 }, { endsAt: 1 }, { since: '1', endsAt: 1 }, { since: 1, endsAt: null }])(
    'F11: is none where it holds %j',
    (content) => {
      expect(entry.openNote(entry.seal('failure', content as object))).toBeUndefined();
    },
  );

  it('F11: is none where something else was sealed, or nothing', () => {
    for (const value of [entry.seal('lease', note), entry.seal('token', note), 'garbage'])
      expect(entry.openNote(value)).toBeUndefined();
  });
});
