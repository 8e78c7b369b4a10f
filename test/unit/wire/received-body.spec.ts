import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { cutShortError, ReceivedBody, receivedFrom } from '../../../lib/wire/received-body.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, Watched } from '../../support/token/token-fixtures.js';

/** So many bytes may wait for a reader. */
const LIMIT = 64 * 1024;

function received() {
  const resume = vi.fn<() => void>();
  const closed = vi.fn<(isComplete: boolean) => void>();
  return { body: new ReceivedBody({ resume, closed }), resume, closed };
}

const sealing = () => {
  const ended = vi.fn<() => void>();
  return { ended, clean: (error: Error) => new Error(`clean ${error.message}`) };
};

function fromStream(stream = new PassThrough()) {
  const closed = vi.fn<(isComplete: boolean) => void>();
  return { stream, closed, body: receivedFrom(stream, closed) };
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString();

describe('the body of an answer while it arrives', () => {
  it('B17: gives all bytes at once when it has ended, and says once that it is complete', async () => {
    const { body, closed } = received();
    expect(body.isOver).toBe(false);
    body.push(Buffer.from('one '));
    const whole = new Watched(body.readWhole());
    body.push(Buffer.from('two'));
    await settled();
    expect(whole.state).toBe('waiting');
    expect(closed).not.toHaveBeenCalled();
    expect(body.push(null)).toBe(true);
    expect(body.isOver).toBe(true);
    await settled();
    expect(textOf(whole.result as Buffer[])).toBe('one two');
    expect(closed.mock.calls).toEqual([[true]]);
    expect(body.takeAll()).toEqual([]);
  });

  it('B17: gives one chunk after the other, and then nothing', async () => {
    const { body } = received();
    body.push(Buffer.from('one'));
    expect(String(await body.next())).toBe('one');
    const waiting = new Watched(body.next());
    expect(body.push(Buffer.alloc(0))).toBe(true);
    await settled();
    expect(waiting.state).toBe('waiting');
    expect(body.push(Buffer.from('two'))).toBe(true);
    await settled();
    expect(String(waiting.result)).toBe('two');
    const last = body.next();
    body.push(null);
    expect(await last).toBeUndefined();
    expect(await body.next()).toBeUndefined();
    expect(body.takeAll()).toEqual([]);
  });

  it('B17: gives chunks that came before its end, and takes none after it', async () => {
    const { body, closed } = received();
    body.push(Buffer.from('one'));
    body.push(null);
    expect(body.push(Buffer.from('late'))).toBe(true);
    expect(body.push(null)).toBe(true);
    body.destroy(new Error('late'));
    body.cancel();
    expect(await body.next()).toBeUndefined();
    expect(closed.mock.calls).toEqual([[true]]);
    const { body: kept } = received();
    kept.push(Buffer.from('one'));
    kept.push(null);
    expect(textOf(await kept.readWhole())).toBe('one');
  });

  it('B13: lets the source wait when 64 KB wait for a reader, and go on when fewer wait', async () => {
    const { body, resume } = received();
    expect(body.push(Buffer.alloc(LIMIT - 1))).toBe(true);
    await body.next();
    expect(resume).not.toHaveBeenCalled();
    expect(body.push(Buffer.alloc(10))).toBe(true);
    expect(body.push(Buffer.alloc(LIMIT - 10))).toBe(false);
    expect(body.push(Buffer.alloc(10))).toBe(false);
    await body.next();
    expect(resume).not.toHaveBeenCalled();
    await body.next();
    expect(resume).toHaveBeenCalledOnce();
    await body.next();
    expect(resume).toHaveBeenCalledOnce();
    // A reader that waits gets the chunk itself, so that nothing waits.
    const next = body.next();
    expect(body.push(Buffer.alloc(LIMIT))).toBe(true);
    expect(await next).toHaveLength(LIMIT);
  });

  it('B13: never lets the source wait for a reader who wants all bytes', async () => {
    const { body, resume } = received();
    expect(body.push(Buffer.alloc(LIMIT))).toBe(false);
    const whole = body.readWhole();
    expect(resume).toHaveBeenCalledOnce();
    expect(body.push(Buffer.alloc(LIMIT))).toBe(true);
    body.push(null);
    expect(Buffer.concat(await whole)).toHaveLength(2 * LIMIT);
    const { body: short, resume: notNeeded } = received();
    const read = short.readWhole();
    short.push(null);
    await read;
    expect(notNeeded).not.toHaveBeenCalled();
  });

  it('B17: that has failed gives its error in place of the bytes before it, each time', async () => {
    const { body, closed } = received();
    const error = new Error('reset');
    body.push(Buffer.from('part'));
    body.destroy(error);
    body.destroy(new Error('again'));
    expect(body.isOver).toBe(true);
    expect(await errorOf(body.next())).toBe(error);
    expect(await errorOf(body.readWhole())).toBe(error);
    expect(() => body.takeAll()).toThrow(error);
    expect(closed.mock.calls).toEqual([[false]]);
  });

  it('B17: that fails later gives its error to the reader who waits', async () => {
    for (const read of [(body: ReceivedBody) => body.next(), (body: ReceivedBody) => body.readWhole()]) {
      const { body } = received();
      const failed = errorOf(read(body));
      const error = new Error('reset');
      body.destroy(error);
      expect(await failed).toBe(error);
    }
  });

  it('B5: that is cancelled drops its bytes, and says that it is not complete', async () => {
    const { body, closed } = received();
    body.push(Buffer.from('part'));
    body.cancel();
    body.cancel();
    expect(body.isOver).toBe(true);
    expect(closed.mock.calls).toEqual([[false]]);
    expect(await body.next()).toBeUndefined();
  });
});

describe('a sealed body', () => {
  it('B12: gives clean errors only, also if it failed before', async () => {
    const [before, after] = [received(), received()];
    before.body.destroy(new Error('reset'));
    before.body.seal(sealing());
    after.body.seal(sealing());
    after.body.destroy(new Error('reset'));
    for (const { body } of [before, after])
      expect(await errorOf(body.readWhole())).toMatchObject({ message: 'clean reset' });
  });

  it('B4: says once that it has ended, also if it ended before', () => {
    const ends: ((body: ReceivedBody) => void)[] = [
      (body) => body.push(null),
      (body) => body.cancel(),
      (body) => body.destroy(new Error('reset')),
    ];
    for (const end of ends) {
      const [first, second] = [received().body, received().body];
      const [one, other] = [sealing(), sealing()];
      first.seal(one);
      expect(one.ended).not.toHaveBeenCalled();
      end(first);
      end(first);
      expect(one.ended).toHaveBeenCalledOnce();
      end(second);
      second.seal(other);
      expect(other.ended).toHaveBeenCalledOnce();
    }
  });
});

describe('the body that a stream gives', () => {
  it('B21: has the bytes of the stream, and ends with it', async () => {
    const { stream, body, closed } = fromStream();
    stream.write('one ');
    stream.end(Buffer.from('two'));
    expect(textOf(await body.readWhole())).toBe('one two');
    await expect.poll(() => stream.closed).toBe(true);
    expect(closed.mock.calls).toEqual([[true]]);
  });

  it('B21: has texts as bytes', async () => {
    const { body } = fromStream(Readable.from(['Zürich']) as PassThrough);
    const [chunk] = await body.readWhole();
    expect(Buffer.isBuffer(chunk)).toBe(true);
    expect(String(chunk)).toBe('Zürich');
  });

  it('B13: lets the stream wait for its reader', async () => {
    const { stream, body } = fromStream();
    stream.write('short');
    await settled();
    expect(stream.isPaused()).toBe(false);
    stream.write(Buffer.alloc(LIMIT));
    await expect.poll(() => stream.isPaused()).toBe(true);
    await body.next();
    expect(stream.isPaused()).toBe(true);
    await body.next();
    expect(stream.isPaused()).toBe(false);
  });

  it('B21: fails with the error of the stream', async () => {
    const { stream, body, closed } = fromStream();
    const error = new Error('reset');
    stream.destroy(error);
    expect(await errorOf(body.readWhole())).toBe(error);
    expect(closed.mock.calls).toEqual([[false]]);
  });

  it('B21: fails if the stream closes before its end', async () => {
    const { stream, body } = fromStream();
    stream.destroy();
    expect(await errorOf(body.readWhole())).toMatchObject({
      message: 'The answer was cut short.',
      code: 'ECONNRESET',
    });
    expect(cutShortError()).not.toBe(cutShortError());
  });

  it.each([new Error('reset'), undefined])(
    'B21: fails if the stream had ended before, with the error %s',
    async (error) => {
      const stream = new Readable({ read() {} }).on('error', () => {});
      stream.push('part');
      const ended = new Promise((resolve) => stream.once('close', resolve));
      stream.destroy(error);
      await ended;
      const closed: boolean[] = [];
      const body = receivedFrom(stream, (isComplete) => void closed.push(isComplete));
      await expect(body.readWhole()).rejects.toThrow(error?.message ?? 'The answer was cut short.');
      expect(closed).toEqual([false]);
    },
  );
});
