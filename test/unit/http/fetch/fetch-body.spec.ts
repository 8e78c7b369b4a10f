import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OpenableBody } from '../../../../lib/http/adapter/request-body.js';
import { bodyOfRequest, LARGEST_REPLAYABLE } from '../../../../lib/http/fetch/fetch-body.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

const limits = { signal: undefined, timeoutMs: 0, clock: new FakeClock() };

const streamOf = (...chunks: unknown[]): ReadableStream => ReadableStream.from(chunks);

async function* times(count: number, chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent += 1) yield chunk;
}

async function sizeOf(stream: Readable): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += (chunk as Uint8Array).length;
  return size;
}

describe('B21: the body of a Request', () => {
  it.each([
    ['bytes', [Buffer.from('ab'), new Uint8Array([99])], 'abc'],
    ['text', ['ab', '€'], 'ab€'],
    ['an ArrayBuffer', [Uint8Array.from([97, 98]).buffer], 'ab'],
    ['a part of a buffer', [new Uint16Array(Uint8Array.from([0, 0, 97, 98]).buffer, 2)], 'ab'],
    ['nothing', [], ''],
  ])('B21: keeps chunks of %s', async (_, chunks, text) => {
    const body = await bodyOfRequest(streamOf(...chunks), limits);
    expect(String(body.data)).toBe(text);
  });

  it('B21: fails at a chunk that has no bytes, instead of leaving the chunk out', async () => {
    const failure = { message: 'fetch failed', cause: { message: /neither text nor bytes/ } };
    const error = await errorOf(bodyOfRequest(streamOf('a', { b: 1 }), limits));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      ...failure,
      cause: { message: expect.stringMatching(failure.cause.message) },
    });
  });

  it.each([
    [LARGEST_REPLAYABLE, true],
    [LARGEST_REPLAYABLE + 1, false],
  ])('B21: of %i bytes can be sent again: %s', async (size, isReplayable) => {
    const { data } = await bodyOfRequest(streamOf(Buffer.alloc(size - 1), Buffer.alloc(1)), limits);
    expect(Buffer.isBuffer(data)).toBe(isReplayable);
    expect(Buffer.isBuffer(data) ? data.length : await sizeOf((data as OpenableBody).open())).toBe(size);
  });

  it('B21: of very many tiny chunks costs time in proportion to its size', { timeout: 40_000 }, async () => {
    const { data } = await bodyOfRequest(times(LARGEST_REPLAYABLE + 10, Buffer.alloc(1)), limits);
    expect(await sizeOf((data as OpenableBody).open())).toBe(LARGEST_REPLAYABLE + 10);
  });
});
