import { getEventListeners } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { OpenableBody } from '../../../../lib/wire/body.js';
import {
  bodyOfRequest,
  type FetchBody,
  LARGEST_REPEATABLE,
  readBody,
} from '../../../../lib/http/fetch/body.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { watchedStream } from '../../../support/http/watched-stream.js';

const limits = { signal: undefined, timeoutMs: 0, clock: new FakeClock() };

const streamOf = (...chunks: unknown[]): ReadableStream => ReadableStream.from(chunks);

async function* times(count: number, chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent += 1) yield chunk;
}

async function sizeOf(upload: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of upload) size += chunk.length;
  return size;
}

/** A body with its bytes as they are sent. A body that can be sent again is read twice. */
async function sentOf({ data, ...rest }: FetchBody): Promise<object> {
  if (data instanceof Readable) return { ...rest, text: await text(data) };
  if (!(data instanceof OpenableBody)) return { ...rest, text: String(data) };
  const { isRepeatable } = data;
  const texts = [await text(Readable.from(data.open()))];
  if (isRepeatable) texts.push(await text(Readable.from(data.open())));
  expect(new Set(texts).size).toBe(1);
  const { length } = data;
  return { ...rest, text: texts[0], isRepeatable, ...(length !== undefined && { length }) };
}

const TEXT_TYPE = 'text/plain;charset=UTF-8';

function shared(): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(2);
  new Uint8Array(buffer).set([97, 98]);
  return buffer;
}

describe('the body of a fetch', () => {
  it.each([undefined, null])('B21: %s is no body', (given) => {
    expect(readBody(given)).toBeUndefined();
  });

  it.each<[string, unknown, object]>([
    ['a number', 12, { text: '12', type: TEXT_TYPE }],
    ['a function', Math.max, { text: String(Math.max), type: TEXT_TYPE }],
    ['an object that writes itself', { toString: () => 'own' }, { text: 'own', type: TEXT_TYPE }],
    ['a SharedArrayBuffer', shared(), { text: 'ab' }],
    [
      'a File',
      new File(['file'], 'name', { type: 'image/x-any' }),
      { text: 'file', type: 'image/x-any', length: 4, isRepeatable: true },
    ],
  ])('B21: %s has the bytes and the type of fetch', async (_, given, sent) => {
    expect(await sentOf(readBody(given) as FetchBody)).toStrictEqual(sent);
  });

  it('B21: a symbol is a TypeError, as with fetch', () => {
    expect(() => readBody(Symbol('any'))).toThrow(new TypeError('Cannot convert a Symbol value to a string'));
  });

  it("B21 B5: a stream of Node can be ended, but not a client's request that must be answered", () => {
    const stream = Readable.from(['ab']);
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST' });
    for (const body of [stream, request]) readBody(body)?.cancel?.('enough');
    expect([stream.destroyed, request.destroyed]).toEqual([true, false]);
  });

  it('B21: a file of a form without a name has a filename, as the standard says', async () => {
    const form = new FormData();
    form.append('name', new File(['x'], ''));
    const sent = (await sentOf(readBody(form) as FetchBody)) as { text: string };
    expect(sent.text).toContain('name="name"; filename=""');
  });
});

describe('B21: the body of a Request', () => {
  it('B21: of very many small chunks costs time in proportion to its size', { timeout: 40_000 }, async () => {
    const chunks = LARGEST_REPEATABLE / 16 + 1;
    const { data } = await bodyOfRequest(times(chunks, Buffer.alloc(16)), limits);
    expect(await sizeOf((data as OpenableBody).open())).toBe(chunks * 16);
  });

  it('B21: is cancelled when the time of the call is over', async () => {
    const { body: stream, cancel } = watchedStream(0);
    const clock = new FakeClock();
    const reading = errorOf(bodyOfRequest(stream, { ...limits, timeoutMs: 300, clock }));
    await clock.advance(300);
    const error = await reading;
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: 'timeout of 300ms exceeded while reading the body of the request',
    });
    expect(cancel.mock.calls).toEqual([[undefined]]);
  });

  it.each<[string, ReadableStream]>([
    ['that was read', streamOf('a')],
    ['that failed', streamOf(1)],
  ])('B9: leaves no timer and no listener for a body %s', async (_, stream) => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    await bodyOfRequest(stream, { signal, timeoutMs: 300, clock }).catch(() => undefined);
    expect(clock.pending()).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
