import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { discardStream, isStream, sealStream } from '../../../../lib/http/redaction/sealed-stream.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

/** A sealed stream, and the functions of its call that it calls. */
function sealed<Source extends Readable | ReadableStream<unknown>>(source: Source) {
  const ended = vi.fn<() => void>();
  const clean = vi.fn<(error: Error) => Error>((error) =>
    Object.assign(error, { message: `clean: ${error.message}` }),
  );
  return { source, ended, clean, stream: sealStream(source, { clean, ended }) as Source };
}

const open = (options = {}): Readable => new Readable({ read: () => undefined, ...options });

describe('B12: a sealed stream of Node', () => {
  it('gives all chunks of the answer, and ends with the answer', async () => {
    const { stream, source, ended, clean } = sealed(Readable.from([Buffer.from('a'), Buffer.from('b')]));
    expect(stream).not.toBe(source);
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('ab');
    await expect.poll(() => ended).toHaveBeenCalledOnce();
    expect(clean).not.toHaveBeenCalled();
  });

  it('reads no more of the answer than its reader does', async () => {
    const { stream, source } = sealed(open());
    await settled();
    expect(source.isPaused()).toBe(true);
    stream.resume();
    await settled();
    expect(source.isPaused()).toBe(false);
    stream.pause();
    source.push(Buffer.alloc(stream.readableHighWaterMark));
    await settled();
    expect(source.isPaused()).toBe(true);
    expect(stream.readableLength).toBe(stream.readableHighWaterMark);
  });

  it('cleans the error of an incomplete answer', async () => {
    const { stream, source, ended } = sealed(open());
    const failure = once(stream, 'error');
    source.destroy(new Error('broken'));
    expect(await failure).toEqual([expect.objectContaining({ message: 'clean: broken' })]);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('fails if the answer closes before its end', async () => {
    const { stream, source } = sealed(open());
    const failure = once(stream, 'error');
    source.destroy();
    const message = 'clean: The answer was cut short.';
    expect(await failure).toEqual([expect.objectContaining({ message, code: 'ECONNRESET' })]);
  });

  it.each([
    ['with an error', new Error('broken'), 'clean: broken'],
    ['without an error', undefined, 'clean: The answer was cut short.'],
  ])('B4: fails when it is read if the answer was destroyed before, %s', async (_, error, message) => {
    const source = open();
    source.on('error', () => undefined).destroy(error);
    const { stream, ended } = sealed(source);
    expect(ended).toHaveBeenCalledOnce();
    await expect.poll(() => source.closed).toBe(true);
    expect(await errorOf(stream.toArray())).toMatchObject({ message });
  });

  it('ends the answer when its reader destroys the stream', async () => {
    const { stream, source, ended, clean } = sealed(open());
    stream.destroy();
    await once(stream, 'close');
    expect(source.destroyed).toBe(true);
    expect(ended).toHaveBeenCalledOnce();
    expect(clean.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('B9: closes without an error if no code listens yet', async () => {
    const { stream, source } = sealed(open());
    const emitted = vi.spyOn(stream, 'emit');
    source.destroy(new Error('broken'));
    await expect.poll(() => emitted.mock.calls.map(([event]) => event)).toEqual(['close']);
  });
});

describe('B12: a sealed web stream', () => {
  it('gives all chunks of the answer, and ends with the answer', async () => {
    const { stream, source, ended } = sealed(ReadableStream.from<unknown>(['a', 'b']));
    expect(stream).not.toBe(source);
    const seen: unknown[] = [];
    for await (const chunk of stream) {
      expect(ended).not.toHaveBeenCalled();
      seen.push(chunk);
    }
    expect(seen).toEqual(['a', 'b']);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('reads nothing before its reader does', async () => {
    const pull = vi.fn<() => void>();
    const { stream } = sealed(new ReadableStream({ pull }, { highWaterMark: 0 }));
    await settled();
    expect(pull).not.toHaveBeenCalled();
    void stream.getReader().read();
    await settled();
    expect(pull).toHaveBeenCalledOnce();
  });

  it.each([
    ['cleans the error', new Error('broken'), new Error('clean: broken')],
    ['passes on a value that is no error', 'broken', 'broken'],
  ])('%s of an incomplete answer', async (_, failure, expected) => {
    const breaking = new ReadableStream({ pull: (controller) => controller.error(failure) });
    const { stream, ended } = sealed(breaking);
    expect(await errorOf(stream.getReader().read())).toEqual(expected);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('ends the answer when its reader cancels, with the reason', async () => {
    const cancel = vi.fn<(reason: unknown) => void>();
    const { stream, ended } = sealed(new ReadableStream({ cancel }));
    await stream.cancel('enough');
    expect(cancel.mock.calls).toEqual([['enough']]);
    expect(ended).toHaveBeenCalledOnce();
  });
});

describe('an answer that no caller will read', () => {
  it('B12: is ended, and its failure is ignored', async () => {
    const stream = new Readable({
      read: () => undefined,
      destroy: (_error, done) => done(new Error('broken')),
    });
    discardStream(stream);
    await expect.poll(() => stream.closed).toBe(true);
    const cancel = vi.fn<(reason: unknown) => Promise<void>>().mockRejectedValue(new Error('broken'));
    discardStream(new ReadableStream({ cancel }));
    await settled();
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('is not ended if other code already reads it', async () => {
    const cancel = vi.fn<(reason: unknown) => void>();
    const stream = new ReadableStream({ cancel });
    stream.getReader();
    discardStream(stream);
    await settled();
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each([[null], ['text'], [{ pipe: 'no function' }], [Buffer.from('x')]])(
    'may be no stream: %s',
    (body) => {
      expect(isStream(body)).toBe(false);
      expect(() => discardStream(body)).not.toThrow();
    },
  );

  it('is a stream of Node or of the web', () => {
    expect(isStream(open())).toBe(true);
    expect(isStream(new ReadableStream())).toBe(true);
  });
});
