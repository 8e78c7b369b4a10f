import { describe, expect, it } from 'vitest';
import { lifetime } from '../../../../lib/cli/steps/lifetime.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkOf } from '../../../support/application/doctor-check.js';
import { tokenOf } from '../../../support/token/token-fixtures.js';

describe('the step about the lifetime', () => {
  it.each([
    [3600, undefined],
    [60, undefined],
    [
      59,
      'This is short: after each lifetime, a call waits for a new token. Set token.renewAheadMs to renew it in the background.',
    ],
  ])('S11: reports the lifetime of the endpoint, and whether it is short: %i s', async (seconds, advice) => {
    expect(lifetime.run(checkOf({ token: tokenOf(systemClock, 'x', seconds * 1_000) }))).toEqual({
      status: 'ok',
      detail: `the token lives for ${seconds} s: one token request in that time`,
      facts: { seconds },
      ...(advice !== undefined && { advice }),
    });
  });

  it('is skipped without a token', async () => {
    expect(lifetime.run(checkOf())).toEqual({ status: 'skipped', detail: 'there is no token' });
  });

  it('has the name that --json shows', () => {
    expect(lifetime.name).toBe('lifetime');
  });
});
