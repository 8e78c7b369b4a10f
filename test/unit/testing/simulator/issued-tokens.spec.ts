import { expect, it, vi } from 'vitest';
import { IssuedTokens } from '../../../../lib/testing/simulator/issued-tokens.js';
import { NOW } from '../../../support/token/fake-clock.js';

const EASY = { interface: 'easy', environment: 'sandbox' };

it('B25: the mint forgets the oldest of 1,000 ended tokens, and looks for expired ones at each 1,000th', () => {
  let now = NOW;
  const clock = vi.fn<() => number>(() => now);
  const mint = new IssuedTokens(clock);
  const issue = (seconds: number): string =>
    mint.issue(EASY, { iss: 'x', aud: 'x', sub: 'canary-id' }, { seconds, prefix: '', isAside: false }).value;
  const [oldest, second] = [issue(1), issue(1)];
  for (let more = 0; more < 997; more += 1) issue(1);
  now += 1000;
  const other = issue(60);
  // One look at the clock for each token: none was searched for expired ones.
  expect([clock.mock.calls.length, mint.endOf(oldest)]).toEqual([1000, undefined]);
  const valid = issue(60);
  const ends = () => [oldest, second, valid].map((one) => mint.endOf(one));
  expect(ends()).toEqual(['expired', 'expired', undefined]);
  for (const one of [valid, other]) mint.revoke(one);
  expect(ends()).toEqual([undefined, 'expired', 'revoked']);
  expect([mint.clientOf(oldest), mint.clientOf(second)]).toEqual([undefined, 'canary-id']);
});
