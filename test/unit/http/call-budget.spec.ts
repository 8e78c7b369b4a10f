import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { CallBudget } from '../../../lib/http/call.js';
import { Cancellation } from '../../../lib/wire/wire-request.js';
import { CallTrace } from '../../../lib/http/redaction/clean-request.js';
import { BaseAddress } from '../../../lib/net/base-address.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const clock = new FakeClock();
const never = new Promise<never>(() => {});

function configOf(request: object): InternalAxiosRequestConfig {
  return { url: 'https://api.example.com/x', headers: new AxiosHeaders(), ...request };
}

function budgetOf(request: object): { budget: CallBudget; trace: CallTrace; clock: FakeClock } {
  const clock = new FakeClock();
  const trace = new CallTrace(configOf(request));
  return { budget: new CallBudget(trace, clock), trace, clock };
}

describe('the budget of a call', () => {
  it.each([
    [1500, 1500],
    [1500.9, 1500],
    ['1500', 1500],
    ['1500ms', 1500],
    [1e21, 1e21],
  ])('B4: reads a timeout of %j as %i ms, as axios does', (timeout, ms) => {
    const { budget, clock } = budgetOf({ timeout });
    expect(clock.history).toEqual([{ ms, kind: 'awaited' }]);
    expect(budget.isTimed).toBe(true);
    expect(budget.ended).toBe(false);
  });

  it.each([[0], [undefined], [''], ['soon'], [-5], [Number.NaN], [Number.POSITIVE_INFINITY], [0.5]])(
    'B4: reads a timeout of %s as no timeout',
    (timeout) => {
      const { budget, clock } = budgetOf({ timeout });
      expect(clock.history).toEqual([]);
      expect(budget.isTimed).toBe(false);
    },
  );

  it('B4: rejects work that begins after its end', async () => {
    const { budget, clock } = budgetOf({ timeout: 10 });
    await clock.advance(10);
    expect(budget.ended).toBe(true);
    expect(budget.signal.aborted).toBe(true);
    // Without this type, axios would make an error that shows the request (B12).
    expect(budget.cancellation.reason).toMatchObject({ type: 'abort' });
    expect(await errorOf(budget.race(Promise.resolve('late')))).toMatchObject({ code: 'ECONNABORTED' });
  });

  it('B4 B5: does not begin to wait for a token after its end', async () => {
    const { budget, clock } = budgetOf({ timeout: 10 });
    expect(await budget.wait(() => Promise.resolve('in time'), ' while waiting')).toBe('in time');
    await clock.advance(10);
    let begun = 0;
    const late = budget.wait(() => Promise.resolve((begun += 1)), ' while waiting');
    expect(await errorOf(late)).toMatchObject({ code: 'ECONNABORTED' });
    expect(begun).toBe(0);
  });

  it('B4: passes on the outcome of work that ends before it', async () => {
    const { budget } = budgetOf({ timeout: 10 });
    expect(await budget.race(Promise.resolve('in time'))).toBe('in time');
    const failure = new Error('no');
    expect(await errorOf(budget.race(Promise.reject(failure)))).toBe(failure);
  });

  it('B5: keeps the first end if another end follows', async () => {
    const abort = new AbortController();
    const { budget, clock } = budgetOf({ timeout: 10, signal: abort.signal });
    abort.abort();
    expect(clock.pending()).toEqual([]);
    await clock.advance(10);
    expect(await errorOf(budget.race(never))).toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('B5: has ended if the signal was aborted before', async () => {
    const config = configOf({ signal: AbortSignal.abort() });
    const budget = new CallBudget(new CallTrace(config), clock);
    expect(await errorOf(budget.race(never))).toMatchObject({
      name: 'CanceledError',
      message: 'canceled',
      code: 'ERR_CANCELED',
      config,
    });
  });

  it('B12: shows the request only after an attempt was sent', async () => {
    const unsent = budgetOf({ timeout: 10 });
    await unsent.clock.advance(10);
    expect(await errorOf(unsent.budget.race(never))).not.toHaveProperty('request');
    const { budget, trace, clock } = budgetOf({ timeout: 10 });
    trace.address = new BaseAddress('https://api.example.com').resolve(trace.config);
    await clock.advance(10);
    expect(await errorOf(budget.race(never))).toMatchObject({ request: { method: 'GET', path: '/x' } });
  });

  it('B5: accepts each object as a signal that axios accepts', async () => {
    const { budget } = budgetOf({ signal: { aborted: false } });
    expect(() => budget.finish()).not.toThrow();
    const aborted = budgetOf({ signal: { aborted: true } });
    expect(await errorOf(aborted.budget.race(never))).toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('B5: unsubscribes from a cancel token that comes without a signal', () => {
    const cancelToken = new Cancellation();
    const { budget } = budgetOf({ cancelToken });
    budget.finish();
    cancelToken.cancel(new Error('no more'));
    expect(budget.ended).toBe(false);
  });

  it('B5: drops the timer, the signal and the cancel token when the call is over', () => {
    const abort = new AbortController();
    const cancelToken = new Cancellation();
    const { budget, clock } = budgetOf({ timeout: 10, signal: abort.signal, cancelToken });
    budget.settle();
    expect(clock.pending()).toEqual([]);
    abort.abort();
    cancelToken.cancel(new Error('no more'));
    expect(budget.ended).toBe(false);
  });

  it('B4: has no time limit for the reader of a stream, and still ends with the signal of the reader', async () => {
    const abort = new AbortController();
    const { budget, clock } = budgetOf({ timeout: 10, signal: abort.signal });
    budget.lastsWithStream();
    budget.settle();
    await clock.advance(10);
    expect(budget.ended).toBe(false);
    abort.abort();
    expect(budget.signal.aborted).toBe(true);
  });

  it('B5: unsubscribes from the signal when the stream has been read', () => {
    const abort = new AbortController();
    const { budget } = budgetOf({ signal: abort.signal });
    budget.lastsWithStream();
    budget.settle();
    budget.finish();
    abort.abort();
    expect(budget.ended).toBe(false);
  });
});
