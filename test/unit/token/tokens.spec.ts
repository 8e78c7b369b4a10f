import { describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { settled } from '../../support/token/fake-clock.js';
import { givenProvider } from '../../support/token/steered-provider.js';
import {
  errorOf,
  failureOf,
  HOUR,
  MINUTE,
  profileOf,
  tokenOf,
  Watched,
} from '../../support/token/token-fixtures.js';

describe('getToken', () => {
  it('S8: makes no request before the first call, and one request for any number of calls', async () => {
    const { source, provider, obtain } = givenProvider();
    expect(source.asked.length).toBe(0);
    const token = await obtain('one');
    for (let count = 0; count < 100; count += 1) expect(await provider.getToken()).toBe(token);
    expect(source.asked.length).toBe(1);
  });

  it('S8: asks for one token per lifetime', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    await obtain('one');
    await clock.advance(HOUR - 1);
    expect((await provider.getToken()).reveal()).toBe('one');
    await clock.advance(1);
    await obtain('two');
    expect(source.asked.map(({ need }) => need.reason)).toEqual(['cold', 'expired']);
  });

  it('S8 B28: a warm call sets no timer, and its promise belongs to its caller', async () => {
    const { clock, provider, obtain } = givenProvider();
    await obtain('one');
    const timers = clock.history.length;
    expect(provider.getToken()).not.toBe(provider.getToken());
    expect(clock.history).toHaveLength(timers);
  });

  it('B1: 10,000 cold callers share one request', async () => {
    const { clock, source, provider } = givenProvider();
    const calls = Array.from({ length: 10_000 }, () => provider.getToken());
    expect(source.asked.length).toBe(1);
    const token = tokenOf(clock, 'one');
    source.last.give(token);
    expect([...new Set(await Promise.all(calls))]).toEqual([token]);
    expect(source.asked.length).toBe(1);
  });

  it('B1: a rejection is never cached: the next caller asks again', async () => {
    const { source, provider, obtain } = givenProvider();
    const calls = [provider.getToken(), provider.getToken()];
    const failure = failureOf();
    source.last.fail(failure);
    expect(await Promise.all(calls.map(errorOf))).toEqual([failure, failure]);
    await obtain('one');
    expect(source.asked.length).toBe(2);
  });

  it('B5: one caller’s abort rejects that caller at once and no other caller', async () => {
    const { clock, source, provider } = givenProvider();
    const abort = new AbortController();
    const first = new Watched(provider.getToken({ signal: abort.signal }));
    const second = new Watched(provider.getToken());
    abort.abort(new Error('no patience'));
    await settled();
    expect(first).toMatchObject({ state: 'failed', error: { message: 'no patience' } });
    expect(second.state).toBe('waiting');
    expect(source.last.need.signal?.aborted).toBe(false);
    source.last.give(tokenOf(clock, 'one'));
    await settled();
    expect(second.state).toBe('given');
  });

  it('B5: a call with an aborted signal starts no request and gets no token, not even a cached token', async () => {
    const { source, provider, obtain } = givenProvider();
    const signal = AbortSignal.abort();
    expect(await errorOf(provider.getToken({ signal }))).toBe(signal.reason);
    expect(source.asked.length).toBe(0);
    const token = await obtain('one');
    expect(await errorOf(provider.getToken({ signal }))).toBe(signal.reason);
    expect(await errorOf(provider.renew(token, { signal }))).toBe(signal.reason);
    expect(source.asked.length).toBe(1);
  });
});

describe('expiry', () => {
  it('S11: a token expires while the machine sleeps', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    await obtain('one');
    clock.sleep(HOUR - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    clock.sleep(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it.each([
    ['certificate', 2],
    ['secret', 1],
  ] as const)(
    'B32: of a client with a %s, after its certificates have changed: %i requests',
    async (credential, requests) => {
      const from = {
        pair: { interface: 'easy', environment: 'sandbox' },
        cert: 'CERT_FILE',
        read: () => Promise.resolve(new ClientTls({})),
      };
      const tls = new ClientTls({}, from, undefined, { warn() {}, log() {} });
      const { source, provider, obtain } = givenProvider({}, undefined, profileOf({ credential, tls }));
      await obtain('one');
      await provider.getToken();
      expect(source.asked.length).toBe(1);
      await tls.readAgainSince(tls.version);
      void provider.getToken();
      expect(source.asked.length).toBe(requests);
    },
  );

  it('a leeway longer than the life costs at most half of it', async () => {
    const { clock, source, provider, obtain } = givenProvider({ expiryLeewayMs: 10 * HOUR });
    await obtain('one', MINUTE);
    await clock.advance(MINUTE / 2 - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('S8: leeway and renewal ahead that are longer than the life cause at most four requests in one life', async () => {
    const { clock, source, provider, obtain } = givenProvider({
      expiryLeewayMs: 10 * HOUR,
      renewAheadMs: 10 * HOUR,
    });
    await obtain('token 0', MINUTE);
    let answered = 1;
    for (let second = 1; second <= 600; second += 1) {
      await clock.advance(1_000);
      const call = provider.getToken();
      if (source.asked.length > answered) source.last.give(tokenOf(clock, `token ${answered}`, MINUTE));
      answered = source.asked.length;
      await call;
    }
    expect(source.asked.length).toBeLessThanOrEqual(41);
  });
});

describe('a fault of this library', () => {
  it('reaches the caller unchanged and does not change the state', async () => {
    const { source, lines, provider, obtain } = givenProvider();
    const call = provider.getToken();
    const bug = new TypeError('bug');
    source.last.fail(bug);
    expect(await errorOf(call)).toBe(bug);
    expect(provider.status().state).toBe('empty');
    expect(lines).toEqual([]);
    await obtain('one');
  });

  it.each([
    ['exactly 2 s longer than the token before counts as the same life', 2_000, 0],
    ['more than 2 s longer than the token before has a new life', 2_001, MINUTE],
  ])('S8: a repeated token that seems to live %s', async (_, longerMs, leewayMs) => {
    const { clock, source, provider, obtain } = givenProvider({ expiryLeewayMs: MINUTE });
    await obtain('same');
    await clock.advance(HOUR - MINUTE);
    await obtain('same', MINUTE + longerMs);
    const asked = source.asked.length;
    // A leeway is never more than half of the life.
    await clock.advance(MINUTE + longerMs - Math.min(leewayMs, (MINUTE + longerMs) / 2) - 1);
    void provider.getToken();
    expect(source.asked.length).toBe(asked);
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(asked + 1);
  });
});
