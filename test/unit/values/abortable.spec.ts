import { EventEmitter, getEventListeners, once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { abortable, onAbort } from '../../../lib/values/abortable.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

describe('abortable', () => {
  it('B5: is the shared promise itself if there is no signal', () => {
    const shared = Promise.resolve(1);
    expect(abortable(shared, undefined)).toBe(shared);
  });

  it('B5: gives the result or the error of the shared work', async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('B5: rejects with the value that the caller aborted with', async () => {
    expect(await errorOf(abortable(Promise.resolve(1), AbortSignal.abort('a word')))).toBe('a word');
    expect(await errorOf(abortable(Promise.resolve(1), AbortSignal.abort()))).toMatchObject({
      name: 'AbortError',
    });
  });

  it('B9: leaves no unhandled rejection if the signal has aborted already', async () => {
    const rejected = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', rejected);
    onTestFinished(() => void process.off('unhandledRejection', rejected));
    const shared = Promise.reject(new Error('no'));
    expect(await errorOf(abortable(shared, AbortSignal.abort('a word')))).toBe('a word');
    await settled();
    expect(rejected).not.toHaveBeenCalled();
  });

  it('B5: one listener that throws keeps no other from being called', () => {
    const nextTick = vi.spyOn(process, 'nextTick').mockReturnValueOnce();
    const abort = new AbortController();
    const error = new Error('no');
    const called = vi.fn<() => void>();
    onAbort(abort.signal, () => {
      throw error;
    });
    onAbort(abort.signal, called);
    abort.abort();
    expect(called).toHaveBeenCalledOnce();
    // What is thrown there is uncaught, as the error of any listener is.
    expect(nextTick.mock.calls[0]?.[0]).toThrow(error);
  });

  it('B13: one that leaves twice takes no listener of the callers after it', () => {
    const { signal } = new AbortController();
    const leave = onAbort(signal, () => {});
    leave();
    const others = [onAbort(signal, () => {}), onAbort(signal, () => {})];
    leave();
    others.push(onAbort(signal, () => {}));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const other of others) other();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('B5: leaves no listener on a signal that lives on', async () => {
    const { signal } = new AbortController();
    const waiting = abortable(Promise.resolve(1), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await waiting;
    await errorOf(abortable(Promise.reject(new Error('no')), signal));
    await settled();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('B5: listens once to a signal that many callers share, and rejects each of them', async () => {
    const abort = new AbortController();
    const added = vi.spyOn(abort.signal, 'addEventListener');
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    const finish = new EventEmitter();
    const done = abortable(once(finish, 'end'), abort.signal);
    const pending = new Promise(() => {});
    const waiting = Array.from({ length: 50 }, () => new Watched(abortable(pending, abort.signal)));
    finish.emit('end', 7);
    expect(await done).toEqual([7]);
    await settled();
    expect(added).toHaveBeenCalledOnce();
    expect(removed).not.toHaveBeenCalled();
    abort.abort('enough');
    await settled();
    expect(waiting.map(({ error }) => error)).toEqual(waiting.map(() => 'enough'));
  });

  it('B5: listens again to a signal that no caller used any more', async () => {
    const abort = new AbortController();
    await abortable(Promise.resolve(1), abort.signal);
    await settled();
    const late = new Watched(abortable(new Promise(() => {}), abort.signal));
    abort.abort('enough');
    await settled();
    expect(late).toMatchObject({ state: 'failed', error: 'enough' });
  });
});
