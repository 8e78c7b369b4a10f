import { Readable } from 'node:stream';
import { toFormData } from 'axios';
import { describe, expect, it } from 'vitest';
import { isReplayable, OpenableBody } from '../../../../lib/http/adapter/request-body.js';
import { isFormData } from '../../../../lib/values/is-object.js';

describe('B4: can be sent again', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', '{"a":1}'],
    ['a number', 1],
    ['a Buffer', Buffer.from('a')],
    ['an ArrayBuffer', new ArrayBuffer(1)],
    ['a typed array', new Uint8Array(1)],
    ['a DataView', new DataView(new ArrayBuffer(1))],
    ['URLSearchParams', new URLSearchParams('a=1')],
    ['the global FormData', new FormData()],
    ['a Blob', new Blob(['a'])],
    ['a File', new File(['a'], 'a.txt')],
    ['a plain object', { a: 1 }],
    ['an object without prototype', Object.create(null)],
    ['an array', [1]],
    ['an object with a member like that of a stream', { pipe: 'of clay' }],
    ['shared memory', new SharedArrayBuffer(1)],
    ['what opens the same stream for each attempt', new OpenableBody(true, () => Readable.from(['a']))],
  ])('%s', (_, body) => {
    expect(isReplayable(body)).toBe(true);
  });
});

describe('B4: can be sent only once', () => {
  it.each([
    ['a Readable', Readable.from(['a'])],
    ['a web stream', new ReadableStream()],
    ['a form of the package form-data', toFormData({ a: 1 })],
    ['an async iterable', (async function* () {})()],
    ['an object with an async iterator', { async *[Symbol.asyncIterator]() {} }],
    ['a function', () => 'a'],
    ['an object of an unknown class', new Map()],
    ['what opens a stream once', new OpenableBody(false, () => Readable.from(['a']))],
  ])('%s', (_, body) => {
    expect(isReplayable(body)).toBe(false);
  });
});

it('B4: distinguishes the global FormData from the package with the same name', () => {
  expect(isFormData(new FormData())).toBe(true);
  expect(isFormData(toFormData({ a: 1 }))).toBe(false);
});
