import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import LegacyFormData from 'form-data';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

const bytes = Buffer.from([0, 1, 2, 0xff, 0xfe, 13, 10]);

function form(): FormData {
  const data = new FormData();
  data.append('text', 'one\ntwo');
  data.append('na"me', new Blob([bytes], { type: 'image/png' }), 'a"b\r\n.png');
  return data;
}

function legacyForm(): LegacyFormData {
  const data = new LegacyFormData();
  data.append('text', 'one');
  data.append('file', bytes, 'a.bin');
  return data;
}

const multipart = { headers: { 'Content-Type': 'multipart/form-data' } };

/** Each kind of body that axios documents for Node. Made anew for each call, because some can be read only once. */
const BODIES: Record<string, () => AxiosRequestConfig> = {
  'no body': () => ({}),
  'an empty text': () => ({ data: '' }),
  'a text': () => ({ data: 'Zürich' }),
  'a text as JSON': () => ({ data: 'Zürich', headers: { 'Content-Type': 'application/json' } }),
  'an object': () => ({ data: { amount: [1, null, 'ü'] } }),
  'a list': () => ({ data: [1, 2] }),
  'a number as JSON': () => ({ data: 7, headers: { 'Content-Type': 'application/json' } }),
  'an object as a query': () => ({
    data: { a: [1, 2], b: { c: 'd e' } },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }),
  'an object as a form': () => ({ data: { a: [1, 2], b: 'c' }, ...multipart }),
  URLSearchParams: () => ({ data: new URLSearchParams('a=b c&d=ü') }),
  'a Buffer': () => ({ data: bytes }),
  'a view of bytes': () => ({ data: new Uint8Array(bytes) }),
  'an ArrayBuffer': () => ({ data: new Uint8Array(bytes).buffer }),
  'an empty Buffer': () => ({ data: Buffer.alloc(0) }),
  'a Blob': () => ({ data: new Blob([bytes]) }),
  'a Blob with a type': () => ({ data: new Blob([bytes], { type: 'image/png' }) }),
  'an empty Blob': () => ({ data: new Blob([]) }),
  'a File': () => ({ data: new File([bytes], 'a.txt', { type: 'text/plain' }) }),
  'a form': () => ({ data: form() }),
  'a form with a boundary of the caller': () => ({
    data: form(),
    headers: { 'Content-Type': 'multipart/form-data; boundary=my-own-boundary' },
  }),
  'a form of the package form-data': () => ({ data: legacyForm() }),
  'a stream': () => ({ data: Readable.from([bytes, Buffer.from('text')]) }),
  'a stream with its length': () => ({ data: Readable.from([bytes]), headers: { 'Content-Length': '7' } }),
};

describe('a body that is sent again after a 401', () => {
  /** axios makes an object a form of the package form-data, too. */
  const ONCE = new Set([
    'a stream',
    'a stream with its length',
    'a form of the package form-data',
    'an object as a form',
  ]);

  it.each(Object.entries(BODIES))('B4: %s has the same bytes, or is not sent again', async (name, make) => {
    const { ours, server } = client;
    server.seen = [];
    server.handler = (_, response) => {
      response.statusCode = server.seen.length === 1 ? 401 : 200;
      response.end();
    };
    const { status } = await ours.request({ url: '/x', method: 'post', ...make(), validateStatus: null });
    const isOnce = ONCE.has(name);
    expect([status, server.seen.length]).toEqual(isOnce ? [401, 1] : [200, 2]);
    const [first, second] = server.seen;
    const bytesOf = (seen: typeof first) => [seen?.body.toString('latin1'), seen?.headers['content-type']];
    expect(bytesOf(second ?? first)).toEqual(bytesOf(first));
  });
});

it('B17: a wrong length of the caller does not break the connection', async () => {
  const { ours, server } = client;
  server.seen = [];
  await ours.post('/x', 'four', { headers: { 'content-length': '3' } });
  expect(server.seen[0]).toMatchObject({ headers: { 'content-length': '4' }, body: Buffer.from('four') });
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
