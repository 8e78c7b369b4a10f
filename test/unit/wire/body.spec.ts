import { PassThrough, Readable, Stream } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { isRepeatable, OpenableBody } from '../../../lib/wire/body.js';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

async function* chunks(): AsyncGenerator {
  yield 'Zü';
  yield new Uint16Array([0x6972]);
  yield new TextEncoder().encode('ch').buffer;
}

describe('bodies that plain axios does not take', () => {
  it.each<[string, () => unknown]>([
    ['an async iterable', chunks],
    ['a web stream', () => ReadableStream.from(chunks())],
  ])('B4: %s is sent', async (_, make) => {
    const { ours, server } = client;
    server.seen = [];
    server.handler = (_request, response) => void response.end();
    await ours.post('/x', make(), { transformRequest: [] });
    expect(server.seen[0]?.body.toString()).toBe('Zürich');
  });

  it('B4: anything else is an error of the caller, and nothing is sent', async () => {
    const { ours, server } = client;
    server.seen = [];
    for (const data of [7, () => undefined, new Map()])
      expect(await errorOf(ours.post('/x', data, { transformRequest: [] }))).toMatchObject({
        code: 'ERR_BAD_REQUEST',
        message: 'Data after transformation must be a string, an ArrayBuffer, a Buffer, or a Stream',
      });
    expect(server.seen).toEqual([]);
  });
});

it('B4: a stream of the oldest kind fails its call with its error', async () => {
  const stream = new Stream();
  const failed = errorOf(client.ours.post('/x', stream));
  await expect.poll(() => stream.listenerCount('data')).toBe(1);
  stream.emit('error', new Error('The disk is gone.'));
  expect(await failed).toMatchObject({ message: 'The disk is gone.' });
});

it.each<[boolean, unknown[]]>([
  [true, [undefined, null, 'a', 7, Buffer.from('a'), new ArrayBuffer(1), [1], { a: 1 }, new Blob(['a'])]],
  [true, [new FormData(), new URLSearchParams(), new OpenableBody(true, () => Readable.from('a'))]],
  [false, [() => 'a', new PassThrough(), new Stream(), chunks(), new ReadableStream(), new Map()]],
  [false, [new OpenableBody(false, () => Readable.from('a')), { [Symbol.asyncIterator]: chunks }]],
])('B4: a body can be sent again: %s: %#', (expected, bodies) => {
  expect(bodies.map(isRepeatable)).toEqual(bodies.map(() => expected));
});
