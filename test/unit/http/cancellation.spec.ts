import { describe, expect, it, vi } from 'vitest';
import { Cancellation } from '../../../lib/http/call.js';

const reason = new Error('no more');
const listening = () => vi.fn<(reason?: unknown) => void>();

describe('a cancellation, in place of a CancelToken', () => {
  it('B5: tells everybody who listens, once, why', () => {
    const cancellation = new Cancellation();
    const listeners = [listening(), listening(), listening()];
    for (const listener of listeners) cancellation.subscribe(listener);
    expect(cancellation.reason).toBeUndefined();
    cancellation.cancel(reason);
    cancellation.cancel(new Error('again'));
    expect(listeners.map(({ mock }) => mock.calls)).toEqual([[[reason]], [[reason]], [[reason]]]);
    expect(cancellation.reason).toBe(reason);
  });

  it('B5: tells at once who comes afterwards', () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
    const late = listening();
    cancellation.subscribe(late);
    expect(late.mock.calls).toEqual([[reason]]);
  });

  it('B5: tells nothing to who has gone, the first or a later one', () => {
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

  it('lets go of a stranger without a trace', () => {
    const cancellation = new Cancellation();
    const only = listening();
    cancellation.subscribe(only);
    cancellation.unsubscribe(listening());
    cancellation.cancel(reason);
    expect(only).toHaveBeenCalledOnce();
  });

  it('throws its reason at who asks, and nothing before there is one', () => {
    const cancellation = new Cancellation();
    expect(() => cancellation.throwIfRequested()).not.toThrow();
    cancellation.cancel(reason);
    expect(() => cancellation.throwIfRequested()).toThrow(reason);
  });

  it('keeps a promise of its reason', async () => {
    const cancellation = new Cancellation();
    const before = cancellation.promise;
    cancellation.cancel(reason);
    expect(await before).toBe(reason);
    expect(await cancellation.promise).toBe(reason);
  });

  it('B5: makes one signal for all who ask, aborted with it', () => {
    const cancellation = new Cancellation();
    const signal = cancellation.toAbortSignal();
    expect(cancellation.toAbortSignal()).toBe(signal);
    expect(signal.aborted).toBe(false);
    cancellation.cancel(reason);
    expect(signal.aborted).toBe(true);
  });

  it('B5: makes a signal that is aborted already for who asks afterwards', () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
    expect(cancellation.toAbortSignal().aborted).toBe(true);
  });
});
