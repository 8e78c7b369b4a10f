import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { openFailure, sealFailure, sharedFor } from '../../../../lib/token/fleet/stored-failure.js';
import { CANARY, failureOf, profileOf } from '../../../support/token-fixtures.js';

const profile = profileOf();
const entry = new FleetEntry(profile, new Secret(CANARY.secret));
const retryAt = new Date(1_000_000);
const right = { code: 'TOKEN_REJECTED', reason: 'it failed.', remedy: 'Mend it.', transient: false };

/** What is read of a note with this content. */
const opened = (content: unknown) =>
  openFailure(entry, entry.seal('failure', content as object), profile, retryAt);

describe('a failure that is told to the fleet', () => {
  it.each(['TOKEN_REJECTED', 'TOKEN_UNAVAILABLE', 'TOKEN_RESPONSE_INVALID'] as const)(
    'B6: %s comes back as what another process was told',
    (code) => {
      const told = failureOf(code);
      const error = openFailure(entry, sealFailure(entry, told), profile, retryAt);
      expect(error?.message).toBe(
        'No access token for easy sandbox: another process has just tried, and it failed. Mend it.',
      );
      expect(error?.failure).toEqual({
        ...told.failure,
        reason: 'another process has just tried, and it failed.',
        retryAt,
      });
    },
  );

  it('B6: may have had no answer', () => {
    expect(opened(right)).toMatchObject({ code: 'TOKEN_REJECTED', retryAt });
    expect(opened({ ...right, status: 400, oauthError: 'invalid_client' })).toMatchObject({
      status: 400,
      oauthError: 'invalid_client',
    });
  });

  it('B11: takes nothing from its note but what it needs', () => {
    const more = { retryAfterMs: 3_600_000, token: CANARY.token };
    expect(opened({ ...right, ...more })?.failure).toEqual(opened(right)?.failure);
  });

  it.each([
    ['nothing', null],
    ['a list', [right]],
    ['another code', { ...right, code: 'TOKEN_EATEN' }],
    ['no reason', { ...right, reason: undefined }],
    ['a reason that is no text', { ...right, reason: 5 }],
    ['no remedy', { ...right, remedy: undefined }],
    ['neither yes nor no', { ...right, transient: 'no' }],
    ['a status that is no number', { ...right, status: '400' }],
    ['an error code that is no text', { ...right, oauthError: ['invalid_client'] }],
    ['an error code that is none', { ...right, oauthError: 'forged\nline' }],
  ])('B11: is none where its note holds %s', (_, content) => {
    expect(opened(content)).toBeUndefined();
  });

  it('B11: is none where something else was sealed, or nothing', () => {
    expect(openFailure(entry, entry.seal('token', right), profile, retryAt)).toBeUndefined();
    expect(openFailure(entry, 'garbage', profile, retryAt)).toBeUndefined();
  });
});

describe('how long the others take a failure for theirs', () => {
  it.each([
    ['B6: as long as wished, where the endpoint answered', {}, 4_000, 4_000],
    ['B6: 5 s at most, where it answered', {}, 6_000, 5_000],
    ['B6: 2 s at most, where it did not', { status: undefined }, 6_000, 2_000],
    ['B6: less, where less was wished', { status: undefined }, 1_000, 1_000],
    ['B6: as long as the server asked', { retryAfterMs: 20_000 }, 250, 20_000],
    ['B6: no shorter than wished', { retryAfterMs: 1_000 }, 4_000, 4_000],
    ['B6: a minute at most, whatever the server asked', { retryAfterMs: 3_600_000 }, 250, 60_000],
    ['B10: not at all, where it is one process’s own', { status: undefined, transient: false }, 4_000, 0],
    ['B7: as any answer, where it was definitive', { transient: false }, 4_000, 4_000],
  ])('%s', (_, failure, wishedMs, ms) => {
    expect(sharedFor(failureOf('TOKEN_UNAVAILABLE', failure), wishedMs)).toBe(ms);
  });
});
