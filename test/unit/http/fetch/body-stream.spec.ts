import { describe, expect, it, vi } from 'vitest';
import { oneChunk, streamOf } from '../../../../lib/http/fetch/body-stream.js';
import { ReceivedBody } from '../../../../lib/wire/received-body.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

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
});
