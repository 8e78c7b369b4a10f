import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { sealLease } from '../../../../lib/token/fleet/fleet-records.js';
import type { TokenNeed } from '../../../../lib/token/token-source.js';
import { type FakeClock, settled } from '../../../support/token/fake-clock.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import {
  CANARY,
  failureOf,
  HOUR,
  MINUTE,
  profileOf,
  SteeredSecret,
  tokenOf,
} from '../../../support/token/token-fixtures.js';

const COLD: TokenNeed = { reason: 'cold' };
const EXPIRED: TokenNeed = { reason: 'expired' };
const AHEAD: TokenNeed = { reason: 'ahead' };
/** Longer than the longest poll, and shorter than anything else. */
const POLL_MS = 200;

describe('B10: one token for a fleet', () => {
  it('B10: the first process fetches, the others read', async () => {
    const { process } = givenFleet();
    await process().fetches('one');
    const token = await process().reads();
    expect(token.reveal()).toBe('one');
    expect(token.cameFromStore).toBe(true);
  });

  it('B10: costs a reader one trip', async () => {
    const { process, claims } = givenFleet();
    await process().fetches('one');
    claims.mockClear();
    await process().reads();
    expect(claims).toHaveBeenCalledTimes(1);
  });

  it('B10: those who come while it is fetched wait for it', async () => {
    const { process, clock } = givenFleet();
    const [first, second, third] = [process(), process(), process()];
    const fetching = first.asks();
    await settled();
    const waiting = [second.asks(), third.asks()];
    await clock.advance(1_000);
    first.endpoint.last.give(tokenOf(clock, 'one'));
    await clock.advance(POLL_MS);
    expect(fetching.result?.reveal()).toBe('one');
    expect(waiting.map(({ result }) => result?.reveal())).toEqual(['one', 'one']);
    expect(second.requests + third.requests).toBe(0);
  });

  it.each([-HOUR, 0, HOUR])(
    "B10: remaining lifetime by the store's clock, which is %d ms ahead",
    async (storeAheadMs) => {
      const { process, clock } = givenFleet({ storeAheadMs });
      await process().fetches('one', { lifetimeMs: 10 * MINUTE });
      await clock.advance(4 * MINUTE);
      const token = await process().reads();
      expect(token.remainingMs(clock)).toBe(6 * MINUTE);
      expect(token.lifetimeMs).toBe(10 * MINUTE);
      await clock.advance(6 * MINUTE);
      await process().fetches('two');
    },
  );

  it('S11: the life of a token that is read counts from before the store was asked', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one');
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (wish) => {
      clock.setMonotonicBy(100);
      return claim(wish);
    });
    expect((await process().reads()).remainingMs(clock)).toBe(HOUR - 100);
  });

  it('S11: a store that is frozen for a while makes no token live longer', async () => {
    const { process, clock, store } = givenFleet();
    const publish = store.publish.bind(store);
    vi.spyOn(store, 'publish').mockImplementation(async (publication) => {
      clock.after(30_000, () => void publish(publication), 'background');
    });
    await process().fetches('one', { lifetimeMs: MINUTE });
    await clock.advance(30_000);
    expect((await process().reads()).remainingMs(clock)).toBe(30_000);
  });

  it('S11: a store that claims an entry lives for ever is believed up to the lifetime of the token', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one', { lifetimeMs: MINUTE });
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (wish) => {
      const answer = await claim(wish);
      return answer.state === 'found' ? { ...answer, expiresAt: answer.now + HOUR } : answer;
    });
    expect((await process().reads()).remainingMs(clock)).toBe(MINUTE);
  });

  it('B11: an entry whose end was moved lives no longer than its writer sealed', async () => {
    const { process, clock, store } = givenFleet({ storeAheadMs: HOUR });
    await process().fetches('one', { lifetimeMs: 10 * MINUTE });
    await clock.advance(9 * MINUTE);
    const claim = MemoryTokenStore.prototype.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (wish) => {
      const answer = await claim(wish);
      return answer.state === 'found' ? { ...answer, expiresAt: answer.now + HOUR } : answer;
    });
    expect((await process().reads()).remainingMs(clock)).toBe(MINUTE);
  });

  it("S8: a token that ended by this process's clocks is no answer, but stays for the others", async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fetches('one');
    await one.fetches('two', { need: EXPIRED, lifetimeMs: HOUR });
    expect((await process().reads()).reveal()).toBe('two');
    expect(clock.pending('awaited')).toEqual([]);
  });

  it('counts an entry within the leeway as expired', async () => {
    const { process, clock } = givenFleet();
    await process().fetches('one', { lifetimeMs: HOUR });
    await clock.advance(HOUR - 30_000);
    await process({ expiryLeewayMs: 30_000 }).fetches('two');
    expect((await process({ expiryLeewayMs: 30_000 }).reads()).reveal()).toBe('two');
  });

  it('renews ahead: the old token serves the others meanwhile, and all who renew ahead share the new one', async () => {
    const { process, clock } = givenFleet();
    const [one, other] = [process(), process()];
    await one.fetches('one');
    await other.reads();
    await clock.advance(HOUR - MINUTE);
    const [renewing, waiting] = [one.asks(AHEAD), other.asks(AHEAD)];
    await settled();
    expect((await process().reads()).reveal()).toBe('one');
    one.endpoint.last.give(tokenOf(clock, 'two'));
    await clock.advance(POLL_MS);
    expect([renewing.result?.reveal(), waiting.result?.reveal()]).toEqual(['two', 'two']);
    expect(one.requests + other.requests).toBe(2);
  });

  it('renews ahead to nothing that ends sooner', async () => {
    const { process, clock, store } = givenFleet();
    await process().fetches('one', { lifetimeMs: 5 * MINUTE });
    const other = process();
    vi.spyOn(store, 'claim').mockRejectedValueOnce(new Error('down'));
    await other.fetches('own', { lifetimeMs: HOUR });
    await clock.advance(2_000); // the store is left alone no longer
    const ahead = other.asks(AHEAD);
    await settled();
    expect(ahead.state).toBe('waiting');
    expect(other.requests).toBe(2);
  });

  it("S11: a token that ended by this process's clocks is no answer, whoever shared it", async () => {
    const { process, clock, claims } = givenFleet();
    const one = process();
    claims.mockRejectedValueOnce(new Error('down'));
    await one.fetches('the-same-for-all', { lifetimeMs: 1_000 });
    await process().fetches('the-same-for-all');
    await clock.advance(2_000); // the store is left alone no longer
    expect((await one.fetches('two', { need: EXPIRED })).reveal()).toBe('two');
  });

  it('S11: an entry ends when its token does, however long fetching took', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const fetching = one.asks();
    await settled();
    await clock.advance(7_000);
    one.endpoint.last.give(tokenOf(clock, 'one'));
    await settled();
    expect((await process().reads()).expiresAt).toEqual(fetching.result?.expiresAt);
  });
});

describe('B10: token-exact renewal across the fleet', () => {
  it('B10: the refused token goes from the store and is fetched anew once; who is late reads the newer one', async () => {
    const { process, claims } = givenFleet();
    const [one, other] = [process(), process()];
    const refused = await one.fetches('one');
    const alsoRefused = await other.reads();
    await one.fetches('two', { need: { reason: 'unauthorized', refused } });
    claims.mockClear();
    expect((await other.reads({ reason: 'unauthorized', refused: alsoRefused })).reveal()).toBe('two');
    expect(claims).toHaveBeenCalledTimes(1);
  });

  it('B10: nobody reads a token any more that another process was told 401 for', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const refused = await one.fetches('one');
    one.asks({ reason: 'unauthorized', refused });
    await settled();
    const cold = process().asks();
    await clock.advance(1_000);
    expect(cold.state).toBe('waiting');
  });

  it('B10: a refused token of unknown place in the store is recognised and removed', async () => {
    const { process, clock, claims } = givenFleet();
    await process().fetches('one');
    const refused = tokenOf(clock, 'one');
    claims.mockClear();
    await process().fetches('two', { need: { reason: 'unauthorized', refused } });
    expect(claims).toHaveBeenCalledTimes(2);
    expect((await process().reads()).reveal()).toBe('two');
  });

  it('B10: a late 401 for an older token removes nothing', async () => {
    const { process, clock } = givenFleet();
    await process().fetches('two');
    const late = process();
    expect((await late.reads({ reason: 'unauthorized', refused: tokenOf(clock, 'one') })).reveal()).toBe(
      'two',
    );
    expect((await process().reads()).reveal()).toBe('two');
  });

  it('B10: a token endpoint that gives the refused token again has nothing for the others', async () => {
    const { process, clock, store } = givenFleet();
    const publish = vi.spyOn(store, 'publish');
    await process().fetches('one', { need: { reason: 'unauthorized', refused: tokenOf(clock, 'one') } });
    expect(publish).not.toHaveBeenCalled();
    await process().fetches('two');
  });
});

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

  it('B10: those who wait look again by chance, so that a fleet does not look in step', async () => {
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

  it('B9: holds the process for callers who wait, and for nobody else', async () => {
    const { process, clock, store } = givenFleet();
    await held(store, clock);
    process().asks(AHEAD);
    await settled();
    expect(clock.pending('awaited')).toEqual([]);
    process().asks(COLD);
    await settled();
    expect(clock.pending('awaited')).toHaveLength(1);
  });

  it('B11: entries that are none of ours are replaced, and a quarrel about them ends', async () => {
    const { process, store, claims } = givenFleet();
    await store.publish({
      name: entry().name,
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
    ]);
  });
});

describe('B10: what is taken from the others', () => {
  it('B10: an entry that only this process cannot use stays for those who can', async () => {
    const { process, clock, claims } = givenFleet();
    await process().fetches('one', { lifetimeMs: HOUR });
    await clock.advance(HOUR - 30_000);
    claims.mockClear();
    process({ expiryLeewayMs: 30_000 }).asks();
    await settled();
    expect(claims.mock.calls[1]?.[0].unwanted).toMatchObject({ remove: false });
  });

  it('B10: a store that has neither an entry nor a lease to give is not waited for', async () => {
    const { process, claims } = givenFleet();
    claims.mockResolvedValue({ state: 'free', now: 1 });
    const one = process();
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    // The first claim only looks, because the store's clock is not known yet.
    expect(claims).toHaveBeenCalledTimes(2);
  });

  it('B10: a note that is none of ours is not waited for', async () => {
    const { process, claims, clock } = givenFleet();
    claims.mockResolvedValue({ state: 'held', now: 1, expiresAt: 60_000, note: 'garbage' });
    const one = process();
    one.asks();
    await settled();
    expect(one.requests).toBe(1);
    expect(clock.pending('awaited')).toEqual([]);
  });
});

describe('a fault of our own in a fleet', () => {
  it('reaches the caller as it is, and the lease goes back without a note', async () => {
    const { process, store } = givenFleet();
    const release = vi.spyOn(store, 'release');
    const one = process();
    const asked = one.asks();
    await settled();
    const fault = new TypeError('a fault');
    one.endpoint.last.fail(fault);
    await settled();
    expect(asked.error).toBe(fault);
    expect(release.mock.calls).toEqual([[{ name: entry().name, owner: expect.any(String) }]]);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });

  it('B9: nor is a renewal that was given up told to anybody', async () => {
    const { process, store, clock } = givenFleet();
    const release = vi.spyOn(store, 'release');
    const closing = new AbortController();
    const one = process();
    one.asks({ reason: 'ahead', signal: closing.signal });
    await settled();
    closing.abort();
    one.endpoint.last.fail(failureOf().until(new Date(clock.wall() + 250)));
    await settled();
    expect(release.mock.calls).toEqual([[{ name: entry().name, owner: expect.any(String) }]]);
    expect((await one.fetches('one')).reveal()).toBe('one');
  });
});

describe('failures in a fleet', () => {
  it('B6: whatever a look during a cool-down meets, callers get the failure', async () => {
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

  it("B10: what is only one process's trouble, its secret or its certificates, is not told to the others", async () => {
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

  it('B7: a changed secret has an entry of its own, so the failure of the old one is over', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    await one.fails(failureOf('TOKEN_REJECTED'), 60_000);
    one.secret.gives('rotated');
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

  it('B8: a secret that cannot be read is met once, by the sources below', async () => {
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

  it('S5: a token obtained with a secret that changed meanwhile goes to the place of that secret', async () => {
    const { process, clock } = givenFleet();
    const one = process();
    const asked = one.asks();
    await settled();
    // The refusal below made the attempt go by the new secret (B8).
    one.secret.gives('rotated');
    await one.usesAnotherSecret();
    one.endpoint.last.give(tokenOf(clock, 'of-the-new-secret'));
    await settled();
    expect(asked.result?.reveal()).toBe('of-the-new-secret');
    expect((await process({}, secretOf('rotated')).reads()).reveal()).toBe('of-the-new-secret');
    await process().fetches('of-the-old-secret');
  });
});

function secretOf(value: string): SteeredSecret {
  return new SteeredSecret(value);
}

/** Another process has the lease, as its own seal says. */
async function held(store: MemoryTokenStore, clock: FakeClock): Promise<void> {
  const owner = sealLease(entry(), { takenAt: clock.wall(), ms: 2_000 });
  await store.claim({ name: entry().name, lease: { owner, ms: 2_000 } });
}

/** The place of the fixtures' profile in every store. */
function entry(): FleetEntry {
  return new FleetEntry(profileOf(), new Secret(CANARY.secret));
}
