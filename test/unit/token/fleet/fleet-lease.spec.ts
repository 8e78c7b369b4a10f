import { describe, expect, it, vi } from 'vitest';
import type { StoreAnswer, StoreClaim } from '../../../../lib/config/options/token-store.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { FleetLease } from '../../../../lib/token/fleet/fleet-lease.js';
import { type GuardedStore, StoreClock } from '../../../../lib/token/fleet/guarded-store.js';
import { Deadline } from '../../../../lib/time/deadline.js';
import { FakeClock, settled } from '../../../support/token/fake-clock.js';
import { CANARY, profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

const LEASE_MS = 2_000;
const NOTE = { since: 1, endsAt: 2 };

/** A lease whose store records each message. `answer` is what the store says to a claim; without it the store fails. */
function givenLease({ knowsClock = true, answer }: { knowsClock?: boolean; answer?: StoreAnswer } = {}) {
  const clock = new FakeClock();
  const storeClock = new StoreClock(clock);
  if (knowsClock) storeClock.record(clock.wall(), Deadline.after(clock, 0));
  const messages: unknown[] = [];
  const store = {
    clockOf: () => storeClock,
    claim: (claim: StoreClaim) => {
      messages.push({ claim });
      return Promise.resolve(answer);
    },
    publish: (publication: object) => void messages.push({ publish: publication }),
    release: (release: object) => void messages.push({ release }),
  };
  const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
  const lease = new FleetLease(entry, store as unknown as GuardedStore, clock, LEASE_MS);
  return { clock, store, messages, entry, lease, token: tokenOf(clock, 'one') };
}

describe('a token for the fleet', () => {
  it('F8: is not stored if the clock of the store is unknown', async () => {
    const { lease, entry, token, messages } = givenLease({ knowsClock: false });
    expect(lease.publish(token, entry)).toBeUndefined();
    await settled();
    expect(messages).toEqual([]);
  });

  it('B10: ends the lease if the clock of the store became unknown since the claim', async () => {
    const { lease, entry, token, messages, clock } = givenLease();
    const claim = lease.claim(undefined);
    clock.setWallBy(-60_000);
    expect(lease.publish(token, entry)).toBeUndefined();
    await settled();
    expect(messages).toEqual([{ release: { name: entry.name, owner: claim.lease?.owner } }]);
  });

  it('B10: is stored with one message while the lease lasts', async () => {
    const { lease, entry, token, messages } = givenLease();
    lease.claim({ value: 'before', remove: false });
    const value = lease.publish(token, entry);
    await settled();
    expect(messages).toEqual([{ publish: expect.objectContaining({ name: entry.name, value }) }]);
  });

  it('B10: replaces the entry of the token before, if the lease has ended', async () => {
    const { lease, entry, token, messages, clock } = givenLease();
    lease.claim({ value: 'before', remove: false });
    await clock.advance(LEASE_MS);
    const value = lease.publish(token, entry);
    await settled();
    expect(messages).toEqual([
      {
        claim: { name: entry.name, unwanted: { value: 'before', remove: true } },
      },
      { publish: expect.objectContaining({ name: entry.name, value }) },
    ]);
  });

  it('S5: at the place of another secret replaces nothing there', async () => {
    const { lease, entry, token, messages, clock } = givenLease();
    const other = new FleetEntry(profileOf(), new Secret('another'));
    lease.claim({ value: 'before', remove: false });
    await clock.advance(LEASE_MS);
    lease.publish(token, other);
    await settled();
    expect(messages).toEqual([
      { release: expect.objectContaining({ name: entry.name }) },
      { publish: expect.objectContaining({ name: other.name }) },
    ]);
  });
});

/** A lease whose claim for a sent request gets these answers, in order. */
function givenAnswers(...answers: (StoreAnswer | undefined)[]) {
  const given = givenLease();
  vi.spyOn(given.store, 'claim').mockImplementation((claim: StoreClaim) => {
    given.messages.push({ claim });
    return Promise.resolve(answers.shift());
  });
  const claims = (): StoreClaim[] =>
    given.messages.flatMap((one) => (one as { claim?: StoreClaim }).claim ?? []);
  const heldBy = (isSent?: true): StoreAnswer => ({
    state: 'held',
    now: 0,
    expiresAt: 1,
    holder: given.entry.sealLease({ takenAt: 0, ms: LEASE_MS, isSent }),
  });
  return { ...given, claims, heldBy, answers };
}

describe('a request that is sent', () => {
  it('F27: is named in the lease, which keeps its end, and later messages are those of this lease', async () => {
    const { lease, entry, token, clock, claims, messages } = givenAnswers({ state: 'leased', now: 0 });
    const first = lease.claim({ value: 'before', remove: false });
    await clock.advance(500);
    lease.markSent();
    lease.publish(token, entry);
    await settled();
    const [claim] = claims();
    expect(claim).toMatchObject({
      unwanted: { value: 'before', remove: false },
      lease: { ms: LEASE_MS - 500, insteadOf: first.lease?.owner },
    });
    const { takenAt } = entry.openLease(first.lease?.owner ?? '') ?? {};
    expect(entry.openLease(claim?.lease?.owner ?? '')).toEqual({ takenAt, ms: LEASE_MS, isSent: true });
    expect(messages.at(-1)).toEqual({ publish: expect.objectContaining({ owner: claim?.lease?.owner }) });
  });

  it('F27: is named once, and never after the end of the lease', async () => {
    const { lease, clock, claims } = givenAnswers({ state: 'leased', now: 0 });
    lease.claim(undefined);
    lease.markSent();
    lease.markSent();
    await settled();
    expect(claims()).toHaveLength(1);
    const late = givenAnswers();
    late.lease.claim(undefined);
    await late.clock.advance(LEASE_MS);
    late.lease.markSent();
    await clock.advance(1);
    expect(late.claims()).toEqual([]);
  });

  it('F27: replaces the lease of a process whose request is not sent, and no other lease', async () => {
    const { lease, claims, heldBy, answers, messages, entry } = givenAnswers();
    const [notSent, isSent] = [heldBy(), heldBy(true)];
    answers.push(notSent, isSent);
    const first = lease.claim(undefined);
    lease.markSent();
    await lease.giveUp();
    expect(claims().map((claim) => claim.lease?.insteadOf)).toEqual([
      first.lease?.owner,
      notSent.state === 'held' && notSent.holder,
    ]);
    expect(messages.at(-1)).toEqual({ release: { name: entry.name, owner: first.lease?.owner } });
  });

  it.each<[string, StoreAnswer | undefined]>([
    ['a store that fails', undefined],
    ['a token of another process', { state: 'found', now: 0, value: 'x', expiresAt: 1 }],
    ['a note', { state: 'held', now: 0, expiresAt: 1, note: 'x' }],
  ])('F27: is not named again after %s', async (_, answer) => {
    const { lease, claims } = givenAnswers(answer);
    lease.claim(undefined);
    lease.markSent();
    await settled();
    expect(claims()).toHaveLength(1);
  });

  it('F8 F27: is not named without the clock of the store, because then there is no lease', async () => {
    const { lease, messages } = givenLease({ knowsClock: false });
    expect(lease.claim(undefined).lease).toBeUndefined();
    lease.markSent();
    await lease.giveUp();
    expect(messages).toEqual([{ release: expect.objectContaining({ owner: expect.any(String) }) }]);
  });

  it('F27: replaces a lease that this library did not seal', async () => {
    const { lease, claims, answers } = givenAnswers();
    answers.push({ state: 'held', now: 0, expiresAt: 1, holder: 'foreign' }, { state: 'leased', now: 0 });
    lease.claim(undefined);
    lease.markSent();
    await lease.giveUp();
    expect(claims()[1]?.lease?.insteadOf).toBe('foreign');
  });

  it('F27: stops after a few processes that take over all the time', async () => {
    const { lease, claims, heldBy, answers } = givenAnswers();
    answers.push(...Array.from({ length: 10 }, () => heldBy()));
    lease.claim(undefined);
    lease.markSent();
    await settled();
    expect(claims()).toHaveLength(3);
  });
});

describe('a note for the fleet', () => {
  it('F10: takes the place of the lease while the lease lasts', async () => {
    const { lease, messages, entry } = givenLease();
    await lease.leaveNote(NOTE, 500);
    expect(messages).toEqual([
      {
        release: expect.objectContaining({ name: entry.name, note: { value: expect.any(String), ms: 500 } }),
      },
    ]);
  });

  it.each<[string, StoreAnswer | undefined, boolean]>([
    ['is left if the process gets the lease again', { state: 'leased', now: 0 }, true],
    ['is not left if another process has the lease', { state: 'held', now: 0, expiresAt: 1 }, false],
    ['is not left if the store fails', undefined, false],
  ])('F16: after the end of the lease %s', async (_, answer, isLeft) => {
    const { lease, messages, clock } = givenLease(answer && { answer });
    await clock.advance(LEASE_MS);
    await lease.leaveNote(NOTE, 500);
    const [claim, ...others] = messages;
    expect(claim).toMatchObject({ claim: { lease: { ms: LEASE_MS } } });
    expect(others).toHaveLength(isLeft ? 1 : 0);
  });
});
