import { describe, expect, it, vi } from 'vitest';
import { eventsOf } from '../../support/token/events.js';
import { settled } from '../../support/token/fake-clock.js';
import { givenProvider } from '../../support/token/steered-provider.js';
import { errorOf, failureOf, HOUR, MINUTE, profileOf, tokenOf } from '../../support/token/token-fixtures.js';

describe('status', () => {
  it('goes from empty over renewing to valid and expired', async () => {
    const { clock, source, provider } = givenProvider();
    expect(provider.status()).toEqual({
      interface: 'easy',
      environment: 'sandbox',
      active: true,
      state: 'empty',
    });
    const call = provider.getToken();
    expect(provider.status().state).toBe('renewing');
    const obtainedAt = new Date(clock.wall());
    const token = tokenOf(clock, 'one');
    source.last.give(token);
    await call;
    const facts = { expiresAt: token.expiresAt, obtainedAt, fingerprint: token.fingerprint };
    expect(provider.status()).toMatchObject({ state: 'valid', ...facts });
    await clock.advance(HOUR);
    expect(provider.status()).toMatchObject({ state: 'expired', ...facts });
    void provider.getToken();
    expect(provider.status().state).toBe('renewing');
  });

  it.each([
    ['ok', false],
    ['failing', true],
  ])('B10: says that the shared store is %s, and lets it be tried again', (store, isFailing) => {
    const asked = vi.fn<() => void>();
    const { provider } = givenProvider({}, { isFailing, asked });
    expect(provider.status()).toMatchObject({ state: 'empty', store });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('failing wins over empty, expired and renewing', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    const first = provider.getToken();
    const failure = failureOf().copy(new Date(clock.wall() + 250));
    const at = new Date(clock.wall());
    source.last.fail(failure);
    await errorOf(first);
    expect(provider.status()).toEqual({
      interface: 'easy',
      environment: 'sandbox',
      active: true,
      state: 'failing',
      lastError: { code: 'TOKEN_UNAVAILABLE', message: failure.message, at },
      retryAt: failure.retryAt,
    });
    void provider.getToken();
    expect(provider.status().state).toBe('failing');
    source.last.give(tokenOf(clock, 'one'));
    await settled();
    expect(provider.status()).toMatchObject({ state: 'valid' });
    expect(provider.status().lastError).toBeUndefined();
    await clock.advance(HOUR);
    const call = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(call);
    expect(provider.status().state).toBe('failing');
    await obtain('two');
    expect(provider.status().state).toBe('valid');
  });

  it('S11: says when the token was obtained, and when it expires, by the present wall clock if it was set back', async () => {
    const { clock, provider, obtain } = givenProvider();
    await obtain('one', 10 * MINUTE);
    clock.setWallBy(-HOUR);
    await clock.advance(9 * MINUTE);
    expect(provider.status()).toMatchObject({
      state: 'valid',
      obtainedAt: new Date(clock.wall() - 9 * MINUTE),
      expiresAt: new Date(clock.wall() + MINUTE),
    });
    await clock.advance(2 * MINUTE);
    expect(provider.status()).toMatchObject({
      state: 'expired',
      expiresAt: new Date(clock.wall() - MINUTE),
    });
  });

  it('B35: a pair that is not active is in use for ten minutes after its last call, whatever the wall clock says', async () => {
    const { clock, provider } = givenProvider({}, undefined, profileOf({ active: false }));
    expect(provider.isInUse).toBe(false);
    for (const correctedMs of [0, HOUR, -HOUR]) {
      void provider.getToken();
      clock.setWallBy(correctedMs);
      await clock.advance(10 * MINUTE - 1);
      expect(provider.isInUse).toBe(true);
      await clock.advance(1);
      expect(provider.isInUse).toBe(false);
    }
  });

  it.each([
    [true, 1],
    [false, 0],
  ])(
    'B35: active: %s: ten minutes after the last call, a failure has %d trial request',
    async (active, trials) => {
      const { clock, source, provider } = givenProvider({}, undefined, profileOf({ active }));
      const call = provider.getToken();
      source.last.fail(failureOf());
      await errorOf(call);
      await clock.advance(10 * MINUTE);
      provider.status();
      await clock.advance(MINUTE);
      expect(source.asked).toHaveLength(1 + trials);
    },
  );
});

describe('the event of the cache', () => {
  it('says for each caller where its token came from, if there is a subscriber', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    await obtain('unsubscribed');
    await clock.advance(HOUR);
    const received = eventsOf('token-cache');
    const calls = [provider.getToken(), provider.getToken()];
    source.last.give(tokenOf(clock, 'one'));
    await Promise.all(calls);
    const one = await provider.getToken();
    provider.useIfValid();
    const renewed = provider.renew(one);
    expect(received).toHaveLength(4);
    source.last.give(tokenOf(clock, 'two'));
    await renewed;
    await clock.advance(HOUR);
    expect(provider.useIfValid()).toBeUndefined();
    const failing = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(failing);
    const pair = { provider: 'provider', interface: 'easy', environment: 'sandbox' };
    expect(received).toEqual(
      ['miss', 'miss', 'memory', 'memory', 'miss', 'miss'].map((result) => ({ ...pair, result })),
    );
  });

  it('B10: says only `store` for each caller of a token that another process has obtained', async () => {
    const { clock, source, provider } = givenProvider();
    const received = eventsOf('token-cache');
    const calls = [provider.getToken(), provider.getToken()];
    source.last.give(tokenOf(clock, 'of-another-process', HOUR, 'store'));
    await Promise.all(calls);
    expect(received).toMatchObject([{ result: 'store' }, { result: 'store' }]);
  });
});
