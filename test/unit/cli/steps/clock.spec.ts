import diagnosticsChannel, { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clock, observeServerDate } from '../../../../lib/cli/steps/clock.js';
import { clockProblem } from '../../../../lib/errors/remedies.js';
import { checkOf } from '../../../support/application/doctor-check.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const ADVICE =
  'This module counts the lifetime of tokens, so they are not affected. TLS and logs are. Set the clock of this machine with NTP.';

describe('the step about the clock', () => {
  it.each([
    [0, "agrees with the server's"],
    [1_999.4, "agrees with the server's"],
    [-1_999, "agrees with the server's"],
    [2_000, "2 s ahead of the server's"],
    [-2_000, "2 s behind the server's"],
    [-5_000, "5 s behind the server's"],
    [60_000, "60 s ahead of the server's"],
    [60_001, "60 s ahead of the server's", ADVICE],
    [-90_000, "90 s behind the server's", ADVICE],
  ])('reports a difference of %d ms, and what to do if it is too large', async (aheadMs, detail, advice?) => {
    expect(clock.run(checkOf({ clockAheadMs: aheadMs }))).toEqual({
      status: 'ok',
      detail,
      facts: { aheadMs: Math.round(aheadMs) },
      ...(advice !== undefined && { advice }),
    });
  });

  it('says that the endpoint may refuse assertions, if the client signs its own', async () => {
    const profile = profileOf({ credential: 'key' });
    expect(clock.run(checkOf({ profile, clockAheadMs: 90_000 }))).toEqual({
      status: 'ok',
      detail: "90 s ahead of the server's",
      facts: { aheadMs: 90_000 },
      advice: clockProblem(profile, 90_000),
    });
  });

  it('is skipped if the server sends no Date', async () => {
    expect(clock.run(checkOf())).toEqual({ status: 'skipped', detail: 'no answer with a Date' });
  });

  it('has the name that --json shows', () => {
    expect(clock.name).toBe('clock');
  });
});

const answered = (date: string | undefined, socket: Socket = new TLSSocket(new Socket())): void =>
  channel('http.client.response.finish').publish({ request: { socket }, response: { headers: { date } } });

describe('the observation of responses', () => {
  const NOW = Date.parse('2026-03-01T12:00:00Z');
  const DATE = 'Sun, 01 Mar 2026 11:59:00 GMT';

  afterEach(() => vi.useRealTimers());

  const observed = (answers: () => void): number | undefined => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const endObservation = observeServerDate();
    vi.setSystemTime(NOW + 3_000);
    answers();
    return endObservation();
  };

  it('compares the Date of a response with the middle between the request and the response', () => {
    expect(observed(() => answered(DATE))).toBe(61_000);
  });

  it('finds nothing without a response', () => {
    expect(observed(() => undefined)).toBeUndefined();
  });

  it('keeps what it found if a later response has no Date', () => {
    expect(
      observed(() => {
        answered(DATE);
        answered(undefined);
      }),
    ).toBe(61_000);
  });

  it('does not use the answer of a proxy, which comes without TLS', () => {
    expect(observed(() => answered(DATE, new Socket()))).toBeUndefined();
  });

  it('removes its listener at its end, and a later response changes nothing', () => {
    const { subscribe, unsubscribe } = diagnosticsChannel;
    const added = vi.fn<typeof subscribe>(subscribe);
    const removed = vi.fn<typeof unsubscribe>(unsubscribe);
    replaceBuiltIn(diagnosticsChannel, { subscribe: added, unsubscribe: removed });
    const endObservation = observeServerDate();
    expect(added).toHaveBeenCalledOnce();
    expect(endObservation()).toBeUndefined();
    expect(removed.mock.calls).toEqual(added.mock.calls);
    answered(DATE);
    expect(endObservation()).toBeUndefined();
  });
});
