import { describe, expect, it, vi } from 'vitest';
import { cancelledWithGarbage, oneChunk, streamOf } from '../../../../lib/http/fetch/body-stream.js';
import { ReceivedBody } from '../../../../lib/wire/received-body.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { collectGarbage } from '../../../support/run/collect-garbage.js';

const REASON = new Error('of the caller');
const MOST_WAITING = 64 * 1024;

/** A body, and how its source is used. */
function given() {
  const source = { resume: vi.fn<() => void>(), closed: vi.fn<(isComplete: boolean) => void>() };
  return { ...source, body: new ReceivedBody(source) };
}

describe('the web stream of a body', () => {
  it('B21: reads nothing ahead, so the API waits for a slow reader', async () => {
    const { body, resume } = given();
    body.push(Buffer.alloc(MOST_WAITING));
    const reader = streamOf(body, undefined).getReader();
    await settled();
    expect(resume).not.toHaveBeenCalled();
    expect((await reader.read()).value).toHaveLength(MOST_WAITING);
    expect(resume).toHaveBeenCalledOnce();
  });

  it('B12: has copies of the chunks', async () => {
    const { body } = given();
    const chunk = Buffer.from('ab');
    body.push(chunk);
    const { value } = await streamOf(body, undefined).getReader().read();
    expect(value).toEqual(Uint8Array.from([97, 98]));
    expect(value?.buffer.byteLength).toBe(2);
    expect(chunk.toString()).toBe('ab');
  });

  it('B21: fails with a TypeError if the body breaks off', async () => {
    const { body } = given();
    body.destroy(new Error('cut'));
    const error = await errorOf(streamOf(body, undefined).getReader().read());
    expect(error).toEqual(new TypeError('terminated', { cause: new Error('cut') }));
  });

  it('B21 B5: fails with the reason of a caller who aborts, even if all bytes are there', async () => {
    const { body } = given();
    body.push(Buffer.from('a'));
    body.push(null);
    const caller = new AbortController();
    const stream = streamOf(body, caller.signal);
    caller.abort(REASON);
    expect(await errorOf(stream.getReader().read())).toBe(REASON);
  });

  it.each(['', 'ab'])('B21: has the bytes that are all there: %j', async (text) => {
    expect(await new Response(streamOf(oneChunk(Buffer.from(text)), undefined)).text()).toBe(text);
  });

  it.each(['default', 'byob'])('B21: ends with the body for a reader of the kind %s', async (mode) => {
    const { body, closed } = given();
    body.push(Buffer.from('a'));
    const stream = streamOf(body, undefined);
    const reader = mode === 'byob' ? stream.getReader({ mode }) : stream.getReader();
    const read = (): Promise<{ done: boolean; value?: Uint8Array | undefined }> =>
      reader.read(new Uint8Array(4));
    expect(await read()).toEqual({ done: false, value: Uint8Array.from([97]) });
    const last = read();
    await settled();
    body.push(null);
    expect(await last).toMatchObject({ done: true });
    expect(closed.mock.calls).toEqual([[true]]);
  });

  it('B21: ends the request if its reader cancels', async () => {
    const { body, closed } = given();
    await streamOf(body, undefined).cancel();
    expect(closed.mock.calls).toEqual([[false]]);
  });
});

describe('a body that no code can read any more', () => {
  it('B21: ends its request, but not while its stream lives', async () => {
    const [read, unread] = [given(), given()];
    // In its own function: the last values of this function stay on its stack.
    const make = (): ReadableStream => {
      cancelledWithGarbage(unread.body, undefined);
      return cancelledWithGarbage(read.body, undefined);
    };
    const stream = make();
    await vi.waitFor(
      () => {
        collectGarbage();
        expect(unread.closed.mock.calls).toEqual([[false]]);
      },
      { timeout: 8_000, interval: 10 },
    );
    expect(read.closed).not.toHaveBeenCalled();
    expect(stream.locked).toBe(false);
  });
});
