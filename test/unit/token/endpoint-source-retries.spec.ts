import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { EndpointSource } from '../../../lib/token/endpoint-source.js';
import { Deadline } from '../../../lib/time/deadline.js';
import { Outage } from '../../../lib/token/outage.js';
import type { TokenNeed } from '../../../lib/token/token-source.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import {
  errorOf,
  failureOf,
  profileOf,
  tokenOf,
  Watched,
  takeFreePlace,
} from '../../support/token/token-fixtures.js';

type Step = Error | 'token';

function givenSource(steps: Step[], { maxAttempts = 3, random = (): number => 0.5 } = {}) {
  const clock = new FakeClock();
  const token = tokenOf(clock, 'one');
  /** The moment of each attempt. */
  const attempts: number[] = [];
  const endpoint = {
    request(): Promise<AccessToken> {
      attempts.push(clock.monotonic() - start);
      const step = steps[attempts.length - 1] ?? steps.at(-1);
      return step instanceof Error ? Promise.reject(step) : Promise.resolve(token);
    },
  };
  const secret = {
    use: () => Promise.resolve(new Secret('secret')),
    useIfChanged: () => Promise.resolve(undefined),
    readAndCompare: () => Promise.resolve(false),
  };
  const start = clock.monotonic();
  const reported: unknown[] = [];
  const outage = new Outage(clock, random);
  const source = new EndpointSource({
    pair: profileOf(),
    takePlace: takeFreePlace,
    endpoint,
    secret,
    settings: { timeoutMs: 5_000, maxAttempts },
    outage,
    report: { attemptTimedOut: (error) => void reported.push(error) },
    clock,
    random,
  });
  return { clock, token, attempts, reported, outage, source };
}

const need: TokenNeed = { reason: 'cold' };

describe('EndpointSource after a transient failure', () => {
  it('B6: asks once if the first attempt succeeds', async () => {
    const { source, attempts, token, clock } = givenSource(['token']);
    expect(await source.obtain(need)).toBe(token);
    expect(attempts).toEqual([0]);
    expect(clock.history).toEqual([]);
  });

  it('B6: tries again after a transient failure, pausing a random part of a doubling time', async () => {
    const { source, attempts, token, clock } = givenSource([failureOf(), failureOf(), 'token']);
    const obtained = new Watched(source.obtain(need));
    await clock.advance(10_000);
    expect(obtained.result).toBe(token);
    expect(attempts).toEqual([0, 50, 150]);
  });

  it('B6: gives up after the last attempt with its error', async () => {
    const last = failureOf('TOKEN_UNAVAILABLE', { reason: 'it failed at last.' });
    const { source, attempts, clock } = givenSource([failureOf(), failureOf(), last]);
    const obtained = new Watched(source.obtain(need));
    await clock.advance(10_000);
    expect(obtained.error).toMatchObject({ message: last.message });
    expect(attempts).toHaveLength(3);
  });

  it('B18: in an outage makes a single attempt, without a pause, until the outage has ended', async () => {
    const { source, attempts, outage, clock } = givenSource([failureOf()]);
    outage.failed(failureOf());
    await clock.advance(250);
    await errorOf(source.obtain(need));
    expect(attempts).toHaveLength(1);
    expect(clock.history).toEqual([]);
    expect(outage.isOn).toBe(true);
    outage.ended();
    void source.obtain(need).catch(() => undefined);
    await clock.advance(10_000);
    expect(attempts).toHaveLength(4);
  });

  it('B18: the outage begins with the first failed attempt', async () => {
    const { source, clock } = givenSource(
      [failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 1_900 }), failureOf()],
      { maxAttempts: 2 },
    );
    void source.obtain(need).catch(() => undefined);
    await clock.advance(10_000);
    // A tenth of the 10 s since the first attempt.
    expect(await errorOf(source.obtain(need))).toMatchObject({ retryAt: new Date(clock.wall() + 1_000) });
  });

  it('B6: with one attempt allowed there is one', async () => {
    const { source, attempts } = givenSource([failureOf()], { maxAttempts: 1 });
    await errorOf(source.obtain(need));
    expect(attempts).toHaveLength(1);
  });

  it.each(['TOKEN_REJECTED', 'TOKEN_RESPONSE_INVALID'] as const)(
    'B7: %s is not tried again',
    async (code) => {
      const { source, attempts } = givenSource([failureOf(code)]);
      expect(await errorOf(source.obtain(need))).toMatchObject({ code });
      expect(attempts).toHaveLength(1);
    },
  );

  it('a fault of this library is not tried again', async () => {
    const bug = new TypeError('bug');
    const { source, attempts } = givenSource([bug]);
    expect(await errorOf(source.obtain(need))).toBe(bug);
    expect(attempts).toHaveLength(1);
  });

  it('B6: waits as long as Retry-After asks', async () => {
    const { source, attempts, clock } = givenSource([
      failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 1_500 }),
      'token',
    ]);
    void source.obtain(need);
    await clock.advance(1_499);
    expect(attempts).toHaveLength(1);
    await clock.advance(1);
    expect(attempts).toHaveLength(2);
  });

  it('B6: exactly 2 s of Retry-After are waited for, more is not', async () => {
    const two = givenSource([failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 2_000 }), 'token']);
    const waited = new Watched(two.source.obtain(need));
    await two.clock.advance(2_000);
    expect(waited.state).toBe('given');

    const more = givenSource([failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 2_001 }), 'token']);
    expect(await errorOf(more.source.obtain(need))).toMatchObject({ failure: { retryAfterMs: 2_001 } });
    expect(more.clock.history).toEqual([]);
  });

  it('B6: all pauses of one renewal together stay within 2 s', async () => {
    const slow = failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 900 });
    const { source, attempts, clock } = givenSource([slow], { maxAttempts: 10 });
    const obtained = new Watched(source.obtain(need));
    await clock.advance(60_000);
    expect(obtained.error).toMatchObject({ failure: { retryAfterMs: 900 } });
    expect(attempts).toEqual([0, 900, 1800]);
  });

  it('B6: many attempts with the longest backoffs stay within 2 s too', async () => {
    const { source, attempts, clock } = givenSource([failureOf()], {
      maxAttempts: 100,
      random: () => 0.999,
    });
    const obtained = new Watched(source.obtain(need));
    await clock.advance(60_000);
    expect(obtained.state).toBe('failed');
    expect(attempts.at(-1)).toBeLessThanOrEqual(2_000);
  });

  it.each([
    [5_050, 2],
    [5_049, 1],
  ])(
    'B6: makes a further attempt only if it ends in the time of a caller who has waited: %i ms, %i attempts',
    async (ms, made) => {
      const { source, attempts, clock } = givenSource([failureOf()]);
      const obtained = new Watched(source.obtain({ ...need, ends: Deadline.after(clock, ms) }));
      await clock.advance(10_000);
      expect(obtained.state).toBe('failed');
      expect(attempts).toHaveLength(made);
    },
  );

  it('B9: the back-off alone does not keep the process alive', async () => {
    const { source, clock } = givenSource([failureOf(), 'token']);
    void source.obtain({ reason: 'expired' });
    await clock.advance(0);
    expect(clock.history.map(({ kind }) => kind)).toEqual(['background']);
  });

  it('B9: ends at once and without another attempt when its work is ended', async () => {
    const failure = failureOf();
    const { source, attempts, clock } = givenSource([failure]);
    const abort = new AbortController();
    const obtained = new Watched(source.obtain({ reason: 'ahead', signal: abort.signal }));
    await clock.advance(1);
    abort.abort();
    await clock.advance(0);
    expect(obtained).toMatchObject({ state: 'failed', error: failure });
    expect(attempts).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B29: reports an attempt that timed out, if another attempt follows', async () => {
    const timedOut = failureOf('TOKEN_UNAVAILABLE', { timedOut: true });
    const { source, reported, clock } = givenSource([timedOut, failureOf(), timedOut]);
    const obtained = new Watched(source.obtain(need));
    await clock.advance(0);
    // Before the pause, so that the line comes as early as possible.
    expect(reported).toEqual([timedOut]);
    await clock.advance(10_000);
    expect(obtained.error).toMatchObject({ failure: { timedOut: true } });
    expect(reported).toHaveLength(1);
  });

  it('B29: reports an attempt of a renewal ahead, too', async () => {
    const timedOut = failureOf('TOKEN_UNAVAILABLE', { timedOut: true });
    const { source, reported, clock } = givenSource([timedOut]);
    void source.obtain({ reason: 'ahead' }).catch(() => undefined);
    await clock.advance(0);
    expect(reported).toEqual([timedOut]);
  });
});
