import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { RenewalPause } from '../../../lib/token/renewal-pause.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { HOUR, MINUTE, tokenOf } from '../../support/token/token-fixtures.js';

function givenPause() {
  const clock = new FakeClock();
  const pause = new RenewalPause(clock);
  return { clock, pause, token: (name: string) => tokenOf(clock, name) };
}

/** Renewals after a 401. Each brings a token that works for other calls, but helps no call. */
function renewInVain(pause: RenewalPause, tokens: readonly AccessToken[]): void {
  for (const one of tokens) {
    pause.renewed(one);
    pause.markWorking();
    pause.refused(one);
    pause.refused(one);
  }
}

describe('RenewalPause', () => {
  it('B2: a token that no renewal after a 401 brought is renewed', () => {
    const { pause, token } = givenPause();
    expect(pause.onRefused(token('one'))).toBe('renew');
    expect(pause.isOn).toBe(false);
  });

  it('B3: a token that a renewal has just brought is not renewed for 30 s', async () => {
    const { clock, pause, token } = givenPause();
    pause.renewed(token('two'));
    expect(pause.onRefused(token('two'))).toBe('keep');
    expect(pause.onRefused(token('two'))).toBe('keep');
    await clock.advance(29_999);
    expect(pause.onRefused(token('two'))).toBe('keep');
    await clock.advance(1);
    expect(pause.onRefused(token('two'))).toBe('renew');
  });

  it('B3: starts a pause without a decision about a renewal, only for a token that a renewal has just brought', async () => {
    const { clock, pause, token } = givenPause();
    pause.startAfter(token('one'));
    expect(pause.isOn).toBe(false);
    pause.renewed(token('two'));
    pause.startAfter(token('one'));
    expect(pause.isOn).toBe(false);
    pause.startAfter(token('two'));
    expect(pause.isOn).toBe(true);
    pause.startAfter(token('two'));
    expect(pause.onRefused(token('two'))).toBe('keep');
    await clock.advance(30_000);
    // A pause that is over is followed by a renewal, not by another pause.
    pause.startAfter(token('two'));
    expect(pause.isOn).toBe(false);
    expect(pause.onRefused(token('two'))).toBe('renew');
  });

  it('B10: does not start a pause for a token of another process', () => {
    const { clock, pause } = givenPause();
    const shared = tokenOf(clock, 'two', HOUR, 'store');
    pause.renewed(shared);
    pause.startAfter(shared);
    expect(pause.isOn).toBe(false);
  });

  it('B10: a token that another process obtained may have been revoked since: it is renewed, once', () => {
    const { clock, pause } = givenPause();
    const shared = (name: string) => tokenOf(clock, name, HOUR, 'store');
    pause.renewed(shared('two'));
    expect(pause.onRefused(shared('two'))).toBe('renew');
    pause.renewed(shared('three'));
    expect(pause.onRefused(shared('three'))).toBe('keep');
  });

  it('B10: after a successful request, a token of another process is excused again', () => {
    const { clock, pause } = givenPause();
    const shared = (name: string) => tokenOf(clock, name, HOUR, 'store');
    pause.renewed(shared('two'));
    expect(pause.awaitsSuccess).toBe(true);
    pause.markWorking();
    pause.renewed(shared('three'));
    expect(pause.onRefused(shared('three'))).toBe('renew');
  });

  it('B3: each pause that does not help is followed by a longer pause, up to 5 minutes', async () => {
    const { clock, pause, token } = givenPause();
    const lengths: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      pause.renewed(token(`token ${round}`));
      expect(pause.onRefused(token(`token ${round}`))).not.toBe('renew');
      let length = 0;
      while (pause.isOn) {
        await clock.advance(1_000);
        length += 1;
      }
      lengths.push(length);
      expect(pause.onRefused(token(`token ${round}`))).toBe('renew');
    }
    expect(lengths).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it('B3: the renewal after a pause may begin another pause', async () => {
    const { clock, pause, token } = givenPause();
    pause.renewed(token('two'));
    expect(pause.onRefused(token('two'))).toBe('keep');
    await clock.advance(30_000);
    expect(pause.onRefused(token('two'))).toBe('renew');
    pause.renewed(token('three'));
    expect(pause.onRefused(token('three'))).toBe('keep');
    expect(pause.isOn).toBe(true);
  });

  it('B3: another token than the unproven one is renewed', () => {
    const { pause, token } = givenPause();
    pause.renewed(token('two'));
    expect(pause.onRefused(token('three'))).toBe('renew');
  });

  it('B3: during the pause no token is renewed, also not a token that was fetched after expiry', () => {
    const { pause, token } = givenPause();
    pause.renewed(token('two'));
    pause.onRefused(token('two'));
    expect(pause.onRefused(token('three'))).toBe('keep');
  });

  it('B3: a successful request ends the pause, and the next pause is short again', () => {
    const { pause, token } = givenPause();
    pause.renewed(token('two'));
    pause.onRefused(token('two'));
    pause.markWorking();
    expect(pause.isOn).toBe(false);
    expect(pause.onRefused(token('two'))).toBe('renew');
    pause.renewed(token('three'));
    expect(pause.onRefused(token('three'))).toBe('keep');
  });

  it('B3: awaits no success before a renewal, and none after a success', () => {
    const { pause, token } = givenPause();
    expect(pause.awaitsSuccess).toBe(false);
    pause.renewed(token('two'));
    expect(pause.awaitsSuccess).toBe(true);
    pause.markWorking();
    expect(pause.awaitsSuccess).toBe(false);
  });

  it('B3: awaits a success until there is one', async () => {
    const { clock, pause, token } = givenPause();
    pause.renewed(token('two'));
    pause.onRefused(token('two'));
    await clock.advance(10 * MINUTE);
    pause.onRefused(token('two'));
    expect(pause.awaitsSuccess).toBe(true);
  });

  it('B3: after three renewals that helped no call, the last token is kept for 30 s, though it works', async () => {
    const { clock, pause, token } = givenPause();
    renewInVain(pause, [token('two'), token('three')]);
    expect(pause.onRefused(token('three'))).toBe('renew');
    renewInVain(pause, [token('four')]);
    expect(pause.onRefused(token('four'))).toBe('keep');
    await clock.advance(29_999);
    expect(pause.onRefused(token('four'))).toBe('keep');
    await clock.advance(1);
    expect(pause.onRefused(token('four'))).toBe('renew');
    renewInVain(pause, [token('five')]);
    expect(pause.onRefused(token('five'))).toBe('keep');
  });

  it('B2: after a renewal that helped a call, a revoked token is renewed at once', () => {
    const { pause, token } = givenPause();
    renewInVain(pause, [token('two'), token('three'), token('four')]);
    pause.helped();
    expect(pause.onRefused(token('four'))).toBe('renew');
  });

  it('B2: a refusal counts neither before the first renewal, nor after a renewal has helped', () => {
    const { pause, token } = givenPause();
    pause.helped();
    pause.refused(token('one'));
    expect(pause.isUntested(token('one'))).toBe(false);
    renewInVain(pause, [token('two'), token('three')]);
    pause.renewed(token('four'));
    pause.markWorking();
    expect(pause.isUntested(token('four'))).toBe(true);
    pause.helped();
    expect(pause.isUntested(token('four'))).toBe(false);
    pause.refused(token('four'));
    renewInVain(pause, [token('five'), token('six')]);
    expect(pause.onRefused(token('six'))).toBe('renew');
  });

  it('B2: renewals by the application itself are not limited, as long as no call is refused', () => {
    const { pause, token } = givenPause();
    for (const one of ['two', 'three', 'four', 'five'].map(token)) {
      expect(pause.onRefused(one)).toBe('renew');
      pause.renewed(one);
      pause.markWorking();
    }
  });

  it('B2: a token that no renewal after a 401 brought is not kept', () => {
    const { pause, token } = givenPause();
    renewInVain(pause, [token('two'), token('three'), token('four')]);
    expect(pause.onRefused(token('fetched after expiry'))).toBe('renew');
  });

  it('S11: a sleep counts as time, a wall clock set back does not lengthen a pause', async () => {
    const { clock, pause, token } = givenPause();
    pause.renewed(token('two'));
    pause.onRefused(token('two'));
    clock.sleep(30_000);
    expect(pause.isOn).toBe(false);
    clock.setWallBy(-HOUR);
    expect(pause.isOn).toBe(true);
    await clock.advance(30_000);
    expect(pause.isOn).toBe(false);
  });
});
