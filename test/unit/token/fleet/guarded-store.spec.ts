import { describe, expect, it, vi } from 'vitest';
import type { StoreAnswer, TokenStore } from '../../../../lib/config/options/token-store.js';
import { GuardedStore } from '../../../../lib/token/fleet/guarded-store.js';
import { eventsOf } from '../../../support/token/events.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { CANARY, Watched } from '../../../support/token/token-fixtures.js';

const CLAIM = { name: 'name', lease: { owner: 'me', ms: 5_000 } };
const FREE: StoreAnswer = { state: 'free', now: 1 };

function givenStore(options: Pick<TokenStore, 'timeoutMs' | 'host'> = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = { warn: (line: string) => lines.push(line), log: (line: string) => lines.push(line) };
  const store = {
    ...options,
    claim: vi.fn<TokenStore['claim']>(() => Promise.resolve(FREE)),
    publish: vi.fn<TokenStore['publish']>(() => Promise.resolve()),
    release: vi.fn<TokenStore['release']>(() => Promise.resolve()),
  };
  const guard = new GuardedStore(store, clock, () => 0.5, logger);
  return { clock, lines, store, guard };
}

describe('B10: a guarded store', () => {
  it('B35: is tried once after each pause while an application asks for its state, and that writes', async () => {
    const { guard, clock, store } = givenStore();
    const ask = async (): Promise<void> => {
      for (let asked = 0; asked < 5; asked += 1) guard.asked();
      await clock.advance(0);
    };
    await ask();
    expect(store.claim).not.toHaveBeenCalled();
    for (let failures = 0; failures < 3; failures += 1)
      store.claim.mockRejectedValueOnce(new Error('it broke'));
    await guard.claim(CLAIM);
    await ask();
    expect(store.claim).toHaveBeenCalledTimes(1);
    for (const [ms, calls, isFailing] of [
      [1_000, 2, true],
      [1_999, 2, true],
      // Its trials do not make the next pause longer.
      [1, 3, true],
      [2_000, 4, false],
    ] as const) {
      await clock.advance(ms);
      await ask();
      expect([store.claim.mock.calls.length, guard.isFailing]).toEqual([calls, isFailing]);
    }
    // In a cluster, another name may be on a machine that works.
    expect(store.claim.mock.lastCall).toEqual([{ name: 'name', lease: { owner: 'trial', ms: 1 } }]);
    await ask();
    expect(store.claim).toHaveBeenCalledTimes(4);
  });

  it('B35: a trial during the lease of another process has written nothing, so it does not count', async () => {
    const { guard, clock, store } = givenStore();
    store.claim.mockRejectedValueOnce(new Error('OOM'));
    await guard.claim(CLAIM);
    store.claim.mockResolvedValueOnce({ state: 'held', now: 0, expiresAt: 2_000 });
    for (const isFailing of [true, false]) {
      await clock.advance(1_000);
      guard.asked();
      await clock.advance(0);
      expect(guard.isFailing).toBe(isFailing);
    }
  });

  it.each<[string, StoreAnswer['state'], boolean]>([
    ['the lease', 'leased', false],
    ['the entry again', 'found', true],
  ])(
    'B35: a trial that finds an entry asks for the lease all the same, and gets %s',
    async (_, state, isFailing) => {
      const { guard, clock, store } = givenStore();
      const found = { state: 'found', now: 0, value: 'entry', expiresAt: 2_000 } as const;
      store.claim.mockRejectedValueOnce(new Error('OOM'));
      await guard.claim(CLAIM);
      await clock.advance(1_000);
      store.claim.mockResolvedValueOnce(found).mockResolvedValueOnce({ ...found, state });
      guard.asked();
      await clock.advance(0);
      const lease = { owner: 'trial', ms: 1 };
      expect(store.claim).toHaveBeenLastCalledWith({ name: 'name', lease, unwanted: { value: 'entry' } });
      expect(guard.isFailing).toBe(isFailing);
    },
  );

  it.each([{}, { timeoutMs: 40 }])('B10: waits no longer than the deadline: %j', async (options) => {
    const { guard, clock, store } = givenStore(options);
    store.claim.mockReturnValue(new Promise(() => {}));
    const claim = new Watched(guard.claim(CLAIM));
    await clock.advance((options.timeoutMs ?? 250) - 1);
    expect(claim.state).toBe('waiting');
    await clock.advance(1);
    expect(claim).toMatchObject({ state: 'given', result: undefined });
  });

  it.each<[string, () => Promise<StoreAnswer>]>([
    ['rejects', () => Promise.reject(new Error('it broke'))],
    [
      'throws',
      () => {
        throw new Error('it broke');
      },
    ],
    ...Object.entries({
      'gives nothing': undefined,
      'leaves a note that is no text': { state: 'held', now: 1, expiresAt: 2, note: null },
      'returns no time': { state: 'leased' },
      'returns no end of a lease': { state: 'held', now: 1 },
      'returns no end of an entry': { state: 'found', now: 1, value: 'value' },
      'returns an entry without its value': { state: 'found', now: 1, expiresAt: 2 },
      'answers something else': { state: 'odd', now: 1, expiresAt: 2, value: 'value' },
    }).map(([what, answer]): [string, () => Promise<StoreAnswer>] => [
      what,
      () => Promise.resolve(answer as StoreAnswer),
    ]),
  ])('B10: goes on without a store that %s, and says so once', async (_, claim) => {
    const { guard, store, lines, clock } = givenStore();
    store.claim.mockImplementation(claim);
    for (let round = 0; round < 4; round += 1) {
      expect(await guard.claim(CLAIM)).toBeUndefined();
      await clock.advance(60_000);
    }
    expect(store.claim).toHaveBeenCalledTimes(4);
    expect(lines).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B10: leaves a failing store alone for 1 s, doubling to 30 s', async () => {
    const { guard, store, clock } = givenStore();
    store.claim.mockRejectedValue(new Error('it broke'));
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      await guard.claim(CLAIM);
      const calls = store.claim.mock.calls.length;
      await clock.advance(pauseMs - 1);
      expect(await guard.claim(CLAIM)).toBeUndefined();
      guard.publish({ name: 'name', owner: 'me', value: 'value', expiresAt: 1 });
      guard.release({ name: 'name', owner: 'me' });
      expect(store.claim).toHaveBeenCalledTimes(calls);
      await clock.advance(1);
    }
    expect(store.publish).not.toHaveBeenCalled();
    expect(store.release).not.toHaveBeenCalled();
  });

  it('B10: says once that it is back, and begins anew', async () => {
    const events = eventsOf<{ state: string }>('store-state');
    const { guard, store, clock, lines } = givenStore();
    store.claim.mockRejectedValueOnce(new Error('OOM command not allowed'));
    await guard.claim(CLAIM);
    await clock.advance(1_000);
    await guard.claim(CLAIM);
    await guard.claim(CLAIM);
    expect(lines).toEqual([
      expect.stringMatching(/fails \(OOM\)/),
      'The token store works again. (STORE_RECOVERED)',
    ]);
    store.claim.mockRejectedValueOnce(new Error('OOM command not allowed'));
    await guard.claim(CLAIM);
    await clock.advance(1_000);
    expect(await guard.claim(CLAIM)).toBe(FREE);
    expect(lines).toHaveLength(4);
    expect(events.map(({ state }) => state)).toEqual(['failing', 'recovered', 'failing', 'recovered']);
  });

  it.each([
    ['NOPERM', 'Check the rights of the user of the Redis client.'],
    ['NOAUTH', 'Check the user and password of the Redis client.'],
    ['WRONGPASS', 'Check the user and password of the Redis client.'],
    ['ECONNREFUSED', 'Check the store and the connection to it.'],
    [undefined, 'Check the store and the connection to it.'],
  ])('B35: says what to check after %s, and of which store', async (code, advice) => {
    const { guard, store, lines, clock } = givenStore({ host: 'redis.example.com' });
    if (code === undefined) store.claim.mockReturnValueOnce(new Promise(() => {}));
    else store.claim.mockRejectedValueOnce(Object.assign(new Error('it broke'), { code }));
    const claim = guard.claim(CLAIM);
    await clock.advance(250);
    await claim;
    await clock.advance(1_000);
    await guard.claim(CLAIM);
    expect(lines).toEqual([
      `The token store fails (${code ?? 'no answer within 250 ms'}). Requests go on: this process requests its own tokens and ` +
        `tries the store again by itself. ${advice} (STORE_FAILING, redis.example.com)`,
      'The token store works again. (STORE_RECOVERED, redis.example.com)',
    ]);
  });

  it('S10: repeats nothing of an error but a code', async () => {
    const said = [];
    for (const error of [
      new Error(`ERR unknown command ${CANARY.secret}`),
      new Error(CANARY.secret),
      Object.assign(new Error(CANARY.token), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('OOM command not allowed'), { code: 7 }),
      new Error('it broke: OOM'),
      CANARY.token,
    ]) {
      const { guard, store, lines } = givenStore();
      store.claim.mockRejectedValue(error);
      await guard.claim(CLAIM);
      said.push(/\((.*?)\)/.exec(lines[0] ?? '')?.[1]);
    }
    expect(said).toEqual(['ERR', 'it rejects', 'ECONNREFUSED', 'OOM', 'it rejects', 'it rejects']);
  });

  it('B10: counts as one failure what fails side by side', async () => {
    const { guard, store, clock, lines } = givenStore();
    store.claim.mockImplementation(
      () =>
        new Promise((_, reject) => {
          clock.after(10, () => reject(new Error('it broke')));
        }),
    );
    const both = [guard.claim(CLAIM), guard.claim(CLAIM)];
    await clock.advance(10);
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
    store.claim.mockResolvedValue(FREE);
    await clock.advance(1_000);
    expect(await guard.claim(CLAIM)).toBe(FREE);
    expect(lines).toHaveLength(2);
  });

  it('is one for each store, so that a failure is logged once for all profiles', () => {
    const { store, clock } = givenStore();
    const guard = GuardedStore.of(store, clock, Math.random);
    expect(GuardedStore.of(store, clock, Math.random)).toBe(guard);
    expect(GuardedStore.of({ ...store }, clock, Math.random)).not.toBe(guard);
  });
});
