import { describe, expect, it, vi } from 'vitest';
import { LONGEST_LOOK_MS } from '../../../../lib/token/current-secret.js';
import { ClientCredential } from '../../../../lib/secrets/client-credential.js';
import type { MemoryTokenStore } from '../../../../lib/testing/index.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { type FakeClock, settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import { ENTRY, POLL_MS } from '../../../support/fleet/fleet-store.js';
import { CANARY, failureOf, SteeredSecret, tokenOf } from '../../../support/token/token-fixtures.js';

const EXPIRED: TokenNeed = { reason: 'expired' };
const COLD: TokenNeed = { reason: 'cold' };

/** Another process has the lease, as its own seal says. */
async function held(store: MemoryTokenStore, clock: FakeClock): Promise<void> {
  const owner = ENTRY.sealLease({ takenAt: clock.wall(), ms: 2_000 });
  await store.claim({ name: ENTRY.name, lease: { owner, ms: 2_000 } });
}

describe('B10: bounds', () => {
  it('B10: a store that fails costs its deadline, once', async () => {
    const { process, clock, claims } = givenFleet();
    claims.mockReturnValue(new Promise(() => {}));
    const one = process();
    one.asks();
    await clock.advance(249);
    expect(one.requests).toBe(0);
    await clock.advance(1);
    expect(one.requests).toBe(1);
    one.endpoint.last.give(tokenOf(clock, 'own'));
    await settled();
    await one.fetches('again', { need: EXPIRED });
    expect(one.lines).toHaveLength(1);
  });

  it('B10: processes that wait look again after random pauses, so that they do not look at the same moment', async () => {
    const { process, clock } = givenFleet();
    process().asks();
    await settled();
    const looks: (number | undefined)[] = [];
    for (const random of [0, 1]) {
      process({}, undefined, random).asks();
      await settled();
      looks.push(clock.history.at(-1)?.ms);
    }
    expect(looks).toEqual([15, 45]);
  });

  it('B9: an abort ends the waiting', async () => {
    const { process, store, clock } = givenFleet();
    await held(store, clock);
    const closing = new AbortController();
    const one = process();
    one.asks({ reason: 'ahead', signal: closing.signal });
    await settled();
    closing.abort();
    await settled();
    expect(one.endpoint.last.need.signal?.aborted).toBe(true);
  });

  it('B9: keeps no process alive while it waits for another process', async () => {
    const { process, clock, store } = givenFleet();
    await held(store, clock);
    process().asks(COLD);
    await settled();
    expect(clock.pending()).not.toEqual([]);
    expect(clock.pending('awaited')).toEqual([]);
  });

  it('B11: entries that this library did not seal are replaced, and after three of them the process asks alone', async () => {
    const { process, store, claims } = givenFleet();
    await store.publish({
      name: ENTRY.name,
      owner: 'x',
      value: 'garbage',
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    await process().fetches('one');
    expect((await process().reads()).reveal()).toBe('one');
    claims.mockImplementation(async () => ({ state: 'found', now: 1, value: 'garbage', expiresAt: 2 }));
    claims.mockClear();
    await process().fetches('own');
    expect(claims.mock.calls.map(([{ unwanted }]) => unwanted)).toEqual([
      undefined,
      { value: 'garbage', remove: true },
      { value: 'garbage', remove: true },
      // Its token is to replace this one.
      { value: 'garbage', remove: true },
    ]);
  });
});

describe('a fault of this library in a fleet', () => {
  it('reaches the caller unchanged, and the lease ends without a note', async () => {
    const { process, store } = givenFleet();
    const release = vi.spyOn(store, 'release');
    const one = process();
    const asked = one.asks();
    await settled();
    const fault = new TypeError('a fault');
    one.endpoint.last.fail(fault);
    await settled();
    expect(asked.error).toBe(fault);
    expect(release.mock.calls).toEqual([[{ name: ENTRY.name, owner: expect.any(String) }]]);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('B9: a renewal that was ended leaves no note', async () => {
    const { process, store, clock } = givenFleet();
    const release = vi.spyOn(store, 'release');
    const closing = new AbortController();
    const one = process();
    one.asks({ reason: 'ahead', signal: closing.signal });
    await settled();
    closing.abort();
    one.endpoint.last.fail(failureOf().copy(new Date(clock.wall() + 250)));
    await settled();
    expect(release.mock.calls).toEqual([[{ name: ENTRY.name, owner: expect.any(String) }]]);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });
});

describe('failures in a fleet', () => {
  it('B6: callers in a cool-down get the failure, whatever a look at the store brings', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    const error = await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    const meetings = [
      () => claims.mockRejectedValueOnce(new Error('down')),
      () => claims.mockResolvedValueOnce({ state: 'free', now: 1 }),
      () => claims.mockResolvedValueOnce({ state: 'found', now: 1, value: 'garbage', expiresAt: 2 }),
      () => one.secret.rejects(new Error('no vault')),
    ];
    for (const meet of meetings) {
      await clock.advance(5_000);
      meet();
      const asked = one.asks();
      await settled();
      expect(asked.error).toBe(error);
    }
    expect(one.requests).toBe(1);
  });

  it('B6: callers get a failure at once, without a trip and without reading the secret', async () => {
    const { process, claims } = givenFleet();
    const one = process();
    const error = await one.fails();
    claims.mockClear();
    const reads = one.secret.reads;
    const again = one.asks();
    await settled();
    expect(again.error).toBe(error);
    expect(claims).not.toHaveBeenCalled();
    expect(one.secret.reads).toBe(reads);
  });

  it('B6: the first caller after the cool-down tries again', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails();
    await clock.advance(250);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it("B10: a failure of one process's own secret or certificates leaves no note", async () => {
    const { process } = givenFleet();
    await process().fails(
      failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true }),
      5_000,
    );
    expect((await process().fetches('one')).reveal()).toBe('one');
  });

  it('B10: in its cool-down a process uses a token that another obtains, within a second', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const trouble = failureOf('TOKEN_UNAVAILABLE', { status: undefined, transient: false, local: true });
    await one.fails(trouble, 30_000);
    await process().fetches('one');
    await clock.advance(999);
    const early = one.asks();
    await settled();
    expect(early.state).toBe('failed');
    await clock.advance(1);
    expect((await one.reads()).reveal()).toBe('one');
  });

  it('B7: in its cool-down a process looks once a second, and takes no lease', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    claims.mockClear();
    const reads = one.secret.reads;
    for (let ms = 0; ms < 10_000; ms += 100) {
      one.asks();
      await clock.advance(100);
    }
    expect(one.requests).toBe(1);
    expect(claims.mock.calls.length).toBeLessThanOrEqual(10);
    expect(claims.mock.calls.every(([{ lease }]) => lease === undefined)).toBe(true);
    expect(one.secret.reads - reads).toBeLessThanOrEqual(10);
  });

  it('B6: a changed key id changes nothing about an outage: callers get its failure at once', async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    const keyIds = ['old', 'new'];
    vi.spyOn(one.secret, 'read').mockImplementation(
      async () => new ClientCredential(CANARY.secret, { keyId: keyIds.shift() }),
    );
    const error = await one.fails(failureOf(), 60_000);
    await clock.advance(1_000);
    claims.mockClear();
    const asked = one.asks();
    await settled();
    expect(asked.error).toBe(error);
    expect(claims.mock.calls.map(([{ lease }]) => lease)).toEqual([undefined]);
  });

  it('B7: a changed secret has its own entry, so the failure of the old secret is over', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    one.secret.gives('rotated');
    await clock.advance(1_000);
    await one.fetches('two');
    expect(one.usedSecrets).toEqual([CANARY.secret, 'rotated']);
  });

  it('B7: a changed secret ends the failure also if its source is slow', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    const answer = one.secret.waits();
    await clock.advance(1_000);
    const early = one.asks();
    await clock.advance(250);
    expect(early.state).toBe('failed');
    one.secret.hangs();
    answer('rotated');
    await clock.advance(1_000);
    await one.fetches('two');
    expect(one.usedSecrets).toEqual([CANARY.secret, 'rotated']);
  });

  it('B8: the secret is read once for each token request, store or not', async () => {
    const { process } = givenFleet();
    const one = process();
    await one.fetches('one');
    expect(one.secret.reads).toBe(1);
    await one.fetches('two', { need: EXPIRED });
    expect(one.secret.reads).toBe(2);
  });

  it('B8: a secret that cannot be read is read once', async () => {
    const { process } = givenFleet();
    const one = process();
    one.secret.rejects(new Error('no vault'));
    const asked = one.asks();
    await settled();
    expect(asked.error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(one.secret.reads).toBe(1);
    expect(one.requests).toBe(0);
  });

  it('B8: a process that has waited for another one reads the secret again before it asks', async () => {
    const { process, clock } = givenFleet();
    const [dead, one] = [process(), process()];
    dead.asks();
    await settled();
    one.asks();
    await settled();
    one.secret.gives('rotated');
    await clock.advance(2_000 + POLL_MS);
    expect(one.requests).toBe(1);
    expect(one.usedSecrets).toEqual(['rotated']);
    expect(one.secret.reads).toBe(2);
  });

  it('F29: a secret that changes while a fleet waits costs one request: each process looks at the place of the new one', async () => {
    const { process, clock } = givenFleet();
    const [first, ...others] = Array.from({ length: 6 }, () => process());
    const asked = [first!, ...others].map((one) => one.asks());
    await settled();
    for (const one of [first!, ...others]) one.secret.gives('rotated');
    await first!.usesAnotherSecret();
    first!.endpoint.last.give(tokenOf(clock, 'of-the-new-secret'));
    await clock.advance(5 * POLL_MS);
    expect(asked.map(({ result }) => result?.reveal())).toEqual(Array(6).fill('of-the-new-secret'));
    expect(others.map(({ requests }) => requests)).toEqual(Array(5).fill(0));
  });

  it('F29: a source that hangs after a wait keeps no process from the token of another', async () => {
    const { process, clock } = givenFleet();
    const [slow, one] = [process(), process()];
    slow.asks();
    await settled();
    const asked = one.asks();
    await settled();
    one.secret.hangs();
    await clock.advance(2_000 + POLL_MS);
    slow.endpoint.last.give(tokenOf(clock, 'of-another'));
    await clock.advance(LONGEST_LOOK_MS + 2 * POLL_MS);
    expect([asked.error, asked.result?.reveal(), one.requests]).toEqual([undefined, 'of-another', 0]);
  });

  it('S5: a token obtained with a secret that changed meanwhile goes to the place of that secret', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const asked = one.asks();
    await settled();
    // After a refusal the attempt below used the new secret (B8).
    one.secret.gives('rotated');
    await one.usesAnotherSecret();
    one.endpoint.last.give(tokenOf(clock, 'of-the-new-secret'));
    await settled();
    expect(asked.result?.reveal()).toBe('of-the-new-secret');
    expect((await process({}, new SteeredSecret('rotated')).reads()).reveal()).toBe('of-the-new-secret');
    await process().fetches('of-the-old-secret');
  });
});
