import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import * as undici from 'undici';
import { describe, expect, it } from 'vitest';
import type { ProviderFetch } from '../../../lib/index.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { givenFolder } from '../../support/run/given-folder.js';

/** One call by `fetch`, and the only request that the API received. */
async function sentBy(call: (fetch: ProviderFetch, running: RunningApp) => Promise<Response>, http = {}) {
  const running = await given().app({ http }).start();
  const answer = await call(running.easy.fetch, running);
  expect(answer.status).toBe(200);
  expect(running.provider.apiRequests).toHaveLength(1);
  const [request] = running.provider.apiRequests;
  if (request === undefined) throw new Error('The API received no request.');
  return { ...running, answer, request };
}

describe('the input of fetch', () => {
  it.each<[string, (baseUrl: string) => string | URL | Request, string]>([
    ['a path', () => '/payments/1?a=b', '/payments/1?a=b'],
    ['a path without a slash', () => 'payments/1', '/payments/1'],
    ['an empty text', () => '', '/'],
    ['a query', () => '?a=b', '/?a=b'],
    ['a whole address', (baseUrl) => `${baseUrl}/payments/1#part`, '/payments/1'],
    ['a URL', (baseUrl) => new URL(`${baseUrl}/payments/1?a=b#part`), '/payments/1?a=b'],
    ['a URL with two slashes', (baseUrl) => new URL(`${baseUrl}//payments`), '//payments'],
    ['a Request', (baseUrl) => new Request(`${baseUrl}/payments/1`), '/payments/1'],
    [
      'a Request of the package undici',
      (baseUrl) => new undici.Request(`${baseUrl}/payments/1`),
      '/payments/1',
    ],
  ])('B21: %s goes under the base URL, with the token', async (_, write, path) => {
    const { request, easy, answer } = await sentBy((fetch) => fetch(write(fetch.baseUrl)));
    expect(request.path).toBe(path);
    expect(request.claims).toBeDefined();
    expect(answer.url).toBe(easy.baseUrl + (path === '/' ? '' : path));
    expect(answer.redirected).toBe(false);
    expect(answer.type).toBe('basic');
  });

  it.each<[string, (baseUrl: string) => [unknown, object?]]>([
    ['a header with a line break', () => ['/x', { headers: { 'x-a': 'one\r\ntwo' } }]],
    ['a dispatcher', () => ['/x', { dispatcher: new undici.Agent() }]],
    [
      'a locked stream',
      () => {
        const body = new ReadableStream();
        body.getReader();
        return ['/x', { method: 'POST', body, duplex: 'half' }];
      },
    ],
    [
      'a stream of Node of which a part was read',
      () => {
        const body = new PassThrough();
        body.write('text');
        body.read(1);
        return ['/x', { method: 'POST', body }];
      },
    ],
    [
      'a web stream that was cancelled',
      () => {
        const body = new ReadableStream();
        void body.cancel();
        return ['/x', { method: 'POST', body, duplex: 'half' }];
      },
    ],
  ])('B21: %s is a TypeError, never thrown synchronously', async (_, write) => {
    const { easy, provider } = await given().app().start();
    const [input, init] = write(easy.baseUrl);
    expect(await errorOf(easy.fetch(input as string, init))).toBeInstanceOf(TypeError);
    expect(provider.apiRequests).toEqual([]);
  });

  it('B21: an upload that was sent before is not sent again as an empty one', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.next(4).status(500))
      .app()
      .start();
    const ofAnswer = (await easy.fetch('/x')).body;
    for (const body of [Readable.from(['text']), Readable.toWeb(Readable.from(['text'])), ofAnswer]) {
      const upload = { method: 'POST', body: body as ReadableStream, duplex: 'half' } as const;
      expect((await easy.fetch('/x', upload)).status).toBe(500);
      expect(await errorOf(easy.fetch('/x', upload))).toBeInstanceOf(TypeError);
    }
    expect(provider.apiRequests).toHaveLength(4);
  });

  it('B21: options about browsers are ignored', async () => {
    const { answer } = await sentBy((fetch) =>
      fetch('/x', {
        credentials: 'include',
        mode: 'cors',
        cache: 'no-store',
        keepalive: true,
        integrity: 'sha256-x',
        referrer: 'about:client',
        referrerPolicy: 'no-referrer',
        priority: 'high',
      } as RequestInit),
    );
    expect(answer.ok).toBe(true);
  });
});

/** A body, its bytes, and the content type that `fetch` gives it. */
type Body = readonly [name: string, make: () => unknown, text: string, type: string | undefined];

const bytes = new TextEncoder().encode('büytes');

const BODIES: readonly Body[] = [
  ['a string', () => 'täxt', 'täxt', 'text/plain;charset=UTF-8'],
  ['an empty string', () => '', '', 'text/plain;charset=UTF-8'],
  [
    'URLSearchParams',
    () => new URLSearchParams({ a: 'ü &' }),
    'a=%C3%BC+%26',
    'application/x-www-form-urlencoded;charset=UTF-8',
  ],
  ['an ArrayBuffer', () => bytes.slice().buffer, 'büytes', undefined],
  ['a view', () => bytes.subarray(1, 4), 'üy', undefined],
  ['a DataView', () => new DataView(bytes.slice().buffer, 1, 3), 'üy', undefined],
  ['a Blob', () => new Blob(['blob'], { type: 'image/x-any' }), 'blob', 'image/x-any'],
  ['a Blob without a type', () => new Blob(['blob']), 'blob', undefined],
  ['an empty Blob', () => new Blob([]), '', undefined],
  ['a web stream', () => new Blob(['stream']).stream(), 'stream', undefined],
  ['a Node stream', () => Readable.from([Buffer.from('node')]), 'node', undefined],
  ['an async iterable', () => generated(), 'generated', undefined],
];

async function* generated(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('gene');
  yield Buffer.alloc(0);
  yield Buffer.from('rated');
}

describe('the body and the headers of fetch', () => {
  it.each(BODIES)('B21: %s is sent with the type of fetch', async (_, make, text, type) => {
    const body = make() as string;
    const { request } = await sentBy((fetch) => fetch('/x', { method: 'POST', body }));
    expect(request.body.toString()).toBe(text);
    expect(request.headers['content-type']).toBe(type);
  });

  it('B21: a form arrives with its texts and files', async () => {
    const onDisk = join(givenFolder(), 'file');
    await writeFile(onDisk, 'from the disk');
    const form = new FormData();
    form.append('text "quoted"', 'line\nbreak ü');
    form.append('file', new File(['memory'], 'naïve "name".bin', { type: 'application/x-bin' }));
    form.append('disk', await openAsBlob(onDisk), 'disk.txt');
    const { request } = await sentBy((fetch) => fetch('/x', { method: 'POST', body: form }));
    expect(request.headers['content-length']).toBe(String(request.body.length));
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const arrived = await new Response(new Uint8Array(request.body), { headers }).formData();
    expect(arrived.get('text "quoted"')).toBe('line\r\nbreak ü');
    const [file, disk] = [arrived.get('file'), arrived.get('disk')] as unknown as [File, File];
    expect([file.name, file.type, await file.text()]).toEqual([
      'naïve "name".bin',
      'application/x-bin',
      'memory',
    ]);
    expect([disk.name, disk.type, await disk.text()]).toEqual([
      'disk.txt',
      'application/octet-stream',
      'from the disk',
    ]);
  });

  it('B21: the content type of the caller wins, and http.headers go along', async () => {
    const { request } = await sentBy(
      (fetch) =>
        fetch('/x', {
          method: 'POST',
          body: '{}',
          headers: [
            ['Content-Type', 'application/json'],
            ['X-B', 'own'],
          ],
        }),
      { headers: { 'X-A': 'configured', 'X-B': 'configured', 'Content-Type': 'text/x-configured' } },
    );
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-a': 'configured',
      'x-b': 'own',
    });
  });

  it('B21: headers of the connection are not taken from the caller', async () => {
    const headers = { 'content-length': '1', 'transfer-encoding': 'chunked', connection: 'close', te: 'x' };
    const { request } = await sentBy((fetch) => fetch('/x', { method: 'POST', body: 'text', headers }));
    expect(request.body.toString()).toBe('text');
    expect(request.headers['content-length']).toBe('4');
    expect(request.headers).not.toHaveProperty('transfer-encoding');
  });

  it('B21: a stream may name its length', async () => {
    const init = { method: 'POST', body: Readable.from([Buffer.from('text')]) as unknown as ReadableStream };
    const { request } = await sentBy((fetch) => fetch('/x', { ...init, headers: { 'content-length': '4' } }));
    expect(request.headers['content-length']).toBe('4');
  });

  it('B21: what the caller changes after the call changes nothing', async () => {
    const { easy, provider } = await given().app().start();
    const body = Buffer.from('before');
    const headers = { 'x-a': 'before' };
    const url = new URL(`${easy.baseUrl}/before`);
    const call = easy.fetch(url, { method: 'POST', body, headers });
    body.fill('x');
    headers['x-a'] = 'after';
    url.href = 'https://example.com/';
    await call;
    const [request] = provider.apiRequests;
    expect(request?.path).toMatch(/\/before$/);
    expect(request?.headers['x-a']).toBe('before');
    expect(request?.body.toString()).toBe('before');
  });

  it('B21: interceptors and defaults of axiosRef do not touch fetch', async () => {
    const { request } = await sentBy((fetch, { easy }) => {
      easy.axiosRef.interceptors.request.use(() => Promise.reject(new Error('An interceptor of axios.')));
      easy.axiosRef.defaults.headers.common['X-Axios'] = 'default';
      easy.axiosRef.defaults.baseURL = 'https://example.com';
      easy.axiosRef.interceptors.request.clear();
      return fetch('/x');
    });
    expect(request.headers).not.toHaveProperty('x-axios');
  });
});
