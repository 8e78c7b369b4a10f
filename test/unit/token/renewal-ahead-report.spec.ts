import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { givenProvider } from '../../support/token/steered-provider.js';
import { errorOf, failureOf, HOUR, MINUTE, tokenOf } from '../../support/token/token-fixtures.js';

/** A provider with a valid token and a renewal ahead under way, and all that its channel publishes. */
async function givenRenewalAhead() {
  const given = givenProvider({ renewAheadMs: MINUTE });
  const states: unknown[] = [];
  const listen = (event: unknown): void => void states.push((event as { state: string }).state);
  subscribe('provider-auth:provider-state', listen);
  onTestFinished(() => void unsubscribe('provider-auth:provider-state', listen));
  const token = await given.obtain('one');
  await given.clock.advance(HOUR - MINUTE);
  await given.provider.getToken();
  expect(given.source.last.need.reason).toBe('ahead');
  return { ...given, token, states };
}

/** A failure that stands for so long. */
const failureFor = (ms: number, now: number) => failureOf().copy(new Date(now + ms));

describe('B29: a renewal ahead that fails while the token is valid', () => {
  it('B29: is one line that says until when the token is valid, and no failure of the provider', async () => {
    const { clock, source, provider, lines, token, states } = await givenRenewalAhead();
    source.last.fail(failureFor(1_000, clock.wall()));
    await clock.advance(1_000);
    await provider.getToken();
    source.last.fail(failureFor(1_000, clock.wall()));
    await clock.advance(10);
    expect(source.asked.length).toBe(3);
    expect(lines).toEqual([
      'The access token of easy sandbox could not be renewed: it failed. The current token is valid until ' +
        `${token.expiresAt.toISOString()}. Fix it. (TOKEN_UNAVAILABLE, 127.0.0.1:9)`,
    ]);
    expect(provider.status().state).toBe('valid');
    expect(states).toEqual([]);
  });

  it('B29: becomes an error as soon as a caller gets it, also while the same failure stands', async () => {
    const { clock, source, provider, lines, states } = await givenRenewalAhead();
    const failure = failureFor(HOUR, clock.wall());
    source.last.fail(failure);
    await clock.advance(MINUTE);
    const call = provider.getToken();
    // The cool-down repeats the same error object.
    source.last.fail(failure);
    expect(await errorOf(call)).toEqual(failure);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^No access token for easy sandbox: /);
    expect(provider.status().state).toBe('failing');
    expect(states).toEqual(['failing']);
  });

  it('B29: is followed by one line when a renewal brings a token', async () => {
    const { clock, source, provider, lines, states } = await givenRenewalAhead();
    source.last.fail(failureFor(1_000, clock.wall()));
    await clock.advance(1_000);
    await provider.getToken();
    source.last.give(tokenOf(clock, 'two'));
    await clock.advance(1);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^Access tokens for easy sandbox are available again\. \(TOKENS_RECOVERED, .+\)$/,
      ),
    ]);
    expect(states).toEqual([]);
  });
});
