import { describe, expect, it, vi } from 'vitest';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { settled } from '../../support/token/fake-clock.js';
import { bytesOf } from '../../support/http/received-body.js';
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

describe('the body of an answer while it arrives', () => {
  it('B17: gives all bytes at once when it has ended, and says once that it is complete', async () => {
    const { body, closed } = received();
    expect(body.isOver).toBe(false);
    body.push(Buffer.from('one '));
    const whole = new Watched(bytesOf(body));
    body.push(Buffer.from('two'));
    await settled();
    expect(whole.state).toBe('waiting');
    expect(closed).not.toHaveBeenCalled();
    expect(body.push(null)).toBe(true);
    expect(body.isOver).toBe(true);
    await settled();
    expect(String(whole.result)).toBe('one two');
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
    kept.push(Buffer.from('late'));
    expect(String(await bytesOf(kept))).toBe('one');
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

  it('B17: that has failed gives its error in place of the bytes before it, each time', async () => {
    const { body, closed } = received();
    const error = new Error('reset');
    body.push(Buffer.from('part'));
    body.destroy(error);
    body.destroy(new Error('again'));
    expect(body.isOver).toBe(true);
    expect(await errorOf(body.next())).toBe(error);
    expect(() => body.takeAll()).toThrow(error);
    expect(closed.mock.calls).toEqual([[false]]);
  });

  it('B17: that fails later gives its error to the reader who waits', async () => {
    const { body } = received();
    const failed = errorOf(body.next());
    const error = new Error('reset');
    body.destroy(error);
    expect(await failed).toBe(error);
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
      expect(await errorOf(body.next())).toMatchObject({ message: 'clean reset' });
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
