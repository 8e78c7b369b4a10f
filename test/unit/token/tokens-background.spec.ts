import { describe, expect, it } from 'vitest';
import { settled } from '../../support/token/fake-clock.js';
import { givenProvider, givenRenewalAhead } from '../../support/token/steered-provider.js';
import { failureOf, MINUTE, tokenOf, Watched } from '../../support/token/token-fixtures.js';

describe('renewing ahead', () => {
  it('B6: callers do not notice its failure while the token is valid, and it is tried again after the cool-down', async () => {
    const { clock, source, provider, obtain } = givenProvider({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    expect(await provider.getToken()).toBe(one);
    source.last.fail(failureOf().copy(new Date(clock.wall() + 1_000)));
    await settled();
    expect(await provider.getToken()).toBe(one);
    expect(provider.status()).toMatchObject({ state: 'valid', lastError: { code: 'TOKEN_UNAVAILABLE' } });
    await clock.advance(999);
    expect(await provider.getToken()).toBe(one);
    expect(source.asked.length).toBe(2);
    await clock.advance(1);
    expect(await provider.getToken()).toBe(one);
    expect(source.asked.length).toBe(3);
    source.last.give(tokenOf(clock, 'two'));
    await settled();
    expect((await provider.getToken()).reveal()).toBe('two');
    expect(provider.status().lastError).toBeUndefined();
  });
});

describe('close', () => {
  it('B9: ends a renewal that no caller waits for, and logs nothing', async () => {
    const { provider, renewal, lines } = await givenRenewalAhead();
    provider.close();
    expect(renewal.need.signal?.aborted).toBe(true);
    renewal.fail(failureOf());
    await settled();
    expect(lines).toEqual([]);
    expect(provider.status().lastError).toBeUndefined();
  });

  it('B9: ends a renewal for the next call, and starts no other', async () => {
    const { source, provider, obtain } = givenProvider();
    const one = await obtain('one');
    provider.renewForNextCall(one);
    expect(source.asked).toHaveLength(2);
    provider.close();
    expect(source.last.need.signal?.aborted).toBe(true);
    source.last.fail(failureOf());
    await settled();
    provider.renewForNextCall(one);
    expect(source.asked).toHaveLength(2);
  });

  it.each([
    ['without a signal', {}],
    ['with a signal', { signal: new AbortController().signal }],
  ])('B9: does not end a request that one caller has left, while another waits %s', async (_, options) => {
    const { clock, source, provider } = givenProvider();
    const abort = new AbortController();
    void new Watched(provider.getToken({ signal: abort.signal }));
    const staying = provider.getToken(options);
    abort.abort();
    provider.close();
    expect(source.last.need.signal?.aborted).toBe(false);
    source.last.give(tokenOf(clock, 'one'));
    expect((await staying).reveal()).toBe('one');
  });

  it('B9: the result of an ended renewal does not count, even if it is a token', async () => {
    const { clock, provider, renewal, one } = await givenRenewalAhead();
    provider.close();
    renewal.give(tokenOf(clock, 'late'));
    await settled();
    expect(await provider.getToken()).toBe(one);
  });
});
