import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { TokenRequestEvent } from '../../../lib/events/provider-auth-events.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { CurrentSecret } from '../../../lib/token/current-secret.js';
import { pause } from '../../../lib/time/clock.js';
import { EndpointSource } from '../../../lib/token/endpoint-source.js';
import { timeoutFailure, unsafeAgentFailure } from '../../../lib/token/endpoint/token-failures.js';
import type { TokenRequestManner } from '../../../lib/token/endpoint/token-endpoint.js';
import { Outage } from '../../../lib/token/outage.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import {
  errorOf,
  failureOf,
  profileOf,
  SteeredSecret,
  tokenOf,
  Watched,
  takeFreePlace,
} from '../../support/token/token-fixtures.js';

type Answer = (secret: string) => AccessToken | Error | Promise<AccessToken | Error>;

const random = (): number => 0.5;

function givenAttempts(answer: Answer, maxAttempts = 1) {
  const clock = new FakeClock();
  const source = new SteeredSecret('first');
  const profile = profileOf({ clientSecret: source });
  const requests: { secret: string; within: number; manner: TokenRequestManner | undefined }[] = [];
  const endpoint = {
    async request(secret: Secret, within: number, manner?: TokenRequestManner): Promise<AccessToken> {
      requests.push({ secret: secret.reveal(), within, manner });
      const result = await answer(secret.reveal());
      if (result instanceof Error) throw result;
      return result;
    },
  };
  const secret = new CurrentSecret(profile, clock);
  const reported: TokenRequestError[] = [];
  const tokens = new EndpointSource({
    pair: profile,
    takePlace: takeFreePlace,
    endpoint,
    secret,
    settings: { timeoutMs: 5_000, maxAttempts },
    outage: new Outage(clock, random),
    report: { attemptTimedOut: (error) => void reported.push(error) },
    clock,
    random,
  });
  return { clock, source, requests, reported, tokens };
}

describe('EndpointSource', () => {
  it('B8: asks with the present secret', async () => {
    const token = tokenOf(new FakeClock(), 'one');
    const { tokens, requests, source } = givenAttempts(() => token);
    expect(await tokens.obtain({ reason: 'cold' })).toBe(token);
    source.gives('second');
    await tokens.obtain({ reason: 'cold' });
    expect(requests.map(({ secret }) => secret)).toEqual(['first', 'second']);
  });

  it.each([
    [1_000, 'the token endpoint did not answer'],
    [2_500, 'the token endpoint did not answer'],
    [
      2_600,
      'reading the client secret took too long. Check the function or the file that provides the client secret',
    ],
    [
      4_900,
      'reading the client secret took too long. Check the function or the file that provides the client secret',
    ],
  ])(
    'B29: an attempt that took too long blames what took most of its time: the reading %i ms of 5,000',
    async (readMs, reason) => {
      const { clock, source, tokens } = givenAttempts(
        () => new TokenRequestError(profileOf(), timeoutFailure(5_000, profileOf())),
      );
      const answer = source.waits();
      const obtained = new Watched(tokens.obtain({ reason: 'cold' }));
      await clock.advance(readMs);
      answer('first');
      await clock.advance(5_000);
      expect(String(obtained.error)).toContain(reason);
    },
  );

  it('B6 B29: an attempt whose reading took most of its time is followed by another, and is logged', async () => {
    const { clock, source, requests, reported, tokens } = givenAttempts(
      () => failureOf('TOKEN_UNAVAILABLE', { timedOut: true }),
      2,
    );
    const answer = source.waits();
    void new Watched(tokens.obtain({ reason: 'cold' }));
    await clock.advance(4_900);
    answer('first');
    await clock.advance(5_000);
    expect(requests.map(({ within }) => within)).toEqual([100, 5_000]);
    expect(String(reported)).toContain('reading the client secret took too long');
  });

  it('B8: the first attempt uses the secret that was read for this renewal, each later attempt reads it again', async () => {
    const { tokens, requests, source, clock } = givenAttempts(() => failureOf(), 2);
    const need = { reason: 'cold' as const, secret: Promise.resolve(new Secret('read before')) };
    const obtained = new Watched(tokens.obtain(need));
    await clock.advance(0);
    expect(source.reads).toBe(0);
    await clock.advance(50);
    expect(obtained.state).toBe('failed');
    expect(source.reads).toBe(1);
    expect(requests.map(({ secret }) => secret)).toEqual(['read before', 'first']);
  });

  it('B8: after a refusal tries once more with a secret that has changed meanwhile', async () => {
    const { tokens, requests, source, clock } = givenAttempts((secret) => {
      source.gives('second');
      return secret === 'second' ? tokenOf(clock, 'one') : failureOf('TOKEN_REJECTED');
    });
    expect((await tokens.obtain({ reason: 'cold' })).reveal()).toBe('one');
    expect(requests.map(({ secret }) => secret)).toEqual(['first', 'second']);
  });

  it('B8: tries only once more', async () => {
    let count = 0;
    const { tokens, requests, source } = givenAttempts(() => {
      source.gives(`secret ${(count += 1)}`);
      return failureOf('TOKEN_REJECTED');
    });
    expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect(requests).toHaveLength(2);
  });

  it('B7: a source that gives another secret at each reading costs few token requests, and a token ends that', async () => {
    let count = 0;
    const token = tokenOf(new FakeClock(), 'one');
    const { clock, tokens, requests, source } = givenAttempts((secret) => {
      if (secret === 'right') return token;
      source.gives(`secret ${(count += 1)}`);
      return failureOf('TOKEN_REJECTED');
    });
    const isGiven = async (): Promise<boolean> =>
      tokens.obtain({ reason: 'cold' }).then(
        () => true,
        () => false,
      );
    const callFor = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        await isGiven();
        await clock.advance(50);
      }
    };
    await callFor(20_000);
    // Each look at a changed secret costs two: 0, 1, 3, 7 and 15 s after the first refusal.
    expect(requests.length).toBeLessThanOrEqual(14);
    source.gives('right');
    await callFor(16_000);
    expect(requests.at(-1)?.secret).toBe('right');
    const before = requests.length;
    source.gives('wrong');
    await callFor(1_500);
    // The first look comes at once again.
    expect(requests.length - before).toBe(4);
  });

  it('B7: an unchanged secret is not tried again', async () => {
    const refusal = failureOf('TOKEN_REJECTED');
    const { tokens, requests } = givenAttempts(() => refusal);
    expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toMatchObject({ message: refusal.message });
    expect(requests).toHaveLength(1);
  });

  it.each(['TOKEN_UNAVAILABLE', 'TOKEN_RESPONSE_INVALID'] as const)(
    'B8: %s is no reason to read the secret again',
    async (code) => {
      const { tokens, requests, source } = givenAttempts(() => {
        source.gives('second');
        return failureOf(code);
      });
      expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toMatchObject({ code });
      expect(requests).toHaveLength(1);
      expect(source.reads).toBe(1);
    },
  );

  it('B8: without a secret nothing is sent', async () => {
    const { tokens, requests, source } = givenAttempts(() => failureOf());
    source.rejects(new Error('no file'));
    expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      failure: { transient: false },
    });
    expect(requests).toEqual([]);
  });

  it('B6: reading the secret and both requests share one deadline', async () => {
    const { tokens, requests, source, clock } = givenAttempts(async () => {
      await clock.advance(2_000);
      source.gives('second');
      return failureOf('TOKEN_REJECTED');
    });
    await errorOf(tokens.obtain({ reason: 'cold' }));
    expect(requests.map(({ within }) => within)).toEqual([5_000, 3_000]);
  });

  it('B6: a slow source leaves less for the request', async () => {
    const { tokens, requests, clock, source } = givenAttempts(() => failureOf());
    source.hangs();
    const attempt = new Watched(tokens.obtain({ reason: 'cold' }));
    await clock.advance(5_000);
    expect(attempt.state).toBe('failed');
    expect(requests).toEqual([]);
  });

  it('B9: a request alone does not keep the process alive', async () => {
    const { tokens, requests, clock } = givenAttempts(() => failureOf());
    const { signal } = new AbortController();
    await errorOf(tokens.obtain({ reason: 'cold', signal }));
    expect(requests[0]?.manner).toEqual({ kind: 'background', signal, timeoutMs: 5_000 });
    expect(clock.history.map(({ kind }) => kind)).toEqual(['background']);
  });
});

function recordedEvents(): TokenRequestEvent[] {
  const events: TokenRequestEvent[] = [];
  const listen = (event: unknown): void => {
    events.push(event as TokenRequestEvent);
  };
  subscribe('provider-auth:token-request', listen);
  onTestFinished(() => void unsubscribe('provider-auth:token-request', listen));
  return events;
}

describe('the event of a token request', () => {
  it('reports a success: pair, reason, number of the attempt, duration, fingerprint, and no token', async () => {
    const events = recordedEvents();
    const token = tokenOf(new FakeClock(), 'one');
    const answers = [failureOf(), token];
    const { tokens, clock } = givenAttempts(async () => {
      await pause(clock, 30, 'awaited');
      return answers.shift() ?? token;
    }, 2);
    const startedAt = clock.wall() + 80;
    void tokens.obtain({ reason: 'expired' });
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
    const events = recordedEvents();
    const { tokens } = givenAttempts(() => failureOf(code));
    await errorOf(tokens.obtain({ reason: 'cold' }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ outcome, status, reason: 'cold', attempt: 1 });
    expect(events[0]?.oauthError).toBe(oauthError);
    expect(events[0]?.fingerprint).toBeUndefined();
  });

  it('B8: is published for each request, also for the second request with a changed secret', async () => {
    const events = recordedEvents();
    const { tokens, source, clock } = givenAttempts((secret) => {
      source.gives('second');
      return secret === 'second' ? tokenOf(clock, 'one') : failureOf('TOKEN_REJECTED');
    });
    await tokens.obtain({ reason: 'cold' });
    expect(events.map(({ outcome, attempt }) => ({ outcome, attempt }))).toEqual([
      { outcome: 'rejected', attempt: 1 },
      { outcome: 'ok', attempt: 1 },
    ]);
  });

  it('B9: is not published for a request that was ended', async () => {
    const events = recordedEvents();
    const closing = new AbortController();
    const { tokens } = givenAttempts(() => {
      closing.abort();
      return failureOf('TOKEN_UNAVAILABLE');
    });
    await errorOf(tokens.obtain({ reason: 'ahead', signal: closing.signal }));
    expect(events).toEqual([]);
  });

  it('is not published for a fault of this library', async () => {
    const events = recordedEvents();
    const fault = new TypeError('a fault');
    const { tokens } = givenAttempts(() => {
      throw fault;
    });
    expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toBe(fault);
    expect(events).toEqual([]);
  });

  it('B28: reports no request that was not sent, because the agent is not safe', async () => {
    const events = recordedEvents();
    const failure = unsafeAgentFailure('any-server', profileOf());
    const { tokens } = givenAttempts(() => new TokenRequestError(profileOf(), failure));
    expect(await errorOf(tokens.obtain({ reason: 'cold' }))).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(events).toEqual([]);
  });

  it('is not built without a subscriber: not even the fingerprint is computed', async () => {
    let asked = 0;
    const { tokens } = givenAttempts(() => {
      const token = tokenOf(new FakeClock(), 'one');
      return new Proxy(token, {
        get(target, key) {
          if (key === 'fingerprint') asked += 1;
          return Reflect.get(target, key, target) as unknown;
        },
      });
    });
    await tokens.obtain({ reason: 'cold' });
    expect(asked).toBe(0);
    recordedEvents();
    await tokens.obtain({ reason: 'cold' });
    expect(asked).toBe(1);
  });
});
