import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { streamOfReceived } from '../../../lib/wire/received-body.js';
import { receivedBody } from '../../support/http/received-body.js';

function received() {
  const body = receivedBody();
  const closed = vi.fn<() => void>();
  return { body, closed, stream: streamOfReceived(body, closed) };
}

describe('a received body as a stream', () => {
  it('B12 B21: gives copies of all bytes, and ends with the body', async () => {
    const { body, closed, stream } = received();
    const [one, two] = [Buffer.from('one '), Buffer.from('two')];
    body.push(one);
    const read: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => read.push(chunk));
    await expect.poll(() => read.length).toBe(1);
    body.push(two);
    body.push(null);
    await once(stream, 'close');
    expect(read.map(String)).toEqual(['one ', 'two']);
    expect(read.map(({ buffer }) => buffer.byteLength)).toEqual([4, 3]);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('B17: fails with the error of the body', async () => {
    const { body, closed, stream } = received();
    const error = new Error('reset');
    const failed = once(stream, 'error');
    stream.resume();
    body.destroy(error);
    expect(await failed).toEqual([error]);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('B9: does not end the process with an error for which no code listens', async () => {
    const { closed, stream } = received();
    const emitted = vi.spyOn(stream, 'emit');
    const ended = new Promise((resolve) => stream.once('close', resolve));
    stream.destroy(new Error('reset'));
    await ended;
    expect(closed).toHaveBeenCalledOnce();
    expect(emitted.mock.calls).toEqual([['close']]);
  });

  it('B9: gives its error to code that begins to listen in the same turn', async () => {
    const { stream } = received();
    const error = new Error('reset');
    const reported = vi.fn<(error: Error) => void>();
    const ended = new Promise((resolve) => stream.once('close', resolve));
    stream.destroy(error);
    stream.on('error', reported);
    await ended;
    expect(reported.mock.calls).toEqual([[error]]);
  });

  it('B5: ends the body if the reader wants no more', () => {
    const { body, closed, stream } = received();
    body.push(Buffer.from('part'));
    stream.destroy();
    expect(body.isOver).toBe(true);
    expect(closed).toHaveBeenCalledOnce();
  });
});
