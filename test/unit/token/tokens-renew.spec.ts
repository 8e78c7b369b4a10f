import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { settled } from '../../support/token/fake-clock.js';
import { givenProvider } from '../../support/token/steered-provider.js';
import { errorOf, failureOf, HOUR, MINUTE, tokenOf } from '../../support/token/token-fixtures.js';

describe('renew', () => {
  it('B2: 10,000 refusals of one token at once share one request', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    const one = await obtain('one');
    const calls = Array.from({ length: 10_000 }, () => provider.renew(one));
    const two = tokenOf(clock, 'two');
    source.last.give(two);
    expect([...new Set(await Promise.all(calls))]).toEqual([two]);
    expect(source.asked.length).toBe(2);
  });

  it('B2: recognises the current token by its value, and renews no other one', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    const one = await obtain('one');
    expect(await provider.renew(tokenOf(clock, 'older'))).toBe(one);
    expect(source.asked.length).toBe(1);
    void provider.renew(tokenOf(clock, 'one'));
    expect(source.asked.length).toBe(2);
  });

  it('B2: no caller gets a refused token after its renewal has begun', async () => {
    const { clock, source, provider, obtain } = givenProvider();
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

  it('B2: a refused token that has expired meanwhile is replaced as an expired token', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    const one = await obtain('one');
    await clock.advance(HOUR);
    void provider.renew(one);
    expect(source.last.need.reason).toBe('expired');
  });

  it('B2: a refusal during a renewal ahead joins this renewal, and no caller gets the refused token', async () => {
    const { clock, source, provider, obtain } = givenProvider({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await clock.advance(55 * MINUTE);
    await provider.getToken();
    expect(source.last.need.reason).toBe('ahead');
    const call = provider.renew(one);
    expect(provider.useIfValid()).toBeUndefined();
    expect(source.asked.length).toBe(2);
    source.last.give(tokenOf(clock, 'two'));
    expect((await call).reveal()).toBe('two');
  });

  it('B33: a provider without a token asks for another one than the refused one, and gives what it gets', async () => {
    const { clock, source, provider, lines } = givenProvider();
    const refused = tokenOf(clock, 'of-before');
    const call = provider.renew(refused);
    expect(source.last.need).toMatchObject({ reason: 'unauthorized', refused });
    // Some endpoints return the same token until it expires.
    const same = tokenOf(clock, 'of-before');
    source.last.give(same);
    expect(await call).toBe(same);
    expect([source.asked.length, lines]).toEqual([1, []]);
  });
});

describe('a persistent 401', () => {
  it('B3: each renewal that does not help is followed by a longer pause, 30 s to 5 minutes, until a call succeeds', async () => {
    const { clock, source, provider, obtain, renew } = givenProvider();
    let token = await renew(await obtain('one'), 'two');
    /** How long the next refusals of this token are not renewed. Then one renewal brings another one. */
    const pauseSeconds = async (): Promise<number> => {
      const asked = source.asked.length;
      for (let seconds = 0; ; seconds += 1) {
        const call = provider.renew(token);
        if (source.asked.length > asked) {
          source.last.give(tokenOf(clock, `after ${seconds} s, ${asked}`));
          token = await call;
          return seconds;
        }
        expect(await call).toBe(token);
        await clock.advance(1_000);
      }
    };
    const lengths: number[] = [];
    for (let pauses = 0; pauses < 6; pauses += 1) lengths.push(await pauseSeconds());
    expect(lengths).toEqual([30, 60, 120, 240, 300, 300]);
    provider.reportSuccess(token);
    expect([await pauseSeconds(), await pauseSeconds()]).toEqual([0, 30]);
  });

  it('B10: a token of another process may have been revoked since, so its refusal is excused, once until a success', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    let token = await obtain('one');
    const isRenewed = async (value: string): Promise<boolean> => {
      const asked = source.asked.length;
      const call = provider.renew(token);
      if (source.asked.length === asked) return false;
      token = tokenOf(clock, value, HOUR, 'store');
      source.last.give(token);
      await call;
      return true;
    };
    expect([await isRenewed('two'), await isRenewed('three'), await isRenewed('four')]).toEqual([
      true,
      true,
      false,
    ]);
    provider.reportSuccess(token);
    expect([await isRenewed('five'), await isRenewed('six'), await isRenewed('seven')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('B3: a success with another token ends nothing', async () => {
    const { source, provider, obtain, renew } = givenProvider();
    const one = await obtain('one');
    const two = await renew(one, 'two');
    await provider.renew(two);
    provider.reportSuccess(one);
    expect(await provider.renew(two)).toBe(two);
    expect(source.asked.length).toBe(2);
  });

  it('B3: expiry ends a token also during the pause', async () => {
    const { clock, source, provider, obtain, renew } = givenProvider();
    const two = await renew(await obtain('one'), 'two');
    await clock.advance(HOUR - 1);
    await provider.renew(two);
    await clock.advance(1);
    const three = await obtain('three');
    expect(source.asked.length).toBe(3);
    expect(await provider.renew(three)).toBe(three);
    expect(source.asked.length).toBe(3);
  });

  it('B3: logs one warning when the pause begins and one line when it is over', async () => {
    const { clock, lines, provider, obtain, renew } = givenProvider();
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

  it('B3: a refused token that a renewal ahead brought does not start the pause', async () => {
    const { clock, source, provider, obtain } = givenProvider({ renewAheadMs: 5 * MINUTE });
    const one = await obtain('one');
    await clock.advance(55 * MINUTE);
    await provider.getToken();
    const joined = provider.renew(one);
    source.last.give(tokenOf(clock, 'two'));
    // The endpoint may have issued this token before `one` was revoked, so one more renewal can help.
    void provider.renew(await joined);
    expect(source.asked.length).toBe(3);
    expect(source.last.need.reason).toBe('unauthorized');
  });
});

describe('a success or a refusal during a renewal', () => {
  it('B3: a trial request after a failed renewal is a renewal, too: its token, if refused, starts the pause', async () => {
    const { clock, source, provider, obtain } = givenProvider();
    const refused = await obtain('one');
    const call = provider.renew(refused);
    source.last.fail(failureOf().copy(new Date(clock.wall() + 5_000)));
    await errorOf(call);
    // As a health check does.
    await clock.advance(5_000);
    provider.status();
    expect(source.last.need).toMatchObject({ reason: 'ahead', refused });
    const two = tokenOf(clock, 'two');
    source.last.give(two);
    await settled();
    expect(await provider.renew(two)).toBe(two);
    expect(source.asked.length).toBe(3);
  });

  it('B3: a refusal of a renewed token joins a renewal ahead under way, because that brings another token anyway', async () => {
    const { source, provider, obtain, renew, clock } = givenProvider({ renewAheadMs: MINUTE });
    const two = await renew(await obtain('one'), 'two');
    await clock.advance(HOUR - MINUTE);
    provider.useIfValid();
    const asked = source.asked.length;
    expect(source.last.need.reason).toBe('ahead');
    const joined = provider.renew(two);
    source.last.give(tokenOf(clock, 'three'));
    expect((await joined).reveal()).toBe('three');
    expect(source.asked.length).toBe(asked);
  });

  it('B3: a refusal during the pause gets the current token, also while it is renewed ahead', async () => {
    const { source, provider, obtain, renew, clock } = givenProvider({ renewAheadMs: MINUTE });
    const two = await renew(await obtain('one'), 'two');
    await clock.advance(HOUR - MINUTE - 1_000);
    expect(await provider.renew(two)).toBe(two);
    await clock.advance(1_000);
    provider.useIfValid();
    expect(source.last.need.reason).toBe('ahead');
    expect(await provider.renew(two)).toBe(two);
  });
});

/** Three renewals after a 401. The tokens of the first two helped no call. The last one works, as they did for other calls. */
async function givenUselessRenewals() {
  const given = givenProvider();
  const { provider } = given;
  let token = await given.obtain('one');
  for (const name of ['two', 'three', 'four']) {
    provider.reportRefusal(token);
    token = await given.renew(token, name);
    provider.reportSuccess(token);
  }
  return { ...given, token };
}

describe('what the HTTP client reports to the token provider', () => {
  type Report = (provider: Tokens, current: AccessToken, older: AccessToken) => void;

  it.each<[string, 'kept' | 'renewed', Report]>([
    ['no call is helped', 'kept', () => {}],
    ['a call that was sent again got an answer', 'renewed', (provider) => provider.reportHelp()],
    [
      'a call that is sent once has succeeded with it',
      'renewed',
      (provider, current) => provider.reportSuccess(current, true),
    ],
    [
      'a call that is sent once has succeeded with an older one',
      'kept',
      (provider, _current, older) => provider.reportSuccess(older, true),
    ],
    [
      'a call that could be sent again has succeeded with it',
      'kept',
      (provider, current) => provider.reportSuccess(current),
    ],
  ])('B3: after two useless renewals, if %s, a refused token is %s', async (_, what, report) => {
    const { provider, source, clock, token } = await givenUselessRenewals();
    report(provider, token, tokenOf(clock, 'one'));
    provider.reportRefusal(token);
    const asked = source.asked.length;
    // An upload that cannot be sent again says so.
    expect(provider.pauseRenewals(token)).toBe(what === 'kept');
    void provider.renew(token);
    expect(source.asked.length - asked).toBe(what === 'renewed' ? 1 : 0);
  });

  it('B3: pauses no renewals for a token that has expired, or while another one is on its way', async () => {
    const { provider, clock, lines, obtain, renew } = givenProvider();
    const two = await renew(await obtain('one'), 'two');
    await clock.advance(two.remainingMs(clock) + 1);
    expect(provider.pauseRenewals(two)).toBe(false);
    void provider.getToken();
    expect(provider.pauseRenewals(two)).toBe(false);
    expect(lines).toEqual([]);
  });

  it('B3: pauses renewals at once if the API refuses the token that a renewal has just brought, and logs it', async () => {
    const { provider, source, lines, obtain, renew } = givenProvider();
    const one = await obtain('one');
    const two = await renew(one, 'two');
    expect(provider.pauseRenewals(one)).toBe(false);
    expect(lines).toEqual([]);
    expect(provider.pauseRenewals(two)).toBe(true);
    expect(lines).toEqual([expect.stringContaining('refuses tokens that were just obtained')]);
    expect(await provider.renew(two)).toBe(two);
    expect(source.asked).toHaveLength(2);
  });

  it('B35: hasWorked is true after the first success', async () => {
    const { provider, obtain } = givenProvider();
    const token = await obtain('one');
    provider.reportRefusal(token);
    expect(provider.hasWorked).toBe(false);
    provider.reportSuccess(token);
    expect(provider.hasWorked).toBe(true);
  });
});
