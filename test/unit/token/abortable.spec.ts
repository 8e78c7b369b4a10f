import { EventEmitter, once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { abortable } from '../../../lib/token/abortable.js';
import { settled } from '../../support/fake-clock.js';
import { errorOf, Watched } from '../../support/token-fixtures.js';

describe('abortable', () => {
  it('B5: is the shared promise itself where there is no signal', () => {
    const shared = Promise.resolve(1);
    expect(abortable(shared, undefined)).toBe(shared);
  });

  it('B5: gives the result or the error of the shared work', async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('B5: an abort rejects this caller at once and nobody else', async () => {
    const finish = new EventEmitter();
    const shared = once(finish, 'end');
    const abort = new AbortController();
    const leaving = new Watched(abortable(shared, abort.signal));
    const staying = new Watched(abortable(shared, new AbortController().signal));
    const reason = new Error('no patience');
    abort.abort(reason);
    await settled();
    expect(leaving).toMatchObject({ state: 'failed', error: reason });
    expect(staying.state).toBe('waiting');
    finish.emit('end', 7);
    await settled();
    expect(staying).toMatchObject({ state: 'given', result: [7] });
  });

  it('B5: rejects with whatever the caller aborted with', async () => {
    expect(await errorOf(abortable(Promise.resolve(1), AbortSignal.abort('a word')))).toBe('a word');
    expect(await errorOf(abortable(Promise.resolve(1), AbortSignal.abort()))).toMatchObject({
      name: 'AbortError',
    });
  });

  it('B5: leaves no listener on a signal that lives on', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await abortable(Promise.resolve(1), signal);
    await errorOf(abortable(Promise.reject(new Error('no')), signal));
    await settled();
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});
