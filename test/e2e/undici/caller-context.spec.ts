import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { AxiosInstance } from 'axios';
import { describe, expect, it } from 'vitest';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import { systemClock } from '../../../lib/time/clock.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { FakeTokens, HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { transportClient } from '../../support/http/transport-client.js';

const TENANTS = ['a', 'b', 'c', 'd'];
const CALLS = 5;

/** Streams end late, so that the calls of the tenants overlap. */
const BODY = Buffer.alloc(100_000, 'x');

interface Clients {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
}

type Note = (event: string) => void;

/** Makes one call, and notes each place where code of the caller runs. */
type Call = (clients: Clients, note: Note) => Promise<unknown>;

function read(stream: Readable, note: Note): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', () => note('data'));
    stream.on('end', () => note('end'));
    stream.on('close', () => resolve(note('close')));
    stream.on('error', reject);
  });
}

const streamed =
  (path: string): Call =>
  async ({ axios }, note) => {
    const { data } = await axios.get<Readable>(path, {
      responseType: 'stream',
      validateStatus: () => (note('validateStatus'), true),
    });
    await read(data, note);
  };

const CALLED: readonly (readonly [string, Call])[] = [
  [
    'axios',
    ({ axios }, note) =>
      axios.get('/plain', {
        validateStatus: () => (note('validateStatus'), true),
        transformResponse: (data: unknown) => (note('transformResponse'), data),
      }),
  ],
  ['a stream', streamed('/plain')],
  ['a decoded stream', streamed('/gzip')],
  [
    'fetch',
    async ({ fetch }, note) => {
      const { body } = await fetch('/gzip');
      await read(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), note);
    },
  ],
];

async function clientsWith(): Promise<Clients> {
  const { server } = await transportClient();
  server.handler = (request, response) => {
    const isGzip = request.url === '/gzip';
    if (isGzip) response.setHeader('content-encoding', 'gzip');
    void pause(5).then(() => response.end(isGzip ? gzipSync(BODY) : BODY));
  };
  return createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: server.url },
    http: { ...HTTP_DEFAULTS, transport: undiciTransport({ connections: 2, connect: { ca: server.ca } }) },
    tokens: new FakeTokens(systemClock),
    clock: systemClock,
  });
}

it.each(CALLED)(
  "B17: code of a caller runs in that caller's async context, on connections that callers share: %s",
  async (_, call) => {
    const clients = await clientsWith();
    const context = new AsyncLocalStorage<string>();
    const foreign: string[] = [];
    let noted = 0;
    const calls = TENANTS.flatMap((tenant) =>
      Array.from({ length: CALLS }, () =>
        context.run(tenant, () =>
          call(clients, (event) => {
            noted += 1;
            const found = context.getStore();
            if (found !== tenant) foreign.push(`${event} of ${tenant} in ${found}`);
          }),
        ),
      ),
    );
    await Promise.all(calls);
    expect(foreign).toEqual([]);
    expect(noted).toBeGreaterThanOrEqual(calls.length);
  },
);

describe('a streamed response', () => {
  it.each(['stream', 'arraybuffer'] as const)(
    'B12: shares no memory with its head, which may repeat the token: %s',
    async (responseType) => {
      const { server, client } = await transportClient();
      // The head and the body arrive in one piece.
      server.handler = (_, response) =>
        void response.writeHead(200, { 'content-length': '2', 'x-seen': 'canary' }).end('ok');
      const { data } = await client.get<Readable | Buffer>('/', { responseType });
      const chunks = (await Readable.from(data).toArray()) as Buffer[];
      expect(Buffer.concat(chunks).toString()).toBe('ok');
      expect(chunks.map(({ buffer }) => Buffer.from(buffer).includes('canary'))).toEqual([false]);
    },
  );
});
