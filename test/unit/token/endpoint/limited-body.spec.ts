import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { readLimited } from '../../../../lib/token/endpoint/token-response.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../../support/token/token-fixtures.js';

const never = new AbortController().signal;

describe('readLimited', () => {
  it('B13: reads all of a body up to the limit', async () => {
    const body = await readLimited(Readable.from([Buffer.from('abc'), Buffer.from('de')]), 5, never);
    expect(body?.toString()).toBe('abcde');
    expect(await readLimited(Readable.from([]), 5, never)).toEqual(Buffer.alloc(0));
  });

  it('B13: gives up one byte past the limit, and reads no further', async () => {
    let made = 0;
    const endless = new Readable({
      highWaterMark: 1,
      read(): void {
        made += 1;
        this.push(Buffer.alloc(1024));
      },
    });
    expect(await readLimited(endless, 4096, never)).toBeUndefined();
    expect(endless.destroyed).toBe(true);
    expect(made).toBeLessThan(10);
  });

  it('B5: lets the signal go, however the body ends', async () => {
    for (const [body, limit] of [
      [Readable.from([Buffer.from('abc')]), 5],
      [Readable.from([Buffer.from('abc')]), 2],
    ] as const) {
      const { signal } = new AbortController();
      const [added, removed] = [
        vi.spyOn(signal, 'addEventListener'),
        vi.spyOn(signal, 'removeEventListener'),
      ];
      await readLimited(body, limit, signal);
      expect(added.mock.calls[0]?.slice(0, 2)).toEqual(removed.mock.calls[0]);
    }
  });

  it('B13: an abort ends the wait for a body that does not come', async () => {
    const stream = new PassThrough();
    const abort = new AbortController();
    const reading = new Watched(readLimited(stream, 10, abort.signal));
    stream.write('a');
    await settled();
    expect(reading.state).toBe('waiting');
    abort.abort();
    await settled();
    expect(reading.state).toBe('failed');
    expect(stream.destroyed).toBe(true);
  });

  it('B13: an abort that came before ends it too', async () => {
    const stream = new PassThrough();
    await errorOf(readLimited(stream, 10, AbortSignal.abort()));
    expect(stream.destroyed).toBe(true);
  });

  it('B13: a body that breaks off is no body', async () => {
    const stream = new PassThrough();
    const reading = new Watched(readLimited(stream, 10, never));
    stream.write('{"access');
    stream.destroy(new Error('reset'));
    await settled();
    expect(reading.state).toBe('failed');
  });

  it('B13: a body that ends without its end is no body', async () => {
    const stream = new PassThrough();
    const reading = new Watched(readLimited(stream, 10, never));
    stream.write('{}');
    stream.destroy();
    await settled();
    expect(reading.state).toBe('failed');
  });
});
