import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { NOW } from '../../../support/token/fake-clock.js';

const NAME = 'easy-sandbox';
const ONE = { owner: 'one', ms: 1000 };
const TWO = { owner: 'two', ms: 1000 };

function givenStore() {
  const time = { now: NOW };
  const store = new MemoryTokenStore(() => time.now);
  const claim = (more: object = {}) => store.claim({ name: NAME, ...more });
  const publish = (owner: string, value: string, expiresAt = NOW + 5000) =>
    store.publish({ name: NAME, owner, value, expiresAt });
  const release = (owner: string, note?: { value: string; ms: number }) =>
    store.release({ name: NAME, owner, ...(note && { note }) });
  return { store, time, claim, publish, release };
}

const FREE = { state: 'free', now: NOW };
const LEASED = { state: 'leased', now: NOW };
const heldBy = (holder: string, expiresAt = NOW + 1000) => ({ state: 'held', now: NOW, holder, expiresAt });
const found = (value: string, expiresAt = NOW + 5000) => ({ state: 'found', now: NOW, value, expiresAt });

describe('B10: a lease in memory', () => {
  it('is free until an owner takes it, and then held', async () => {
    const { claim } = givenStore();
    expect([await claim(), await claim(), await claim({ lease: ONE })]).toEqual([FREE, FREE, LEASED]);
    expect([await claim(), await claim({ lease: TWO }), await claim({ lease: ONE })]).toEqual([
      heldBy('one'),
      heldBy('one'),
      LEASED,
    ]);
  });

  it('ends after its time, which each claim of its owner extends', async () => {
    const { claim, time } = givenStore();
    await claim({ lease: ONE });
    time.now += 999;
    expect(await claim({ lease: ONE })).toEqual({ state: 'leased', now: NOW + 999 });
    time.now += 999;
    expect(await claim({ lease: TWO })).toEqual({ ...heldBy('one', NOW + 1999), now: NOW + 1998 });
    time.now += 1;
    expect(await claim({ lease: TWO })).toEqual({ state: 'leased', now: NOW + 1999 });
  });

  it('ends when its owner releases it', async () => {
    const { claim, release } = givenStore();
    await claim({ lease: ONE });
    await release('two');
    expect(await claim()).toEqual(heldBy('one'));
    await release('one');
    expect(await claim()).toEqual(FREE);
  });

  it('can be replaced by a claim that names its owner', async () => {
    const { claim } = givenStore();
    await claim({ lease: ONE });
    expect(await claim({ lease: { ...TWO, insteadOf: 'three' } })).toEqual(heldBy('one'));
    expect(await claim({ lease: { ...TWO, insteadOf: 'one' } })).toEqual(LEASED);
    expect(await claim()).toEqual(heldBy('two'));
  });
});

describe('B10: a note in memory', () => {
  it('is in place of the lease of its owner, until it ends', async () => {
    const { claim, release, time } = givenStore();
    await claim({ lease: ONE });
    await release('two', { value: 'not mine', ms: 500 });
    await release('one', { value: 'a note', ms: 500 });
    const note = { state: 'held', now: NOW, note: 'a note', expiresAt: NOW + 500 };
    expect([await claim(), await claim({ lease: ONE })]).toEqual([note, note]);
    time.now += 500;
    expect(await claim({ lease: TWO })).toEqual({ state: 'leased', now: NOW + 500 });
  });

  it('is gone once a claim has named it', async () => {
    const { claim, release } = givenStore();
    await claim({ lease: ONE });
    await release('one', { value: 'a note', ms: 500 });
    expect(await claim({ lease: { ...TWO, insteadOf: 'other' } })).toMatchObject({ note: 'a note' });
    expect(await claim({ lease: { ...TWO, insteadOf: 'a note' } })).toEqual(LEASED);
    expect(await claim()).toEqual(heldBy('two'));
  });

  it('is gone when anyone publishes', async () => {
    const { claim, publish, release } = givenStore();
    await claim({ lease: ONE });
    await release('one', { value: 'a note', ms: 500 });
    await publish('two', 'a');
    expect(await claim({ unwanted: { value: 'a', remove: true } })).toEqual(FREE);
  });
});

describe('B10: an entry in memory', () => {
  it('is found by everyone until it ends, and ends the lease of its writer', async () => {
    const { claim, publish, time } = givenStore();
    await claim({ lease: ONE });
    await publish('one', 'a');
    expect([await claim(), await claim({ lease: TWO })]).toEqual([found('a'), found('a')]);
    time.now += 5000;
    expect(await claim()).toEqual({ state: 'free', now: NOW + 5000 });
  });

  it('is written without the lease if there is none, and then the lease stays', async () => {
    const { claim, publish } = givenStore();
    await claim({ lease: ONE });
    await publish('two', 'a');
    expect(await claim()).toEqual(found('a'));
    expect(await claim({ unwanted: { value: 'a', remove: false } })).toEqual(heldBy('one'));
    await publish('two', 'b');
    expect(await claim()).toEqual(found('a'));
    await publish('one', 'c', NOW + 7000);
    expect(await claim()).toEqual(found('c', NOW + 7000));
  });

  it.each([NOW, NOW - 1])('is not written if it has ended: %d', async (expiresAt) => {
    const { claim, publish } = givenStore();
    await claim({ lease: ONE });
    await publish('one', 'a', expiresAt);
    expect(await claim()).toEqual(FREE);
  });

  it('is written if it ends later', async () => {
    const { claim, publish } = givenStore();
    await publish('one', 'a', NOW + 1);
    expect(await claim()).toEqual(found('a', NOW + 1));
  });

  it('counts as missing if it is unwanted, and is removed if the claim says so', async () => {
    const { claim, publish } = givenStore();
    await publish('one', 'a');
    expect(await claim({ unwanted: { value: 'b', remove: true } })).toEqual(found('a'));
    expect(await claim({ unwanted: { value: 'a', remove: false }, lease: TWO })).toEqual(LEASED);
    expect(await claim()).toEqual(found('a'));
    expect(await claim({ unwanted: { value: 'a', remove: true } })).toEqual(heldBy('two'));
    expect(await claim()).toEqual(heldBy('two'));
  });

  it('belongs to its name', async () => {
    const { publish, store } = givenStore();
    await publish('one', 'a');
    expect(await store.claim({ name: 'easy-production' })).toEqual(FREE);
  });
});

it('B10: the clock of a store is Date.now, if a test gives no other', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  expect(await new MemoryTokenStore().claim({ name: NAME })).toEqual(FREE);
});

it('B10: each store has its own key, which no log shows', async () => {
  const [store, other] = [new MemoryTokenStore(), new MemoryTokenStore()];
  const [key, again, foreign] = [await store.sealKey(), await store.sealKey(), await other.sealKey()];
  expect(again).toBe(key);
  expect(String(key)).toBe('[redacted]');
  expect(key.reveal()).toMatch(/^[\w-]{43}$/);
  expect(foreign.reveal()).not.toBe(key.reveal());
});
