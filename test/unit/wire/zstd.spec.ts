import { PassThrough } from 'node:stream';
import zlib from 'node:zlib';
import { AxiosHeaders } from 'axios';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const CREATE = 'createZstdDecompress';
const FLUSH = 'ZSTD_e_flush';
const USUAL = 'gzip, compress, deflate, br';

describe.each([true, false])('on a Node that can decode zstd: %s', (isAble) => {
  const before = Reflect.get(zlib, CREATE) as unknown;
  const isOlder = !(FLUSH in zlib.constants);
  const options: object[] = [];

  beforeAll(() => {
    if (isOlder) Reflect.set(zlib.constants, FLUSH, 77);
    // Node's own cannot be overwritten.
    Reflect.deleteProperty(zlib, CREATE);
    if (isAble) Reflect.set(zlib, CREATE, (given: object) => (options.push(given), new PassThrough()));
    vi.resetModules();
  });
  afterAll(() => {
    if (isOlder) Reflect.deleteProperty(zlib.constants, FLUSH);
    Reflect.deleteProperty(zlib, CREATE);
    if (before) Reflect.set(zlib, CREATE, before);
    vi.resetModules();
  });

  it('B17: it is decoded while it arrives, and asked for if the call wants that', async () => {
    const { takeDecoder } = await import('../../../lib/wire/decoding.js');
    const { headerList } = await import('../../../lib/wire/axios-headers.js');
    const create = takeDecoder(new AxiosHeaders({ 'content-encoding': 'zstd' }), true);
    expect(create?.(Buffer.alloc(0)) instanceof PassThrough).toBe(isAble);
    const flush: unknown = Reflect.get(zlib.constants, FLUSH);
    expect(options).toEqual(isAble ? [{ flush, finishFlush: flush }] : []);
    const asked = [true, false].map((advertiseZstdAcceptEncoding) => {
      const config = { headers: new AxiosHeaders(), transitional: { advertiseZstdAcceptEncoding } };
      return headerList(config, { content: null }, undefined).at(-1);
    });
    expect(asked).toEqual([isAble ? `${USUAL}, zstd` : USUAL, USUAL]);
  });
});
