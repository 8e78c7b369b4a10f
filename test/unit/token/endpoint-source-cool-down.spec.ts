import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { EndpointSource } from '../../../lib/token/endpoint-source.js';
import { Outage } from '../../../lib/token/outage.js';
import type { TokenNeed } from '../../../lib/token/token-source.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import {
  errorOf,
  failureOf,
  HOUR,
  profileOf,
  tokenOf,
  takeFreePlace,
} from '../../support/token/token-fixtures.js';

/** 0.5 is no jitter at all: 80 % and 40 % of a half. */
function givenSource(random = () => 0.5) {
  const clock = new FakeClock();
  const token = tokenOf(clock, 'one', 30 * 24 * HOUR);
  const state = {
    answer: failureOf() as Error | undefined,
    requests: 0,
    changed: false,
    readings: [] as (Promise<Secret> | undefined)[],
  };
  const endpoint = {
    request(): Promise<AccessToken> {
      state.requests += 1;
      return state.answer ? Promise.reject(state.answer) : Promise.resolve(token);
    },
  };
  const secret = {
    use: () => Promise.resolve(new Secret('secret')),
    useIfChanged: () => Promise.resolve(undefined),
    readAndCompare(_withinMs: number, reading?: Promise<Secret>): Promise<boolean> {
      state.readings.push(reading);
      return Promise.resolve(state.changed);
    },
  };
  const outage = new Outage(clock, random);
  const source = new EndpointSource({
    pair: profileOf(),
    takePlace: takeFreePlace,
    endpoint,
    secret,
    settings: { timeoutMs: 5_000, maxAttempts: 1 },
    outage,
    report: { attemptTimedOut: () => {} },
    clock,
    random,
  });
  return { clock, token, state, outage, source };
}

const need: TokenNeed = { reason: 'cold' };

/** How long each failure of a lasting outage counts. */
async function coolDowns(
  { clock, source, state }: ReturnType<typeof givenSource>,
  count: number,
): Promise<number[]> {
  const lengths: number[] = [];
  while (lengths.length < count) {
    const requests = state.requests;
    const error = await errorOf(source.obtain(need));
    expect(state.requests).toBe(requests + 1);
    const { retryAt } = error as { retryAt: Date };
    const length = retryAt.getTime() - clock.wall();
    await clock.advance(length - 1);
    expect(await errorOf(source.obtain(need))).toBe(error);
    expect(state.requests).toBe(requests + 1);
    await clock.advance(1);
    lengths.push(Math.round(length));
  }
  return lengths;
}

describe('EndpointSource in a cool-down', () => {
  it('returns the token of the endpoint', async () => {
    const { source, state, token } = givenSource();
    state.answer = undefined;
    expect(await source.obtain(need)).toBe(token);
  });

  it('B18: a transient failure counts for 250 ms, then a tenth of the outage so far', async () => {
    const lengths = await coolDowns(givenSource(), 16);
    expect(lengths.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => 250));
    expect(lengths.slice(11)).toEqual([275, 303, 333, 367, 403]);
  });

  it('B18: a transient failure counts for 5 s at most', async () => {
    const { clock, source } = givenSource();
    await errorOf(source.obtain(need));
    await clock.advance(HOUR);
    expect(await errorOf(source.obtain(need))).toMatchObject({ retryAt: new Date(clock.wall() + 5_000) });
  });

  it('B7: a refusal counts for 5 s, doubling to 60 s', async () => {
    const cooled = givenSource();
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 6)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('B18: an invalid answer is part of the outage', async () => {
    const cooled = givenSource();
    cooled.state.answer = failureOf('TOKEN_RESPONSE_INVALID');
    expect(await coolDowns(cooled, 2)).toEqual([250, 250]);
    expect(cooled.outage.isOn).toBe(true);
  });

  it.each([
    [0, 200, 4_000],
    [1 - Number.EPSILON, 300, 6_000],
  ])('B7 B18: jitters each by a fifth: random %d', async (random, passing, definitive) => {
    expect(
      await coolDowns(
        givenSource(() => random),
        1,
      ),
    ).toEqual([passing]);
    const refused = givenSource(() => random);
    refused.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(refused, 1)).toEqual([definitive]);
  });

  it('B6 B18: counts for longer if Retry-After says so, and never for less', async () => {
    const longer = givenSource();
    longer.state.answer = failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 30_000 });
    expect(await coolDowns(longer, 2)).toEqual([30_000, 30_000]);
    const shorter = givenSource();
    shorter.state.answer = failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 100 });
    expect(await coolDowns(shorter, 2)).toEqual([250, 250]);
  });

  it('B6: the first caller after the cool-down gets a token', async () => {
    const { clock, source, state, token } = givenSource();
    await errorOf(source.obtain(need));
    state.answer = undefined;
    await errorOf(source.obtain(need));
    await clock.advance(250);
    expect(await source.obtain(need)).toBe(token);
  });

  it('B7 B18: a success ends the outage, and the count of refusals', async () => {
    const cooled = givenSource();
    expect(await coolDowns(cooled, 1)).toEqual([250]);
    await cooled.clock.advance(20_000);
    expect(await coolDowns(cooled, 1)).toEqual([2_025]);
    cooled.state.answer = undefined;
    await cooled.source.obtain(need);
    expect(cooled.outage.isOn).toBe(false);
    cooled.state.answer = failureOf();
    expect(await coolDowns(cooled, 1)).toEqual([250]);
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 2)).toEqual([5_000, 10_000]);
    cooled.state.answer = undefined;
    await cooled.source.obtain(need);
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 1)).toEqual([5_000]);
  });

  it('B7 B18: a refusal in an outage starts with 5 s, and the outage goes on', async () => {
    const cooled = givenSource();
    expect(await coolDowns(cooled, 1)).toEqual([250]);
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 2)).toEqual([5_000, 10_000]);
    expect(cooled.outage.isOn).toBe(true);
    cooled.state.answer = failureOf();
    expect(await coolDowns(cooled, 1)).toEqual([1_525]);
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 1)).toEqual([5_000]);
  });

  it('B7: a changed secret ends the cool-down at once', async () => {
    const { source, state, token, clock } = givenSource();
    state.answer = failureOf('TOKEN_REJECTED');
    await errorOf(source.obtain(need));
    state.answer = undefined;
    await clock.advance(1);
    await errorOf(source.obtain(need));
    state.changed = true;
    expect(await source.obtain(need)).toBe(token);
  });

  it('B7: a changed secret that is refused too starts a new cool-down', async () => {
    const cooled = givenSource();
    cooled.state.answer = failureOf('TOKEN_REJECTED');
    expect(await coolDowns(cooled, 2)).toEqual([5_000, 10_000]);
    await errorOf(cooled.source.obtain(need));
    cooled.state.changed = true;
    const error = await errorOf(cooled.source.obtain(need));
    expect((error as { retryAt: Date }).retryAt.getTime() - cooled.clock.wall()).toBe(5_000);
  });

  it('B6: in an outage the secret is not read', async () => {
    const { source, state } = givenSource();
    await errorOf(source.obtain(need));
    state.changed = true;
    await errorOf(source.obtain(need));
    expect(state).toMatchObject({ readings: [], requests: 1 });
  });

  it('B8: compares the secret that was read for this renewal, if it was read already', async () => {
    const { source, state } = givenSource();
    state.answer = failureOf('TOKEN_REJECTED');
    await errorOf(source.obtain(need));
    const secret = Promise.resolve(new Secret('read'));
    await errorOf(source.obtain({ ...need, secret }));
    await errorOf(source.obtain(need));
    expect(state.readings).toEqual([secret, undefined]);
  });

  it('S11: an hour forward or a sleep ends a cool-down, an hour back does not lengthen it', async () => {
    const { clock, source, state } = givenSource();
    await errorOf(source.obtain(need));
    clock.sleep(HOUR);
    await errorOf(source.obtain(need));
    expect(state.requests).toBe(2);
    clock.setWallBy(-HOUR);
    await clock.advance(500);
    await errorOf(source.obtain(need));
    expect(state.requests).toBe(3);
  });

  it('B9: makes no timer at all', async () => {
    const { clock, source } = givenSource();
    await errorOf(source.obtain(need));
    await errorOf(source.obtain(need));
    expect(clock.history).toEqual([]);
  });

  it('B9: ended work is no failure of the provider', async () => {
    const { source, state } = givenSource();
    await errorOf(source.obtain({ reason: 'ahead', signal: AbortSignal.abort() }));
    state.answer = undefined;
    await source.obtain(need);
    expect(state.requests).toBe(2);
  });

  it('a fault of this library is not remembered', async () => {
    const { source, state } = givenSource();
    state.answer = new TypeError('bug');
    expect(await errorOf(source.obtain(need))).toBe(state.answer);
    state.answer = undefined;
    await source.obtain(need);
  });
});
