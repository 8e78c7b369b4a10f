import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EasyHttpService, type HttpOptions, ProviderAuthModule } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { bootWith } from '../../support/application/boot.js';

const TENANTS = ['a', 'b', 'c'];
const CALLS = 4;
const CHUNKS = 4;
const CHUNK = Buffer.alloc(40_000, 'x');
const DOWNLOAD = Buffer.alloc(100_000, 'x');

const TRANSPORTS: readonly (readonly [string, (ca: string) => HttpOptions])[] = [
  ['by default', (ca) => ({ httpsAgent: new Agent({ ca, keepAlive: true, maxSockets: 2 }) })],
  ['on undici', () => ({ transport: undiciTransport({ connections: 2 }) })],
];

/** Notes that code of the caller runs. */
type Note = (event: string) => void;

/** Code of the application that makes chunks: each chunk comes later, so that the uploads of the tenants overlap. */
async function* chunks(note: Note): AsyncGenerator<Buffer> {
  try {
    for (let left = CHUNKS; left > 0; left -= 1) {
      note('next');
      await turn();
      note('after a wait');
      yield CHUNK;
    }
  } finally {
    note('return');
  }
}

function webStream(note: Note): ReadableStream<Uint8Array> {
  const source = chunks(note);
  return new ReadableStream(
    {
      async pull(controller) {
        note('pull');
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        note('cancel');
      },
    },
    { highWaterMark: 0 },
  );
}

function nodeStream(note: Note): Readable {
  const source = chunks(note);
  return new Readable({
    read() {
      note('read');
      void source.next().then(({ done, value }) => this.push(done ? null : value));
    },
    destroy(error, done) {
      note('destroy');
      done(error);
    },
  });
}

/** A Blob whose bytes come from the application. */
class ComputedBlob extends Blob {
  constructor(private readonly note: Note) {
    super([Buffer.alloc(CHUNKS * CHUNK.length, 'x')]);
  }

  override stream(): ReturnType<Blob['stream']> {
    this.note('stream');
    return webStream(this.note) as ReturnType<Blob['stream']>;
  }
}

type Upload = (client: EasyHttpService, note: Note) => Promise<{ readonly status: number }>;

const byAxios =
  (body: (note: Note) => unknown, config: (note: Note) => object = () => ({})): Upload =>
  ({ axiosRef }, note) =>
    axiosRef.post('/files', body(note), { validateStatus: () => true, ...config(note) });

const byFetch =
  (body: (note: Note) => unknown): Upload =>
  ({ fetch }, note) =>
    fetch('/files', { method: 'POST', body: body(note), duplex: 'half' } as RequestInit);

const UPLOADED: readonly (readonly [string, Upload])[] = [
  ['a Node stream by axios', byAxios(nodeStream)],
  ['a web stream by axios', byAxios(webStream)],
  ['a Blob by axios', byAxios((note) => new ComputedBlob(note))],
  ['a Node stream by fetch', byFetch(nodeStream)],
  ['a web stream by fetch', byFetch(webStream)],
  ['an async iterable by fetch', byFetch(chunks)],
  ['a Blob by fetch', byFetch((note) => new ComputedBlob(note))],
  [
    'a Node stream by axios, with progress',
    byAxios(nodeStream, (note) => ({
      onUploadProgress: () => note('upload progress'),
      onDownloadProgress: () => note('download progress'),
    })),
  ],
];

function read(stream: Readable, note: Note): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', () => note('data'));
    stream.on('end', () => note('end'));
    stream.on('close', () => resolve(note('close')));
    stream.on('error', reject);
  });
}

type Download = (client: EasyHttpService, note: Note) => Promise<unknown>;

const DOWNLOADED: readonly (readonly [string, Download])[] = [
  [
    'a text',
    ({ axiosRef }, note) =>
      axiosRef.get('/plain', {
        validateStatus: () => (note('validateStatus'), true),
        transformResponse: (data: unknown) => (note('transformResponse'), data),
      }),
  ],
  ...['plain', 'gzip'].map((path): [string, Download] => [
    `a stream, ${path}`,
    async ({ axiosRef }, note) => {
      const { data } = await axiosRef.get<Readable>(`/${path}`, { responseType: 'stream' });
      await read(data, note);
    },
  ]),
  [
    'a body of fetch',
    async ({ fetch }, note) => {
      const { body } = await fetch('/gzip');
      await read(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), note);
    },
  ],
];

/** One for all tests: on Node 20, each slows down all work of the process that comes after it. */
const context = new AsyncLocalStorage<string>();
afterAll(() => context.disable());

/** Many calls of each tenant at the same time, and the events that ran in the context of another tenant. */
async function callsOfTenants<Result>(
  call: (note: Note) => Promise<Result>,
): Promise<{ results: Result[]; foreign: string[] }> {
  const foreign: string[] = [];
  let noted = 0;
  const calls = Array.from({ length: CALLS }, () => TENANTS)
    .flat()
    .map((tenant) =>
      context.run(tenant, () =>
        call((event) => {
          noted += 1;
          const found = context.getStore();
          if (found !== tenant) foreign.push(`${event} of ${tenant} in ${found}`);
        }),
      ),
    );
  const results = await Promise.all(calls);
  expect(noted).toBeGreaterThanOrEqual(calls.length);
  return { results, foreign };
}

const provider = await ProviderSimulator.start();
beforeEach(() => provider.reset());
afterAll(() => provider.close());

/** An application without a token: its first callers wait for one. */
async function start(httpOf: (ca: string) => HttpOptions): Promise<EasyHttpService> {
  const options = provider.options({ http: httpOf(provider.ca) });
  const { app } = await bootWith([ProviderAuthModule.forRoot(options)]);
  return app.get(EasyHttpService);
}

describe.each(TRANSPORTS)('on connections that callers share, %s', (_, httpOf) => {
  it.each(
    UPLOADED.flatMap(([name, upload]) => [
      [name, upload, 200] as const,
      [`${name}, answered early`, upload, 413] as const,
    ]),
  )(
    "B28: an upload runs code of its caller in that caller's async context: %s",
    async (__, upload, expected) => {
      const client = await start(httpOf);
      if (expected === 413) provider.api.early().status(413);
      const { results, foreign } = await callsOfTenants((note) => upload(client, note));
      expect(new Set(results.map(({ status }) => status))).toEqual(new Set([expected]));
      expect(foreign).toEqual([]);
    },
  );

  it.each(DOWNLOADED)(
    "B17: an answer runs code of its caller in that caller's async context: %s",
    async (__, call) => {
      const client = await start(httpOf);
      // It ends late, so that the calls of the tenants overlap.
      provider.api.handler(({ url = '' }, response) => {
        const isGzip = url.endsWith('/gzip');
        if (isGzip) response.setHeader('content-encoding', 'gzip');
        void turn().then(() => response.end(isGzip ? gzipSync(DOWNLOAD) : DOWNLOAD));
      });
      const { foreign } = await callsOfTenants((note) => call(client, note));
      expect(foreign).toEqual([]);
    },
  );
});

it('B28: a call that waits for a connection of undici starts in the context of its caller', async () => {
  const client = await start(() => ({ transport: undiciTransport({ connections: 1 }) }));
  const seen: unknown[] = [];
  const note = (message: unknown): void => {
    const { path } = (message as { request: { path: string } }).request;
    seen.push([path.slice(path.lastIndexOf('/')), context.getStore()]);
  };
  subscribe('undici:request:create', note);
  onTestFinished(() => void unsubscribe('undici:request:create', note));
  const paths = ['/first', '/second', '/third'];
  await Promise.all(paths.map((path) => context.run(path, () => client.axiosRef.get(path))));
  expect(seen).toEqual(paths.map((path) => [path, path]));
});
