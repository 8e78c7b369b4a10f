import { describe, expect, it, vi } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { TokenRequestEvent } from '../../../lib/events/provider-auth-events.js';
import { pause } from '../../../lib/time/clock.js';
import { timeoutFailure, unsafeAgentFailure } from '../../../lib/token/endpoint/token-failures.js';
import { eventsOf } from '../../support/token/events.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { givenRenewal } from '../../support/token/steered-renewal.js';
import { errorOf, failureOf, HOUR, profileOf, tokenOf, Watched } from '../../support/token/token-fixtures.js';

/** Each attempt takes the next step, and then the last one again. */
function givenSteps(steps: (Error | 'token')[], { maxAttempts = 3, random = (): number => 0.5 } = {}) {
  let taken = 0;
  return givenRenewal(() => steps[taken++] ?? steps.at(-1) ?? 'token', { maxAttempts, random });
}

/** The endpoint fails until the test sets another answer. */
function givenState() {
  const given = givenRenewal(() => state.answer ?? 'token');
  const state = { answer: failureOf() as Error | undefined };
  return { ...given, state };
}

describe('an attempt', () => {
  it.each([
    [2_500, 'the token endpoint did not answer'],
    [
      2_600,
      'reading the client secret took too long. Check the function or the file that provides the client secret',
    ],
  ])(
    'B29: an attempt that took too long blames what took most of its time: the reading %i ms of 5,000',
    async (readMs, reason) => {
      const { clock, source, obtain } = givenRenewal(
        () => new TokenRequestError(profileOf(), timeoutFailure(5_000, profileOf())),
      );
      const answer = source.waits();
      const obtained = new Watched(obtain());
      await clock.advance(readMs);
      answer('first');
      await clock.advance(5_000);
      expect(String(obtained.error)).toContain(reason);
    },
  );

  it('B6 B29: an attempt whose reading took most of its time is followed by another, and is logged', async () => {
    const { clock, source, requests, reported, obtain } = givenRenewal(
      () => failureOf('TOKEN_UNAVAILABLE', { timedOut: true }),
      { maxAttempts: 2 },
    );
    const answer = source.waits();
    void new Watched(obtain());
    await clock.advance(4_900);
    answer('first');
    await clock.advance(5_000);
    expect(requests.map(({ within }) => within)).toEqual([100, 5_000]);
    expect(String(reported)).toContain('reading the client secret took too long');
  });

  it('B8: after a refusal tries once more with a secret that has changed meanwhile', async () => {
    const { obtain, requests, source, clock } = givenRenewal((secret) => {
      source.gives('second');
      return secret === 'second' ? tokenOf(clock, 'one') : failureOf('TOKEN_REJECTED');
    });
    expect((await obtain()).reveal()).toBe('one');
    expect(requests.map(({ secret }) => secret)).toEqual(['first', 'second']);
  });

  it('B8: tries only once more', async () => {
    let count = 0;
    const { obtain, requests, source } = givenRenewal(() => {
      source.gives(`secret ${(count += 1)}`);
      return failureOf('TOKEN_REJECTED');
    });
    expect(await errorOf(obtain())).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['TOKEN_UNAVAILABLE', 1, 1],
    ['TOKEN_RESPONSE_INVALID', 3, 1],
    ['TOKEN_REJECTED', 3, 2],
  ] as const)(
    'B7 B8: %s with %i attempts is one request, and %i readings',
    async (code, maxAttempts, reads) => {
      const { obtain, requests, source } = givenRenewal(() => failureOf(code), { maxAttempts });
      expect(await errorOf(obtain())).toMatchObject({ code });
      expect([requests.length, source.reads]).toEqual([1, reads]);
    },
  );

  it('B8: without a secret nothing is sent', async () => {
    const { obtain, requests, source } = givenRenewal(() => failureOf());
    source.rejects(new Error('no file'));
    expect(await errorOf(obtain())).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      failure: { transient: false },
    });
    expect(requests).toEqual([]);
  });

  it('B6: reading the secret and both requests share one deadline', async () => {
    const { obtain, requests, source, clock } = givenRenewal(async () => {
      await clock.advance(2_000);
      source.gives('second');
      return failureOf('TOKEN_REJECTED');
    });
    await errorOf(obtain());
    expect(requests.map(({ within }) => within)).toEqual([5_000, 3_000]);
  });
});

describe('the event of a token request', () => {
  it('reports a success: pair, reason, number of the attempt, duration, fingerprint, and no token', async () => {
    const events = eventsOf<TokenRequestEvent>('token-request');
    const token = tokenOf(new FakeClock(), 'one');
    const answers = [failureOf(), token];
    const { obtain, clock } = givenRenewal(
      async () => {
        await pause(clock, 30);
        return answers.shift() ?? token;
      },
      { maxAttempts: 2 },
    );
    const startedAt = clock.wall() + 80;
    void obtain({ reason: 'expired' });
    await clock.advance(110);
    expect(events.slice(1)).toEqual([
      {
        provider: 'provider',
        interface: 'easy',
        environment: 'sandbox',
        reason: 'expired',
        outcome: 'ok',
        attempt: 2,
        status: 200,
        fingerprint: token.fingerprint,
        startedAt,
        durationMs: 30,
      },
    ]);
  });

  it.each([
    ['TOKEN_REJECTED', 'rejected', 401, 'invalid_client'],
    ['TOKEN_UNAVAILABLE', 'unavailable', 503, undefined],
    ['TOKEN_RESPONSE_INVALID', 'invalid', 200, undefined],
  ] as const)('reports %s as %s', async (code, outcome, status, oauthError) => {
    const events = eventsOf<TokenRequestEvent>('token-request');
    const { obtain } = givenRenewal(() => failureOf(code));
    await errorOf(obtain());
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ outcome, status, reason: 'cold', attempt: 1 });
    expect(events[0]?.oauthError).toBe(oauthError);
    expect(events[0]?.fingerprint).toBeUndefined();
  });

  it('B9: is not published for a request that was ended', async () => {
    const events = eventsOf<TokenRequestEvent>('token-request');
    const closing = new AbortController();
    const { obtain } = givenRenewal(() => {
      closing.abort();
      return failureOf('TOKEN_UNAVAILABLE');
    });
    await errorOf(obtain({ reason: 'ahead', signal: closing.signal }));
    expect(events).toEqual([]);
  });

  it('B28: reports no request that was not sent, because the agent is not safe', async () => {
    const events = eventsOf<TokenRequestEvent>('token-request');
    const failure = unsafeAgentFailure('any-server', profileOf());
    const { obtain } = givenRenewal(() => new TokenRequestError(profileOf(), failure));
    expect(await errorOf(obtain())).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(events).toEqual([]);
  });
});

describe('after a transient failure', () => {
  it('B6: tries again after a transient failure, pausing a random part of a doubling time', async () => {
    const { obtain, attempts, token, clock } = givenSteps([failureOf(), failureOf(), 'token']);
    const obtained = new Watched(obtain());
    await clock.advance(10_000);
    expect(obtained.result).toBe(token);
    expect(attempts()).toEqual([0, 50, 150]);
  });

  it('B18: in an outage makes a single attempt, without a pause, until the outage has ended', async () => {
    const { obtain, attempts, outage, clock } = givenSteps([failureOf()]);
    outage.failed(failureOf());
    await clock.advance(250);
    await errorOf(obtain());
    expect(attempts()).toHaveLength(1);
    expect(outage.isOn).toBe(true);
    outage.ended();
    void obtain().catch(() => undefined);
    await clock.advance(10_000);
    expect(attempts()).toHaveLength(4);
  });

  it('B18: an outage begins when the first attempt fails', async () => {
    const { obtain, clock } = givenRenewal(
      async () => {
        await pause(clock, 4_000);
        return failureOf();
      },
      { maxAttempts: 3 },
    );
    const obtained = new Watched(obtain());
    await clock.advance(12_150);
    // The pauses are 50 and 100 ms.
    expect(obtained.error).toMatchObject({ retryAt: new Date(clock.wall() + 815) });
  });

  it('B6: exactly 2 s of Retry-After are waited for, more is not', async () => {
    const two = givenSteps([failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 2_000 }), 'token']);
    const waited = new Watched(two.obtain());
    await two.clock.advance(2_000);
    expect(waited.state).toBe('given');

    const more = givenSteps([failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 2_001 }), 'token']);
    expect(await errorOf(more.obtain())).toMatchObject({ failure: { retryAfterMs: 2_001 } });
  });

  it('B6: all pauses of one renewal together stay within 2 s', async () => {
    const slow = failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 900 });
    const { obtain, attempts, clock } = givenSteps([slow], { maxAttempts: 10 });
    const obtained = new Watched(obtain());
    await clock.advance(60_000);
    expect(obtained.error).toMatchObject({ failure: { retryAfterMs: 900 } });
    expect(attempts()).toEqual([0, 900, 1800]);
  });

  it('B9: ends at once and without another attempt when its work is ended', async () => {
    const failure = failureOf();
    const { obtain, attempts, clock } = givenSteps([failure]);
    const abort = new AbortController();
    const obtained = new Watched(obtain({ reason: 'ahead', signal: abort.signal }));
    await clock.advance(1);
    abort.abort();
    await clock.advance(0);
    expect(obtained).toMatchObject({ state: 'failed', error: failure });
    expect(attempts()).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B29: reports an attempt that timed out, if another attempt follows', async () => {
    const timedOut = failureOf('TOKEN_UNAVAILABLE', { timedOut: true });
    const { obtain, reported, clock } = givenSteps([timedOut, failureOf(), timedOut]);
    const obtained = new Watched(obtain());
    await clock.advance(0);
    // Before the pause, so that the line comes as early as possible.
    expect(reported).toEqual([timedOut]);
    await clock.advance(10_000);
    expect(obtained.error).toMatchObject({ failure: { timedOut: true } });
    expect(reported).toHaveLength(1);
  });
});

describe('in a cool-down', () => {
  it.each([1, 2, 3])(
    'B6: a caller gets the error or the next token if the cool-down ends while it asks: after %i looks at the clock',
    async (looks) => {
      const { clock, token, state, obtain } = givenState();
      const failed = await errorOf(obtain());
      state.answer = undefined;
      const now = clock.wall();
      let looked = 0;
      vi.spyOn(clock, 'wall').mockImplementation(() => ((looked += 1) > looks ? now + HOUR : now));
      expect([failed, token]).toContain(await obtain().catch((error: unknown) => error));
    },
  );

  it('B7: a refusal counts for 5 s, doubling to 60 s', async () => {
    const { clock, obtain, requests, state } = givenState();
    state.answer = failureOf('TOKEN_REJECTED');
    const lengths: number[] = [];
    for (let refusals = 1; refusals <= 6; refusals += 1) {
      const error = await errorOf(obtain());
      const length = ((error as TokenRequestError).retryAt?.getTime() ?? NaN) - clock.wall();
      await clock.advance(length - 1);
      expect(await errorOf(obtain())).toBe(error);
      expect(requests).toHaveLength(refusals);
      await clock.advance(1);
      lengths.push(length);
    }
    expect(lengths).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('B7: a changed secret ends the cool-down, with a look once a second', async () => {
    const { obtain, source, state, token, clock } = givenState();
    state.answer = failureOf('TOKEN_REJECTED');
    await errorOf(obtain());
    state.answer = undefined;
    await errorOf(obtain());
    source.gives('second');
    await clock.advance(999);
    await errorOf(obtain());
    await clock.advance(1);
    expect(await obtain()).toBe(token);
  });

  it('B7: a source that gives another secret at each reading costs few token requests, and a token ends that', async () => {
    let count = 0;
    const { clock, obtain, requests, source, token } = givenRenewal((secret) => {
      if (secret === 'right') return 'token';
      source.gives(`secret ${(count += 1)}`);
      return failureOf('TOKEN_REJECTED');
    });
    /** One call each 50 ms. Returns how many token requests they cost. */
    const callFor = async (ms: number): Promise<number> => {
      const before = requests.length;
      for (let passed = 0; passed < ms; passed += 50) {
        await obtain().catch(() => undefined);
        await clock.advance(50);
      }
      return requests.length - before;
    };
    // Two each: at first, and after looks that find another secret, with pauses of 2 s, 4 s and so on.
    expect(await callFor(12_000)).toBeLessThanOrEqual(10);
    await callFor(10 * 60_000);
    // At most one look a minute, and the longest cool-down.
    expect(await callFor(10 * 60_000)).toBeLessThanOrEqual(44);
    source.gives('right');
    await clock.advance(60_000);
    expect(await obtain()).toBe(token);
    source.gives('wrong');
    // The first look comes at once again.
    expect(await callFor(900)).toBe(4);
  });

  it('B9: ended work is no failure of the provider', async () => {
    const { obtain, requests, state } = givenState();
    await errorOf(obtain({ reason: 'ahead', signal: AbortSignal.abort() }));
    state.answer = undefined;
    await obtain();
    expect(requests).toHaveLength(1);
  });
});
