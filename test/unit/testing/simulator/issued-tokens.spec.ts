import { expect, it } from 'vitest';
import { IssuedTokens } from '../../../../lib/testing/simulator/issued-tokens.js';
import { NOW } from '../../../support/token/fake-clock.js';

const EASY = { interface: 'easy', environment: 'sandbox' };

it('B25: of the tokens that have ended, the last 1,000 are remembered, and valid ones always', () => {
  let now = NOW;
  const tokens = new IssuedTokens(() => now);
  const issue = (seconds: number): string =>
    tokens.issue(EASY, { iss: 'x', aud: 'x', sub: 'canary-id' }, { seconds, prefix: '', isAside: false })
      .value;
  const [brief, revoked, valid] = [issue(1), issue(60), issue(60)];
  tokens.revoke(revoked);
  now += 1000;
  const states = () => [brief, revoked, valid].map((one) => tokens.factsOf(one)?.state);
  for (let more = 0; more < 1996; more += 1) issue(60);
  expect(states()).toEqual(['expired', 'revoked', 'valid']);
  issue(60);
  expect(states()).toEqual([undefined, undefined, 'valid']);
  expect(tokens.factsOf(valid)?.clientId).toBe('canary-id');
});
