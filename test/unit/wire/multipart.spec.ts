import { describe, expect, it } from 'vitest';
import { multipartBody } from '../../../lib/wire/multipart.js';

function formOf(...parts: [name: string, value: string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

async function bytesOf({ content }: ReturnType<typeof multipartBody>): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ODD_NAME = 'a "b"\r\nc\rd\ne';

describe('B30: the one writer of multipart forms', () => {
  it('B21: writes for fetch the bytes that Node writes', async () => {
    const file = new File(['one\ntwo'], 'f"\r\n.txt', { type: 'text/plain' });
    const form = formOf([ODD_NAME, 'x\ny\r\nz\r'], ['file', file]);
    const node = new Response(form);
    const boundary = /boundary=(.*)/.exec(node.headers.get('content-type') ?? '')?.[1] ?? '';
    const written = multipartBody(form, boundary, 'fetch');
    expect(await bytesOf(written)).toEqual(Buffer.from(await node.arrayBuffer()));
    expect(written.length).toBe((await bytesOf(written)).length);
    expect(written.type).toBe(`multipart/form-data; boundary=${boundary}`);
  });

  it('B17: leaves line ends of names as they are for axios, and names no file without a name', async () => {
    const form = formOf([ODD_NAME, 'x\ny'], ['file', new File(['z'], '')]);
    const text = (await bytesOf(multipartBody(form, 'b', 'axios'))).toString();
    expect(text).toBe(
      '--b\r\nContent-Disposition: form-data; name="a %22b%22%0D%0Ac%0Dd%0Ae"\r\n\r\nx\r\ny\r\n' +
        '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\nz\r\n--b--\r\n',
    );
  });

  it('B16: is in memory at once if the form has no file', () => {
    expect(Buffer.isBuffer(multipartBody(formOf(['a', 'b']), 'b', 'axios').content)).toBe(true);
  });
});
