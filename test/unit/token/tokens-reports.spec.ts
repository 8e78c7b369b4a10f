import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { TokenIdentity } from '../../../lib/token/token-identity.js';
import { givenProvider } from '../../support/token/steered-provider.js';
import { tokenOf } from '../../support/token/token-fixtures.js';

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

describe('the provider of one token', () => {
  it('B33: is what for() gives for a target without members', () => {
    const { provider } = givenProvider();
    expect(provider.for({})).toBe(provider);
    expect(provider.of(undefined)).toBe(provider);
  });

  it('B33: has no accounts', () => {
    const { provider } = givenProvider();
    expect(() => provider.of(TokenIdentity.of({ account: 'one' }))).toThrow(
      new TypeError('These are the tokens of one account already.'),
    );
  });
});
