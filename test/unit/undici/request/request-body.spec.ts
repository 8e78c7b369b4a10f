import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { requestBody } from '../../../../lib/undici/request/request-body.js';
import { AXIOS_VERSION } from '../../../../lib/wire/wire-request.js';

function bodyOf(data: unknown, headers: Record<string, string> = {}) {
  return requestBody({ data, headers: new AxiosHeaders(headers) } as InternalAxiosRequestConfig);
}

const formOf = (value: string | Blob): FormData => {
  const form = new FormData();
  form.append('a', value);
  return form;
};

describe('a body that undici sends', () => {
  it.each([undefined, null, '', 0, false])('B17: is none for %j', (data) => {
    expect(bodyOf(data)).toEqual({ content: null, length: undefined });
  });

  it('B17: has the bytes of a text, or exactly the bytes that were given', () => {
    expect(bodyOf('Zürich')).toEqual({ content: Buffer.from('Zürich'), length: 7 });
    const bytes = Buffer.from([0, 255]);
    expect(bodyOf(bytes)?.content).toBe(bytes);
    expect(bodyOf(new Uint8Array([1, 2]).buffer)).toEqual({ content: Buffer.from([1, 2]), length: 2 });
  });

  it('B17: is a stream as it is, without a length', () => {
    const stream = Readable.from(['x']);
    expect(bodyOf(stream)).toEqual({ content: stream, length: undefined });
    expect(bodyOf(stream)?.content).toBe(stream);
    const web = new Blob(['x']).stream();
    expect(bodyOf(web)?.content).toBe(web);
    expect(Object.keys(bodyOf(web) ?? {})).toEqual(['content', 'length']);
  });

  it('B17: is a new stream for a stream of the oldest kind, with the same bytes', async () => {
    const old = Object.assign(new EventEmitter(), {
      pipe: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    });
    const content = bodyOf(old)?.content as Readable;
    expect(content).toBeInstanceOf(Readable);
    const read = text(content);
    old.emit('data', Buffer.from('old'));
    old.emit('end');
    expect(await read).toBe('old');
  });

  it.each<[string, Blob, string, string]>([
    ['a Blob', new Blob(['bl', 'ob'], { type: 'text/x-blob' }), 'blob', 'text/x-blob'],
    ['a Blob without a type', new Blob(['x']), 'x', 'application/octet-stream'],
    ['a File', new File(['file'], 'name', { type: 'text/plain' }), 'file', 'text/plain'],
  ])('B17: has the bytes, the length and the type of %s', async (_, blob, expected, type) => {
    const { content, ...further } = bodyOf(blob) ?? {};
    expect(further).toEqual({ length: expected.length, type, ownLength: true });
    expect(await text(content as AsyncIterable<Uint8Array>)).toBe(expected);
  });

  it('B17: is empty for an empty Blob, which gets no type', () => {
    expect(bodyOf(new Blob([]))).toEqual({ content: Buffer.alloc(0), length: 0, ownLength: true });
  });
});

describe('a form that undici sends', () => {
  it('B17: has a boundary that looks like a boundary of axios, another in each form', () => {
    const bodies = [bodyOf(formOf('b')), bodyOf(formOf('b'))];
    const types = bodies.map((body) => body?.type);
    for (const type of types)
      expect(type).toMatch(
        new RegExp(`^multipart/form-data; boundary=axios-${AXIOS_VERSION}-boundary-[-\\w]{25}$`),
      );
    expect(new Set(types).size).toBe(2);
  });

  it.each([
    ['multipart/form-data; boundary=callers-own_Boundary9', 'callers-own_Boundary9'],
    ['multipart/form-data; Boundary=1234567890; charset=utf-8', '1234567890'],
  ])('B4: has the boundary that the request names in %s, so that it can be sent again', (given, boundary) => {
    const content = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${boundary}--\r\n`,
    );
    expect(bodyOf(formOf('b'), { 'Content-Type': given })).toEqual({
      content,
      length: content.length,
      type: `multipart/form-data; boundary=${boundary}`,
      ownLength: true,
    });
  });

  it.each(['multipart/form-data; boundary=short', 'multipart/form-data; boundary="1234567890"'])(
    'B17: has another boundary than %s, which axios would not use',
    (given) => {
      expect(bodyOf(formOf('b'), { 'Content-Type': given })?.type).toContain('boundary=axios-');
    },
  );

  it('B17: reads a file while it is sent, and leaves out the name of a nameless file as axios does', async () => {
    const { content, length } = bodyOf(formOf(new File(['content'], ''))) ?? {};
    expect(Buffer.isBuffer(content)).toBe(false);
    const sent = await text(content as AsyncIterable<Uint8Array>);
    expect(sent).toContain('content');
    expect(sent).not.toContain('filename');
    expect(sent).toHaveLength(Number(length));
  });
});

describe('a body that axios sends or refuses', () => {
  it.each<[string, unknown]>([
    ['an object', { a: 1 }],
    ['an object with a pipe that is no function', { pipe: true }],
    ['a number', 5],
    ['a function', () => undefined],
    ['a stream that writes its own headers', Object.assign(Readable.from([]), { getHeaders: () => ({}) })],
    ['a form of the npm package', Object.assign(Readable.from([]), { [Symbol.toStringTag]: 'FormData' })],
  ])('B17: is %s', (_, data) => {
    expect(bodyOf(data)).toBeUndefined();
  });
});
