import { describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { givenProvider } from '../../support/token/steered-provider.js';
import { errorOf, failureOf, HOUR, MINUTE, profileOf, tokenOf } from '../../support/token/token-fixtures.js';

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

  it.each(['expiryLeewayMs', 'renewAheadMs'])(
    'S8: a %s longer than the life is half of it',
    async (setting) => {
      const { clock, source, provider, obtain } = givenProvider({ [setting]: 10 * HOUR });
      await obtain('one', MINUTE);
      await clock.advance(MINUTE / 2 - 1);
      await provider.getToken();
      expect(source.asked.length).toBe(1);
      await clock.advance(1);
      void provider.getToken();
      expect(source.asked.length).toBe(2);
    },
  );
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
});
