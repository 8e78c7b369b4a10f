import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { given } from '../../support/http/given.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT = 'content that is sent in pieces';

const send =
  (content: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(content);

/** The second half follows when the client has the first one. */
const inPieces =
  (content: string, headers: Record<string, string>): RequestListener =>
  (_, response) => {
    const middle = content.length / 2;
    response.writeHead(200, headers).write(content.slice(0, middle), () => {
      setImmediate(() => response.end(content.slice(middle)));
    });
  };

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  JSON: send('{"a":[1,"ü"]}', { ...JSON_TYPE, 'x-own': 'one' }),
  'JSON with a byte order mark': send('\ufeff{"a":1}', JSON_TYPE),
  'JSON of an error': send('{"error":1}', JSON_TYPE, 422),
  text: send('no JSON', { 'content-type': 'Text/Plain; charset=latin1' }),
  'two byte order marks': send('\ufeff\ufeff1'),
  bytes: send(Buffer.from([0x22, 0xff, 0xc3, 0x22])),
  'a form': send('a=1&b=%20', { 'content-type': 'application/x-www-form-urlencoded' }),
  'many bytes': send('abc'.repeat(100_000)),
  nothing: send('', { 'content-length': '0' }),
  'a 204': send('', {}, 204),
  'a 304': send('', { etag: '"a"' }, 304),
  'text in pieces': inPieces(TEXT, {}),
  events: inPieces('data: 1\n\ndata: 2\n\n', { 'content-type': 'text/event-stream' }),
};

type Answer = Response & { bytes?: () => Promise<Uint8Array> };

const textOf = (bytes: ArrayBuffer | Uint8Array | undefined): string =>
  Buffer.from((bytes ?? new Uint8Array()) as Uint8Array).toString('base64');

const NAMES = ['text', 'json', 'arrayBuffer', 'bytes', 'blob', 'formData', 'clone'];

/** What reads a body: the methods of the response, or those of the class of Node. */
const readersOf = (
  kind: string,
  owner: (answer: Answer) => object,
): Readonly<Record<string, (answer: Answer) => Promise<unknown>>> =>
  Object.fromEntries(
    NAMES.map((name) => [
      kind + name,
      (answer: Answer) => shown(Reflect.apply(Reflect.get(owner(answer), name) as () => unknown, answer, [])),
    ]),
  );

const READERS = readersOf('', (answer) => answer);
/** Code may have taken them from there. */
const NODE_READERS = readersOf('of Node: ', () => Response.prototype);

async function shown(read: unknown): Promise<unknown> {
  const value = await read;
  if (value instanceof ArrayBuffer || value instanceof Uint8Array) return textOf(value);
  if (value instanceof FormData) return [...value];
  return value instanceof Response || value instanceof Blob
    ? [value.constructor.name, await value.text()]
    : value;
}

/** What code has done with a response before it reads the body. */
const STATES: Readonly<Record<string, (answer: Answer) => unknown>> = {
  read: (answer) => answer.text(),
  'being read': (answer) => void answer.json().catch(() => undefined),
  cloned: (answer) => answer.clone(),
  cancelled: (answer) => answer.body?.cancel(),
  locked: (answer) => answer.body?.getReader(),
  'read in part': async (answer) => {
    const reader = answer.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
  },
  'given to another Response': (answer) => new Response(answer.body, answer),
};

/** What code does with a response. */
const WAYS: Readonly<Record<string, (answer: Answer) => unknown>> = {
  ...READERS,
  ...NODE_READERS,
  'a clone first': async (answer) => {
    const clone = answer.clone();
    return [clone.status, clone.statusText, clone.bodyUsed, await clone.text(), await answer.text()];
  },
  'a clone last': async (answer) => {
    const clone = answer.clone();
    return [await answer.text(), await clone.arrayBuffer().then(textOf)];
  },
  'a clone of a clone': (answer) => answer.clone().clone().text(),
  'a new Response of the body': (answer) => new Response(answer.body).text(),
  'a copy': async (answer) => {
    const copy = new Response(answer.body, answer);
    return [copy.status, copy.statusText, copy.headers.get('x-own'), await copy.text(), answer.bodyUsed];
  },
  'all chunks': ({ body }) => chunksIn(body),
  "all chunks by Node's getter": (answer) => chunksIn(Reflect.get(Response.prototype, 'body', answer)),
  'an own buffer': async ({ body }) => {
    const reader = body?.getReader({ mode: 'byob' });
    for (let text = ''; ;) {
      const { value, done = true } = (await reader?.read(new Uint8Array(4_000))) ?? {};
      if (done) return [text, value?.length];
      text += Buffer.from(value ?? []).toString('latin1');
    }
  },
  'two reads at once': (answer) => Promise.all([answer.text(), seen(() => answer.arrayBuffer())]),
  'what is used': async (answer) => {
    const states = [answer.bodyUsed, answer.body?.locked];
    const read = answer.text();
    states.push(answer.bodyUsed, answer.body?.locked);
    await read;
    return [...states, answer.bodyUsed, answer.body?.locked];
  },
  'the same objects': (answer) => [answer.body === answer.body, answer.headers === answer.headers],
  facts: ({ status, ok, statusText, type, redirected }) => [status, ok, statusText, type, redirected],
  kind: async (answer) => [
    answer instanceof Response,
    answer.constructor === Response,
    Object.prototype.toString.call(answer),
    Object.keys(answer),
    inspect(answer).slice(0, 10),
    inspect(Object.assign({}, answer)).length > 0,
    await seen(() => structuredClone(answer)),
  ],
  'each member': (answer) =>
    Object.getOwnPropertyNames(Response.prototype).map((name) => [name, typeof Reflect.get(answer, name)]),
};

async function chunksIn(body: ReadableStream | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return textOf(Buffer.concat(chunks));
}

function seen(way: () => unknown): Promise<unknown> {
  return (async () => way())().catch((error: unknown) => String(error));
}

// The global `fetch` sends to a server without TLS.
const plain = createServer();
const url = `http://127.0.0.1:${await listenOnLoopback(plain)}`;
const app = await given().app().open();

afterAll(async () => {
  plain.close().closeAllConnections();
  await app.close();
});

/** Both servers answer with this listener. */
function bothOf(listener: RequestListener) {
  const { easy, provider } = app;
  plain.removeAllListeners('request').on('request', listener);
  provider.api.handler(listener);
  return {
    easy,
    global: (init?: RequestInit) => fetch(url, init),
    ours: (init?: RequestInit) => easy.fetch('/x', init),
  };
}

describe('a Response of easy.fetch', () => {
  it.each(Object.entries(ANSWERS))(
    'B21: with %s is like that of the global fetch, however code reads it',
    async (name, listener) => {
      const { global, ours } = bothOf(listener);
      for (const method of ['JSON', 'a 304'].includes(name) ? ['GET', 'HEAD'] : ['GET'])
        for (const [way, read] of Object.entries(WAYS)) {
          const expected = await seen(async () => read(await global({ method })));
          expect({ method, way, seen: await seen(async () => read(await ours({ method }))) }).toEqual({
            method,
            way,
            seen: expected,
          });
        }
    },
  );

  it.each(['JSON', 'nothing', 'a 204', 'text in pieces'])(
    'B21: with %s can be read as that of the global fetch, whatever code has done with it before',
    async (answer) => {
      const { global, ours } = bothOf(ANSWERS[answer] as RequestListener);
      for (const [state, reach] of Object.entries(STATES))
        for (const [way, read] of Object.entries({ ...READERS, ...NODE_READERS })) {
          const [expected, got] = await Promise.all(
            [global, ours].map(async (fetch) => {
              const answer = await fetch();
              await reach(answer);
              const ended = await seen(() => read(answer));
              return { state, way, ended, bodyUsed: answer.bodyUsed, isLocked: answer.body?.locked };
            }),
          );
          expect(got).toEqual(expected);
        }
    },
  );

  it('B21: has the address and the type of its own, also if its members are those of Node', async () => {
    const { easy, ours } = bothOf(send('text'));
    const answer = await ours();
    expect(answer).toMatchObject({ url: `${easy.baseUrl}/x`, redirected: false, type: 'basic' });
    expect(answer.headers).toBeInstanceOf(Headers);
  });
});

const CODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  // The best quality, which is the default, takes seconds.
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: (bytes) => deflateSync(bytes),
};
/** No coding makes it shorter, so the decoders wait for each other. */
const LONG = randomBytes(1024 * 1024);

/** Encodes in the order of the list. A coding that is not in the table changes nothing. */
function encoded(list: string, content: Buffer): Buffer {
  const names = list.split(',').map((name) => name.trim().toLowerCase());
  return names.reduce((bytes, name) => CODERS[name]?.(bytes) ?? bytes, content);
}

const sendEncoded = (list: string): RequestListener =>
  send(encoded(list, LONG), { 'content-encoding': list });

describe('a body with several content codings', () => {
  const DECODED = ['br, gzip', 'gzip,br', 'BR , Deflate,x-gzip', 'gzip,gzip,gzip,br,gzip'];
  it.each(DECODED)('B21: is decoded by fetch as by the global fetch: %s', async (list) => {
    const { global, ours } = bothOf(sendEncoded(list));
    const answer = await ours();
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(LONG.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(LONG.equals(Buffer.from(await (await global()).arrayBuffer()))).toBe(true);
  });

  const LEFT = ['gzip, other', 'other, gzip', 'compress, gzip', 'gzip,', 'gzip, constructor'];
  it.each(LEFT)('B21: with one that fetch does not know is left as it is: %s', async (list) => {
    const { global, ours } = bothOf(sendEncoded(list));
    const answer = await ours();
    expect(answer.headers.get('content-encoding')).toBe(list);
    const bytes = textOf(await answer.arrayBuffer());
    expect(bytes).toBe(textOf(encoded(list, LONG)));
    expect(bytes).toBe(textOf(await (await global()).arrayBuffer()));
  });

  it('B21: is left as it is with more than five, where versions of the global fetch differ', async () => {
    const list = Array.from({ length: 6 }, () => 'gzip').join(', ');
    const { ours } = bothOf(sendEncoded(list));
    expect(textOf(await (await ours()).arrayBuffer())).toBe(textOf(encoded(list, LONG)));
  });

  it('B21: may contain deflate without its header', async () => {
    const { ours } = bothOf(send(gzipSync(deflateRawSync(TEXT)), { 'content-encoding': 'deflate, gzip' }));
    expect(await (await ours()).text()).toBe(TEXT);
  });

  it.each<[string, RequestInit, object]>([
    ['a streamed request', { method: 'POST', body: new Blob([TEXT]).stream(), duplex: 'half' }, {}],
    ['redirects that are followed', {}, { maxRedirects: 5 }],
  ])('B21: is decoded on the general path too: %s', async (_, init, http) => {
    const { easy, provider } = await given().app({ http }).start();
    provider.api.handler(sendEncoded('br, gzip'));
    expect(LONG.equals(Buffer.from(await (await easy.fetch('/x', init)).arrayBuffer()))).toBe(true);
  });

  it('B21: that cannot be decoded is a TypeError', async () => {
    const { ours } = bothOf(send('no gzip', { 'content-encoding': 'br, gzip' }));
    await expect((await ours()).text()).rejects.toThrow(new TypeError('terminated'));
  });

  it('B17: stays encoded for axiosRef, as with axios', async () => {
    const { easy } = bothOf(sendEncoded('br, gzip'));
    const { data, headers } = await easy.axiosRef.get<Buffer>('/x', { responseType: 'arraybuffer' });
    expect(headers['content-encoding']).toBe('br, gzip');
    expect(textOf(data)).toBe(textOf(encoded('br, gzip', LONG)));
  });
});
