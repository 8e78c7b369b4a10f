import { getEventListeners } from 'node:events';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { CallBudget, Cancellation } from '../../../lib/wire/call-budget.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const never = (): Promise<never> => new Promise<never>(() => {});

function configOf(request: object): InternalAxiosRequestConfig {
  return { url: 'https://api.example.com/x', headers: new AxiosHeaders(), ...request };
}

function budgetOf(
  request: object,
  shown?: () => unknown,
): { budget: CallBudget; config: InternalAxiosRequestConfig; clock: FakeClock } {
  const clock = new FakeClock();
  const config = configOf(request);
  return { budget: new CallBudget(config, clock, shown), config, clock };
}

/** What a caller gets that waits for this work. */
function waiting<T>(budget: CallBudget, work: () => Promise<T>): Promise<T> {
  return budget.wait(work, '');
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
    expect(clock.history).toEqual([{ ms }]);
    expect(budget.ended).toBe(false);
  });

  it.each([[0], [undefined], [''], [-5], [Number.NaN], [0.5]])(
    'B4: reads a timeout of %s as no timeout',
    (timeout) => {
      expect(budgetOf({ timeout }).clock.history).toEqual([]);
    },
  );

  it.each([['soon'], [Number.POSITIVE_INFINITY]])(
    'B4: refuses a timeout of %s as axios does, because the call would have no limit',
    (timeout) => {
      expect(() => budgetOf({ timeout })).toThrow(
        expect.objectContaining({ code: 'ERR_BAD_OPTION_VALUE', message: expect.stringContaining('to int') }),
      );
    },
  );

  it('B4: says that a timeout ended a request, or what the call had waited for', async () => {
    const sending = budgetOf({ timeout: 10 });
    expect(sending.budget.unansweredMs).toBeUndefined();
    const sent = errorOf(sending.budget.run(() => {}));
    await sending.clock.advance(10);
    expect(await sent).toMatchObject({ message: 'timeout of 10ms exceeded' });
    expect(sending.budget.unansweredMs).toBe(10);
    const idle = budgetOf({ timeout: 10 });
    await idle.clock.advance(10);
    expect(idle.budget.unansweredMs).toBe(10);
    const { budget, clock } = budgetOf({ timeout: 10 });
    const waited = errorOf(budget.wait(never, ' while waiting for a token'));
    await clock.advance(10);
    expect(await waited).toMatchObject({ message: 'timeout of 10ms exceeded while waiting for a token' });
    expect(budget.unansweredMs).toBeUndefined();
  });

  it('B4 B5: does not begin to send or to wait for a token after its end', async () => {
    const { budget, clock } = budgetOf({ timeout: 10 });
    expect(await budget.wait(() => Promise.resolve('in time'), ' while waiting')).toBe('in time');
    await clock.advance(10);
    let begun = 0;
    const late = [
      budget.run(() => (begun += 1)),
      budget.wait(() => Promise.resolve((begun += 1)), ' while waiting'),
    ];
    for (const one of late) expect(await errorOf(one)).toMatchObject({ code: 'ECONNABORTED' });
    expect(begun).toBe(0);
  });

  it('B5: keeps the first end if another end follows', async () => {
    const abort = new AbortController();
    const { budget, clock } = budgetOf({ timeout: 10, signal: abort.signal });
    abort.abort();
    expect(clock.pending()).toEqual([]);
    await clock.advance(10);
    expect(await errorOf(waiting(budget, never))).toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('B5: has ended if the signal was aborted before', async () => {
    const { budget, config } = budgetOf({ signal: AbortSignal.abort() });
    expect(await errorOf(waiting(budget, never))).toMatchObject({
      name: 'CanceledError',
      message: 'canceled',
      code: 'ERR_CANCELED',
      config,
    });
  });

  it('B13: listens once to a signal that many calls share, which ends each of them', async () => {
    const abort = new AbortController();
    const budgets = Array.from({ length: 50 }, () => budgetOf({ signal: abort.signal }).budget);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    const [finished, ...open] = budgets;
    finished?.finish();
    const ends = open.map((budget) => errorOf(waiting(budget, never)));
    abort.abort();
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 'ERR_CANCELED' });
    expect(finished?.ended).toBe(false);
    for (const budget of open) budget.finish();
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('B12: shows what its call shows as the request at its end', async () => {
    let request: object | undefined;
    const { budget, clock } = budgetOf({ timeout: 10 }, () => request);
    request = { method: 'GET', path: '/x' };
    await clock.advance(10);
    expect(await errorOf(waiting(budget, never))).toMatchObject({ request });
    const { budget: unsent, clock: itsClock } = budgetOf({ timeout: 10 });
    await itsClock.advance(10);
    expect(await errorOf(waiting(unsent, never))).not.toHaveProperty('request');
  });

  it('B5: accepts each object as a signal that axios accepts', async () => {
    const { budget } = budgetOf({ signal: { aborted: false } });
    expect(() => budget.finish()).not.toThrow();
    const aborted = budgetOf({ signal: { aborted: true } });
    expect(await errorOf(waiting(aborted.budget, never))).toMatchObject({ code: 'ERR_CANCELED' });
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

const reason = new Error('no more');
const listening = () => vi.fn<(reason?: unknown) => void>();

describe('a cancellation, which replaces a CancelToken', () => {
  it('B5: gives its reason to each listener, once', () => {
    const cancellation = new Cancellation();
    const listeners = [listening(), listening(), listening()];
    for (const listener of listeners) cancellation.subscribe(listener);
    expect(cancellation.reason).toBeUndefined();
    cancellation.cancel(reason);
    cancellation.cancel(new Error('again'));
    expect(listeners.map(({ mock }) => mock.calls)).toEqual([[[reason]], [[reason]], [[reason]]]);
    expect(cancellation.reason).toBe(reason);
    const late = listening();
    cancellation.subscribe(late);
    expect(late.mock.calls).toEqual([[reason]]);
  });

  it('B5: calls no listener that has unsubscribed, neither the first nor a later one', () => {
    const cancellation = new Cancellation();
    const [first, second, third] = [listening(), listening(), listening()];
    for (const listener of [first, second, third]) cancellation.subscribe(listener);
    cancellation.unsubscribe(second);
    cancellation.unsubscribe(first);
    cancellation.unsubscribe(listening());
    cancellation.cancel(reason);
    expect(first).not.toHaveBeenCalled();
    expect(second).not.toHaveBeenCalled();
    expect(third).toHaveBeenCalledOnce();
  });

  it('throws its reason on request, and nothing before there is a reason', () => {
    const cancellation = new Cancellation();
    expect(() => cancellation.throwIfRequested()).not.toThrow();
    cancellation.cancel(reason);
    expect(() => cancellation.throwIfRequested()).toThrow(reason);
  });

  it('has a promise of its reason', async () => {
    const cancellation = new Cancellation();
    const before = cancellation.promise;
    cancellation.cancel(reason);
    expect(await before).toBe(reason);
    expect(await cancellation.promise).toBe(reason);
  });

  it('B5: makes one signal for all callers, and aborts the signal at the end', () => {
    const cancellation = new Cancellation();
    const signal = cancellation.toAbortSignal();
    expect(cancellation.toAbortSignal()).toBe(signal);
    expect(signal.aborted).toBe(false);
    cancellation.cancel(reason);
    expect(signal.aborted).toBe(true);
    const ended = new Cancellation();
    ended.cancel(reason);
    expect(ended.toAbortSignal().aborted).toBe(true);
  });
});
