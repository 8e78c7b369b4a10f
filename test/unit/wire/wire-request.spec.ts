import { describe, expect, it, vi } from 'vitest';
import { Cancellation } from '../../../lib/wire/wire-request.js';

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
  });

  it('B5: gives its reason at once to a later listener', () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
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

  it('ignores a listener that never subscribed', () => {
    const cancellation = new Cancellation();
    const only = listening();
    cancellation.subscribe(only);
    cancellation.unsubscribe(listening());
    cancellation.cancel(reason);
    expect(only).toHaveBeenCalledOnce();
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
  });

  it('B5: makes an aborted signal after its end', () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
    expect(cancellation.toAbortSignal().aborted).toBe(true);
  });
});
