import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { Deadline } from '../../../lib/time/deadline.js';
import { CachedTokenProvider } from '../../../lib/token/cached-token-provider.js';
import { TroubleReport } from '../../../lib/token/trouble-report.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import {
  CANARY,
  DAY,
  errorOf,
  failureOf,
  HOUR,
  MINUTE,
  profileOf,
  SteeredSource,
  tokenOf,
  Watched,
} from '../../support/token/token-fixtures.js';

function given(settings: { expiryLeewayMs?: number; renewAheadMs?: number } = {}) {
  const clock = new FakeClock();
  const source = new SteeredSource();
  const lines: string[] = [];
  const line = (message: unknown): void => void lines.push(String(message));
  const profile = profileOf();
  const provider = new CachedTokenProvider({
    profile,
    settings: { expiryLeewayMs: 0, renewAheadMs: 0, ...settings },
    source,
    report: new TroubleReport(profile, { error: line, warn: line, log: line }),
    clock,
  });
  /** A caller gets this token from a request of its own. */
  async function obtain(value: string, lifetimeMs = HOUR): Promise<AccessToken> {
    const call = provider.getToken();
    const token = tokenOf(clock, value, lifetimeMs);
    source.last.give(token);
    expect(await call).toBe(token);
    return token;
  }
  /** A 401 renews `refused`, which brings this token. */
  async function renew(refused: AccessToken, value: string): Promise<AccessToken> {
    const call = provider.renew(refused);
    const token = tokenOf(clock, value);
    source.last.give(token);
    expect(await call).toBe(token);
    return token;
  }
  return { clock, source, lines, provider, obtain, renew };
}

describe('getToken', () => {
  it('S8: makes no request before somebody asks, and then one for any number of calls', async () => {
    const { source, provider, obtain } = given();
    expect(source.asked.length).toBe(0);
    const token = await obtain('one');
    for (let count = 0; count < 100; count += 1) expect(await provider.getToken()).toBe(token);
    expect(source.asked.length).toBe(1);
  });

  it('S8: asks for one token per lifetime', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    await clock.advance(HOUR - 1);
    expect((await provider.getToken()).reveal()).toBe('one');
    await clock.advance(1);
    await obtain('two');
    expect(source.asked.map(({ need }) => need.reason)).toEqual(['cold', 'expired']);
  });

  it('S8: a warm call gives the very same promise and sets no timer', async () => {
    const { clock, provider, obtain } = given();
    await obtain('one');
    const timers = clock.history.length;
    expect(provider.getToken()).toBe(provider.getToken());
    expect(clock.history).toHaveLength(timers);
  });

  it('B1: 10,000 cold callers share one request', async () => {
    const { clock, source, provider } = given();
    const calls = Array.from({ length: 10_000 }, () => provider.getToken());
    expect(source.asked.length).toBe(1);
    const token = tokenOf(clock, 'one');
    source.last.give(token);
    expect([...new Set(await Promise.all(calls))]).toEqual([token]);
    expect(source.asked.length).toBe(1);
  });

  it('B1: callers at expiry share one request', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    await clock.advance(HOUR);
    const calls = Array.from({ length: 1_000 }, () => provider.getToken());
    source.last.give(tokenOf(clock, 'two'));
    await Promise.all(calls);
    expect(source.asked.length).toBe(2);
  });

  it('B1: a rejection is never cached: the next caller asks again', async () => {
    const { source, provider, obtain } = given();
    const calls = [provider.getToken(), provider.getToken()];
    const failure = failureOf();
    source.last.fail(failure);
    expect(await Promise.all(calls.map(errorOf))).toEqual([failure, failure]);
    await obtain('one');
    expect(source.asked.length).toBe(2);
  });

  it('B1: who asks in the very moment of the answer gets it too', async () => {
    const { clock, source, provider } = given();
    const again: Promise<AccessToken>[] = [];
    const call = provider.getToken().then((token) => {
      again.push(provider.getToken());
      return token;
    });
    source.last.give(tokenOf(clock, 'one'));
    expect(await call).toBe(await again[0]);
    expect(source.asked.length).toBe(1);
  });

  it('B5: one caller’s abort rejects that caller at once and nobody else', async () => {
    const { clock, source, provider } = given();
    const abort = new AbortController();
    const first = new Watched(provider.getToken({ signal: abort.signal }));
    const second = new Watched(provider.getToken());
    abort.abort(new Error('no patience'));
    await settled();
    expect(first).toMatchObject({ state: 'failed', error: { message: 'no patience' } });
    expect(second.state).toBe('waiting');
    expect(source.last.need.signal).toBeUndefined();
    source.last.give(tokenOf(clock, 'one'));
    await settled();
    expect(second.state).toBe('given');
  });

  it('B5: a token that comes after everybody has left is kept', async () => {
    const { clock, source, provider } = given();
    const abort = new AbortController();
    const call = new Watched(provider.getToken({ signal: abort.signal }));
    abort.abort();
    await settled();
    expect(call.state).toBe('failed');
    source.last.give(tokenOf(clock, 'one'));
    await settled();
    expect((await provider.getToken()).reveal()).toBe('one');
    expect(source.asked.length).toBe(1);
  });

  it('B5: who comes with an aborted signal starts nothing and gets nothing, not even a warm token', async () => {
    const { source, provider, obtain } = given();
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
  it('S11: the wall clock an hour forward ends a token', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    clock.setWallBy(HOUR);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('S11: the wall clock an hour back gives it no longer life', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    clock.setWallBy(-HOUR);
    await clock.advance(HOUR - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('S11: a machine that slept finds its token expired', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    clock.sleep(HOUR - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    clock.sleep(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it.each([1_000, 30 * DAY])('S11: a lifetime of %i ms is used to its last millisecond', async (lifetime) => {
    const { clock, source, provider, obtain } = given();
    await obtain('one', lifetime);
    await clock.advance(lifetime - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('a leeway ends a token before its time', async () => {
    const { clock, source, provider, obtain } = given({ expiryLeewayMs: MINUTE });
    await obtain('one');
    await clock.advance(59 * MINUTE - 1);
    await provider.getToken();
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('a leeway longer than the life costs at most half of it', async () => {
    const { clock, source, provider, obtain } = given({ expiryLeewayMs: 10 * HOUR });
    await obtain('one', MINUTE);
    await clock.advance(MINUTE / 2 - 1);
    await provider.getToken();
    expect(source.asked.length).toBe(1);
    await clock.advance(1);
    void provider.getToken();
    expect(source.asked.length).toBe(2);
  });

  it('S8: leeway and renewing ahead, both longer than the life, make no storm', async () => {
    const { clock, source, provider, obtain } = given({ expiryLeewayMs: 10 * HOUR, renewAheadMs: 10 * HOUR });
    await obtain('token 0', MINUTE);
    for (let second = 1; second <= 600; second += 1) {
      await clock.advance(1_000);
      const before = source.asked.length;
      const call = provider.getToken();
      if (source.asked.length > before) source.last.give(tokenOf(clock, `token ${before}`, MINUTE));
      await call;
    }
    expect(source.asked.length).toBeLessThanOrEqual(21);
  });
});

describe('renew', () => {
  it('B2: a refused token is replaced with one request', async () => {
    const { source, obtain, renew } = given();
    const one = await obtain('one');
    await renew(one, 'two');
    expect(source.asked.map(({ need }) => [need.reason, need.refused])).toEqual([
      ['cold', undefined],
      ['unauthorized', one],
    ]);
  });

  it('B2: 10,000 refusals of one token at once share one request', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    const calls = Array.from({ length: 10_000 }, () => provider.renew(one));
    const two = tokenOf(clock, 'two');
    source.last.give(two);
    expect([...new Set(await Promise.all(calls))]).toEqual([two]);
    expect(source.asked.length).toBe(2);
  });

  it('B2: refusals that come later get the token that is current by then, without a request', async () => {
    const { clock, source, provider, obtain, renew } = given();
    const one = await obtain('one');
    const two = await renew(one, 'two');
    for (let count = 0; count < 30; count += 1) {
      await clock.advance(100);
      expect(await provider.renew(one)).toBe(two);
    }
    expect(source.asked.length).toBe(2);
  });

  it('B2: refusals that come during the renewal join it', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    const calls = [provider.renew(one), provider.renew(one), provider.getToken()];
    await clock.advance(500);
    calls.push(provider.renew(one), provider.getToken());
    const two = tokenOf(clock, 'two');
    source.last.give(two);
    expect([...new Set(await Promise.all(calls))]).toEqual([two]);
    expect(source.asked.length).toBe(2);
  });

  it('B2: knows the refused token by its value too', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    void provider.renew(tokenOf(clock, 'one'));
    expect(source.asked.length).toBe(2);
  });

  it('B2: another token than the current one is none of its business', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    expect(await provider.renew(tokenOf(clock, 'older'))).toBe(one);
    expect(source.asked.length).toBe(1);
  });

  it('B2: from the beginning of its renewal on a refused token is handed out to nobody', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    const renewal = provider.renew(one);
    expect(provider.useIfValid()).toBeUndefined();
    const call = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(renewal);
    await errorOf(call);
    expect(provider.useIfValid()).toBeUndefined();
    void provider.getToken();
    expect(source.last.need).toMatchObject({ reason: 'unauthorized', refused: one });
    source.last.give(tokenOf(clock, 'two'));
    expect((await provider.getToken()).reveal()).toBe('two');
  });

  it('B2: a failed renewal reaches whoever joined it, as the error of the token request', async () => {
    const { source, provider, obtain } = given();
    const one = await obtain('one');
    const calls = [provider.renew(one), provider.renew(one)];
    const failure = failureOf();
    source.last.fail(failure);
    expect(await Promise.all(calls.map(errorOf))).toEqual([failure, failure]);
  });

  it('B2: a refused token that has expired meanwhile is simply asked for anew', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    await clock.advance(HOUR);
    void provider.renew(one);
    expect(source.last.need.reason).toBe('expired');
  });

  it('B2: a refusal during a renewal ahead joins that, and the refused token is gone', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    expect(source.last.need.reason).toBe('ahead');
    const call = provider.renew(one);
    expect(provider.useIfValid()).toBeUndefined();
    expect(source.asked.length).toBe(2);
    source.last.give(tokenOf(clock, 'two'));
    expect((await call).reveal()).toBe('two');
  });

  it('B5: one caller’s abort leaves the renewal to the others', async () => {
    const { clock, source, provider, obtain } = given();
    const one = await obtain('one');
    const abort = new AbortController();
    const leaving = new Watched(provider.renew(one, { signal: abort.signal }));
    const staying = new Watched(provider.renew(one));
    abort.abort();
    await settled();
    expect([leaving.state, staying.state]).toEqual(['failed', 'waiting']);
    source.last.give(tokenOf(clock, 'two'));
    await settled();
    expect(staying.state).toBe('given');
  });
});

describe('a persistent 401', () => {
  it('B3: costs one renewal; then the current token is given unchanged', async () => {
    const { source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    for (let count = 0; count < 1_000; count += 1) expect(await provider.renew(two)).toBe(two);
    expect(await provider.getToken()).toBe(two);
    expect(source.asked.length).toBe(2);
  });

  it('B3: after 30 s one more renewal is tried, then the pause is longer', async () => {
    const { clock, source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    await provider.renew(two);
    await clock.advance(29_999);
    expect(await provider.renew(two)).toBe(two);
    await clock.advance(1);
    const three = await renew(two, 'three');
    expect(await provider.renew(three)).toBe(three);
    await clock.advance(59_999);
    expect(await provider.renew(three)).toBe(three);
    await clock.advance(1);
    void provider.renew(three);
    expect(source.asked.length).toBe(4);
  });

  it('B3: many refusals after the pause still share one renewal', async () => {
    const { clock, source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    await provider.renew(two);
    await clock.advance(30_000);
    const calls = Array.from({ length: 1_000 }, () => provider.renew(two));
    source.last.give(tokenOf(clock, 'three'));
    await Promise.all(calls);
    expect(source.asked.length).toBe(3);
  });

  it('B3: a request that succeeds with the token ends the pause', async () => {
    const { source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    await provider.renew(two);
    provider.reportSuccess(two);
    void provider.renew(two);
    expect(source.asked.length).toBe(3);
  });

  it('B3: a success with another token ends nothing', async () => {
    const { source, provider, obtain, renew } = given();
    const one = await obtain('one');
    const two = await renew(one, 'two');
    await provider.renew(two);
    provider.reportSuccess(one);
    expect(await provider.renew(two)).toBe(two);
    expect(source.asked.length).toBe(2);
  });

  it('B3: a renewed token that was accepted once is renewed when it is revoked in turn', async () => {
    const { source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    provider.reportSuccess(two);
    await renew(two, 'three');
    expect(source.asked.length).toBe(3);
  });

  it('B3: a renewal that brings the same value again is in vain too', async () => {
    const { source, provider, obtain, renew } = given();
    const one = await obtain('one');
    const same = await renew(one, 'one');
    expect(await provider.renew(one)).toBe(same);
    expect(source.asked.length).toBe(2);
  });

  it('B3: expiry ends a token also during the pause', async () => {
    const { clock, source, provider, obtain, renew } = given();
    const two = await renew(await obtain('one'), 'two');
    await clock.advance(HOUR - 1);
    await provider.renew(two);
    await clock.advance(1);
    const three = await obtain('three');
    expect(source.asked.length).toBe(3);
    expect(await provider.renew(three)).toBe(three);
    expect(source.asked.length).toBe(3);
  });

  it('B3: one warning when it begins, one line when it is over', async () => {
    const { clock, lines, provider, obtain, renew } = given();
    let token = await renew(await obtain('one'), 'two');
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 10; count += 1) await provider.renew(token);
      await clock.advance(5 * MINUTE);
      token = await renew(token, `round ${round}`);
    }
    expect(lines).toHaveLength(1);
    provider.reportSuccess(token);
    provider.reportSuccess(token);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('accepts tokens again');
  });

  it('B3: a token that a renewal ahead brought is not held to be in vain', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    const joined = provider.renew(one);
    source.last.give(tokenOf(clock, 'two'));
    // It may have been minted before what made the API refuse `one`: one more renewal is worth it.
    void provider.renew(await joined);
    expect(source.asked.length).toBe(3);
    expect(source.last.need.reason).toBe('unauthorized');
  });
});

describe('renewing ahead', () => {
  it('S8: is off by default', async () => {
    const { clock, source, provider, obtain } = given();
    await obtain('one');
    await provider.getToken();
    await clock.advance(HOUR - 1);
    expect(source.asked.length).toBe(1);
  });

  it('brings the next token before the old one ends, and nobody waits', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    expect(source.last.need.reason).toBe('ahead');
    expect(await provider.getToken()).toBe(one);
    const two = tokenOf(clock, 'two');
    source.last.give(two);
    await settled();
    expect(await provider.getToken()).toBe(two);
  });

  it('B1: who needs a token while it is under way joins it', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    await obtain('one');
    await provider.getToken();
    await clock.advance(HOUR);
    const call = provider.getToken();
    expect(source.asked.length).toBe(2);
    source.last.give(tokenOf(clock, 'two'));
    expect((await call).reveal()).toBe('two');
  });

  it('B6: its failure is noticed by nobody while the token is valid, and tried again when the error no longer stands', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    source.last.fail(failureOf().until(new Date(clock.wall() + 1_000)));
    await settled();
    expect(await provider.getToken()).toBe(one);
    expect(provider.status()).toMatchObject({ state: 'valid', lastError: { code: 'TOKEN_UNAVAILABLE' } });
    await clock.advance(1_000);
    expect(source.asked.length).toBe(3);
    source.last.give(tokenOf(clock, 'two'));
    await settled();
    expect((await provider.getToken()).reveal()).toBe('two');
    expect(provider.status().lastError).toBeUndefined();
  });

  it('S11: a timer that was late, after a sleep, renews nothing that is over', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    await obtain('one');
    await provider.getToken();
    clock.sleep(2 * HOUR);
    await clock.advance(55 * MINUTE);
    expect(source.asked.length).toBe(1);
  });
});

describe('useIfValid and reportSuccess', () => {
  it('gives the valid token without a promise, and counts as a use', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    expect(provider.useIfValid()).toBeUndefined();
    const one = await obtain('one');
    expect(provider.useIfValid()).toBe(one);
    await clock.advance(55 * MINUTE);
    expect(source.last.need.reason).toBe('ahead');
    await clock.advance(5 * MINUTE);
    expect(provider.useIfValid()).toBeUndefined();
  });

  it('a success is no news where nothing was in doubt', async () => {
    const { clock, lines, provider, obtain } = given();
    provider.reportSuccess(tokenOf(clock, 'foreign'));
    provider.reportSuccess(await obtain('one'));
    expect(lines).toEqual([]);
  });
});

describe('a success or a refusal at an odd moment', () => {
  it('B3: a success with a token that is being renewed changes nothing', async () => {
    const { source, provider, obtain, renew, clock } = given();
    const two = await renew(await obtain('one'), 'two');
    await provider.renew(two);
    await clock.advance(30_000);
    const renewing = provider.renew(two);
    expect(() => provider.reportSuccess(two)).not.toThrow();
    source.last.give(tokenOf(clock, 'three'));
    expect((await renewing).reveal()).toBe('three');
    expect(await provider.renew(await renewing)).toBe(await renewing);
  });

  it('B3: a refusal in vain joins a renewal ahead that is under way, since that brings another token anyway', async () => {
    const { source, provider, obtain, renew, clock } = given({ renewAheadMs: MINUTE });
    const two = await renew(await obtain('one'), 'two');
    provider.useIfValid();
    await clock.advance(HOUR - MINUTE);
    const asked = source.asked.length;
    expect(source.last.need.reason).toBe('ahead');
    const joined = provider.renew(two);
    source.last.give(tokenOf(clock, 'three'));
    expect((await joined).reveal()).toBe('three');
    expect(source.asked.length).toBe(asked);
  });

  it('B3: a refusal during the pause gets the current token, also while it is renewed ahead', async () => {
    const { source, provider, obtain, renew, clock } = given({ renewAheadMs: MINUTE });
    const two = await renew(await obtain('one'), 'two');
    provider.useIfValid();
    await clock.advance(HOUR - MINUTE - 1_000);
    expect(await provider.renew(two)).toBe(two);
    await clock.advance(1_000);
    expect(source.last.need.reason).toBe('ahead');
    expect(await provider.renew(two)).toBe(two);
  });
});

describe('keeping the process alive', () => {
  it('B9: by a timer as long as Node can set one', () => {
    const { provider, clock } = given();
    void new Watched(provider.getToken());
    expect(clock.history).toEqual([{ ms: 2_147_483_647, kind: 'awaited' }]);
  });

  it('B9: whoever waits holds it, until the answer', async () => {
    const { clock, source, provider } = given();
    void provider.getToken();
    void provider.getToken();
    expect(clock.pending('awaited')).toHaveLength(1);
    source.last.give(tokenOf(clock, 'one'));
    await settled();
    expect(clock.pending()).toEqual([]);
  });

  it('B9: or until the failure', async () => {
    const { clock, source, provider } = given();
    const call = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(call);
    expect(clock.pending()).toEqual([]);
  });

  it('B9: a renewal ahead does not hold it, until somebody joins', async () => {
    const { clock, source, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    await obtain('one');
    await provider.getToken();
    await clock.advance(55 * MINUTE);
    expect(source.asked.length).toBe(2);
    expect(clock.pending('awaited')).toEqual([]);
    await clock.advance(5 * MINUTE);
    void provider.getToken();
    expect(clock.pending('awaited')).toHaveLength(1);
    source.last.give(tokenOf(clock, 'two'));
    await settled();
    expect(clock.pending('awaited')).toEqual([]);
  });
});

async function renewingAhead() {
  const all = given({ renewAheadMs: 5 * MINUTE });
  const one = await all.obtain('one');
  await all.provider.getToken();
  await all.clock.advance(55 * MINUTE);
  return { ...all, one, renewal: all.source.last };
}

describe('close', () => {
  it('B9: gives up a renewal that nobody waits for, silently', async () => {
    const { provider, renewal, lines } = await renewingAhead();
    provider.close();
    expect(renewal.need.signal?.aborted).toBe(true);
    renewal.fail(failureOf());
    await settled();
    expect(lines).toEqual([]);
    expect(provider.status().lastError).toBeUndefined();
  });

  it('B9: lets a renewal go on that somebody waits for', async () => {
    const { clock, provider, renewal } = await renewingAhead();
    await clock.advance(5 * MINUTE);
    const call = provider.getToken();
    provider.close();
    expect(renewal.need.signal?.aborted).toBe(false);
    renewal.give(tokenOf(clock, 'two'));
    expect((await call).reveal()).toBe('two');
  });

  it('B9: sets no timer afterwards', async () => {
    const { clock, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    provider.close();
    await obtain('one');
    await provider.getToken();
    expect(clock.pending()).toEqual([]);
  });

  it('B9: cancels the timer of the next renewal', async () => {
    const { clock, provider, obtain } = given({ renewAheadMs: 5 * MINUTE });
    await obtain('one');
    expect(clock.pending()).toHaveLength(1);
    provider.close();
    expect(clock.pending()).toEqual([]);
  });

  it('B9: who asks while a renewal is being given up gets a request of their own', async () => {
    const { clock, source, provider, renewal } = await renewingAhead();
    await clock.advance(5 * MINUTE);
    provider.close();
    const call = new Watched(provider.getToken());
    renewal.fail(failureOf());
    await settled();
    expect(call.state).toBe('waiting');
    expect(source.asked.length).toBe(3);
    source.last.give(tokenOf(clock, 'two'));
    await settled();
    expect(call.result?.reveal()).toBe('two');
  });

  it('B9: what was given up counts for nothing even if it succeeds', async () => {
    const { clock, provider, renewal, one } = await renewingAhead();
    provider.close();
    renewal.give(tokenOf(clock, 'late'));
    await settled();
    expect(await provider.getToken()).toBe(one);
  });

  it('later callers are still served, and later failures still told', async () => {
    const { clock, source, lines, provider } = await renewingAhead();
    provider.close();
    await clock.advance(5 * MINUTE);
    const call = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(call);
    expect(lines).toHaveLength(1);
    expect(provider.status().state).toBe('failing');
  });

  it('may be called again', async () => {
    const { provider } = await renewingAhead();
    provider.close();
    expect(() => provider.close()).not.toThrow();
  });
});

describe('status', () => {
  it('goes from empty over renewing to valid and expired', async () => {
    const { clock, source, provider } = given();
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

  it('makes no request', () => {
    const { source, provider } = given();
    provider.status();
    expect(source.asked.length).toBe(0);
  });

  it('failing wins over empty, expired and renewing', async () => {
    const { clock, source, provider, obtain } = given();
    const first = provider.getToken();
    const failure = failureOf().until(new Date(clock.wall() + 250));
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

  it('tells when the failure was, however often it is repeated', async () => {
    const { clock, source, provider } = given();
    const failure = failureOf();
    const at = new Date(clock.wall());
    for (let count = 0; count < 3; count += 1) {
      const call = provider.getToken();
      source.last.fail(failure);
      await errorOf(call);
      await clock.advance(50);
    }
    expect(provider.status().lastError?.at).toEqual(at);
  });

  it('tells the moments of a failure by the wall clock as it is now, if that was set back', async () => {
    const { clock, source, provider } = given();
    const call = provider.getToken();
    source.last.fail(failureOf().until(new Date(clock.wall() + 5_000)));
    await errorOf(call);
    clock.setWallBy(-HOUR);
    await clock.advance(2_000);
    const { lastError, retryAt } = provider.status();
    expect(lastError?.at).toEqual(new Date(clock.wall() - 2_000));
    expect(retryAt).toEqual(new Date(clock.wall() + 3_000));
  });

  it('S10: holds neither token nor secret, nor does the provider', async () => {
    const { provider, obtain } = given();
    await obtain(CANARY.token);
    const printed = [
      JSON.stringify(provider.status()),
      inspect(provider.status(), { depth: null, showHidden: true }),
      JSON.stringify(provider),
      inspect(provider, { depth: null, showHidden: true, getters: true }),
    ].join('\n');
    expect(printed).not.toMatch(/canary/i);
  });
});

describe('the log', () => {
  it('has one line when failing starts, one on recovery, nothing in between', async () => {
    const { source, lines, provider, obtain } = given();
    for (let count = 0; count < 20; count += 1) {
      const call = provider.getToken();
      source.last.fail(failureOf());
      await errorOf(call);
    }
    expect(lines).toEqual([failureOf().message]);
    await obtain('one');
    await provider.getToken();
    expect(lines).toHaveLength(2);
  });
});

describe('the event of the cache', () => {
  it('tells for each caller where its token came from, if somebody listens', async () => {
    const heard: unknown[] = [];
    const listen = (event: unknown): void => {
      heard.push(event);
    };
    const { clock, source, provider, obtain } = given();
    await obtain('unheard');
    await clock.advance(HOUR);
    subscribe('provider-auth:token-cache', listen);
    onTestFinished(() => void unsubscribe('provider-auth:token-cache', listen));
    const calls = [provider.getToken(), provider.getToken()];
    source.last.give(tokenOf(clock, 'one'));
    await Promise.all(calls);
    const one = await provider.getToken();
    provider.useIfValid();
    const renewed = provider.renew(one);
    expect(heard).toHaveLength(4);
    source.last.give(tokenOf(clock, 'two'));
    await renewed;
    await clock.advance(HOUR);
    expect(provider.useIfValid()).toBeUndefined();
    const failing = provider.getToken();
    source.last.fail(failureOf());
    await errorOf(failing);
    const pair = { interface: 'easy', environment: 'sandbox' };
    expect(heard).toEqual(
      ['miss', 'miss', 'memory', 'memory', 'miss', 'miss'].map((result) => ({ ...pair, result })),
    );
  });
});

describe('the event of the cache, with a store', () => {
  it('B10: tells `store`, and nothing else, for each caller of a token that another process has obtained', async () => {
    const heard: unknown[] = [];
    const listen = (event: unknown): void => {
      heard.push(event);
    };
    const { clock, source, provider } = given();
    subscribe('provider-auth:token-cache', listen);
    onTestFinished(() => void unsubscribe('provider-auth:token-cache', listen));
    const calls = [provider.getToken(), provider.getToken()];
    const life = { deadline: Deadline.after(clock, HOUR), lifetimeMs: HOUR, origin: 'store' } as const;
    source.last.give(new AccessToken('theirs', life));
    await Promise.all(calls);
    expect(heard).toMatchObject([{ result: 'store' }, { result: 'store' }]);
  });
});

describe('faults of our own', () => {
  it('reach the caller as they are and stay no state', async () => {
    const { source, lines, provider, obtain } = given();
    const call = provider.getToken();
    const bug = new TypeError('bug');
    source.last.fail(bug);
    expect(await errorOf(call)).toBe(bug);
    expect(provider.status().state).toBe('empty');
    expect(lines).toEqual([]);
    await obtain('one');
  });
});
