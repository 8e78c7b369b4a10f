import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { Socket } from 'node:net';
import { Duplex, PassThrough, Readable, Stream } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AxiosHeaders, type AxiosProgressEvent } from 'axios';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { endStream } from '../../../lib/wire/chunks.js';
import { sendByHttps } from '../../../lib/wire/https-source.js';
import type { Outcome, Outgoing } from '../../../lib/wire/outgoing.js';
import { holdUpload, isSentAtOnce, uploadOf } from '../../../lib/wire/upload.js';
import { type LoopbackClient, openLoopbackClient } from '../../support/http/loopback-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

let client: LoopbackClient;

beforeAll(async () => {
  client = await openLoopbackClient();
  return client.close;
});

const KIB = 1024;
const MIB = 1024 * KIB;

/** A body without an end, and whether its reader has ended it. */
function endless() {
  const stream = new Readable({ read: () => void stream.push(Buffer.alloc(64 * KIB)) });
  let isOver = false;
  async function* iterate(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.alloc(64 * KIB);
    } finally {
      isOver = true;
    }
  }
  const web = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * KIB)),
    cancel: () => void (isOver = true),
  });
  return { stream, web, iterable: iterate(), isOver: () => isOver || stream.destroyed };
}

const asIs = { transformRequest: [] };

describe('an upload that the server answers before its end', () => {
  it.each(['stream', 'web', 'iterable'] as const)('B4: has this answer, and ends the %s', async (kind) => {
    const { ours, server } = client;
    const body = endless();
    server.onHeaders = (_, response) => void response.writeHead(413).end('too large');
    const error = await errorOf(ours.post('/uploads', body[kind], asIs));
    server.onHeaders = undefined;
    expect(error).toMatchObject({ response: { status: 413, data: 'too large' } });
    await expect.poll(body.isOver).toBe(true);
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('B4: ends with its call, whose caller aborts', async () => {
    const { ours, server } = client;
    const body = endless();
    const abort = new AbortController();
    server.onHeaders = () => abort.abort();
    expect(await errorOf(ours.post('/uploads', body.stream, { signal: abort.signal }))).toMatchObject({
      code: 'ERR_CANCELED',
    });
    server.onHeaders = undefined;
    await expect.poll(body.isOver).toBe(true);
  });

  it('B28: ends no request that the application still has to answer', () => {
    const inbound = Object.assign(new IncomingMessage(new Socket()), { method: 'POST' });
    const answer = new IncomingMessage(new Socket());
    // The oldest kind of stream cannot be ended.
    for (const stream of [inbound, answer, new Stream() as Readable]) endStream(stream);
    expect([inbound.destroyed, answer.destroyed]).toEqual([false, true]);
  });
});

describe('an upload that fails', () => {
  it('B4: for a chunk that is neither text nor bytes', async () => {
    const { ours, server } = client;
    server.seen = [];
    expect(await errorOf(ours.post('/uploads', Readable.from([7]), asIs))).toMatchObject({
      message: 'A chunk of the body is neither text nor bytes.',
      request: { method: 'POST', path: '/v1/uploads' },
    });
    expect(server.seen).toEqual([]);
  });

  it('B17: if its stream is longer than maxBodyLength', async () => {
    const { ours } = client;
    const limited = { maxBodyLength: 3 };
    expect(await errorOf(ours.post('/uploads', Readable.from(['fo', 'ur']), limited))).toMatchObject({
      code: 'ERR_BAD_REQUEST',
      message: 'Request body larger than maxBodyLength limit',
    });
    expect((await ours.post('/uploads', Readable.from(['fo']), limited)).status).toBe(200);
  });
});

describe('the code of the caller', () => {
  it.each<[string, () => unknown, number | undefined]>([
    ['bytes', () => Buffer.alloc(300 * KIB), 300 * KIB],
    ['a stream', () => Readable.from([Buffer.alloc(300 * KIB)]), undefined],
  ])('B17: hears of the progress of %s, and of its end', async (_, make, total) => {
    const { ours, server } = client;
    server.handler = (_request, response) => void response.end(Buffer.alloc(200 * KIB));
    const up: AxiosProgressEvent[] = [];
    const down: AxiosProgressEvent[] = [];
    await ours.post('/uploads', make(), {
      onUploadProgress: (event) => void up.push(event),
      onDownloadProgress: (event) => void down.push(event),
    });
    expect(up.at(-1)).toMatchObject({
      loaded: 300 * KIB,
      total,
      upload: true,
      lengthComputable: total !== undefined,
    });
    expect(down.at(-1)).toMatchObject({ loaded: 200 * KIB, total: 200 * KIB, progress: 1, download: true });
    for (const events of [up, down]) {
      expect(events.length).toBeLessThanOrEqual(4);
      expect(events.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(events.at(-1)?.loaded);
    }
  });

  it('B13: waits while the server does not read', async () => {
    const { ours, server } = client;
    let read = 0;
    const stream = new Readable({
      read: () => {
        read += 64 * KIB;
        stream.push(read > 40 * MIB ? null : Buffer.alloc(64 * KIB));
      },
    });
    let go: (() => void) | undefined;
    server.onHeaders = (request, response) => {
      go = () => void request.resume().once('end', () => response.end());
    };
    const call = ours.post('/uploads', stream);
    await expect.poll(() => go).toBeDefined();
    let before = -1;
    await vi.waitUntil(() => {
      const isSame = read === before;
      before = read;
      return isSame;
    }, 20_000);
    expect(read).toBeLessThan(30 * MIB);
    go?.();
    server.onHeaders = undefined;
    expect((await call).status).toBe(200);
    await (stream.closed || once(stream, 'close'));
  });
});

const onUploadProgress = vi.fn<(event: AxiosProgressEvent) => void>();

function sent(body: unknown, config: object = {}, headers: readonly string[] = []): Outgoing {
  return { body, config: { headers: new AxiosHeaders(), ...config }, headers } as Outgoing;
}

async function sizesOf(outgoing: Outgoing): Promise<number[]> {
  const upload = uploadOf(outgoing);
  const sizes: number[] = [];
  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) sizes.push(chunk.length);
  return sizes;
}

describe('the bytes of one attempt', () => {
  it('B16: are sent at once, unless they are read or the caller sees their progress', () => {
    const [bytes, read] = [Buffer.from('a'), Readable.from('a')];
    const all = [sent(null), sent(bytes), sent(read), sent(bytes, { onUploadProgress })];
    expect(all.map(isSentAtOnce)).toEqual([true, true, false, false]);
  });

  it.each<[unknown, number | undefined, number[] | undefined]>([
    [null, 0, []],
    [Buffer.alloc(128 * KIB), undefined, [64 * KIB, 64 * KIB]],
    [Buffer.alloc(2), 2, [2]],
    [Buffer.alloc(2), 1, undefined],
    [Buffer.alloc(1), 0, undefined],
  ])('B17: come in pieces, up to maxBodyLength: %#', async (body, maxBodyLength, sizes) => {
    const outcome = sizesOf(sent(body, { maxBodyLength }));
    expect(await outcome.catch(() => undefined)).toEqual(sizes);
  });

  it.each([
    [0, 'all', 'a', undefined],
    [1, 'not all', 7, true],
  ])('B4 B35: close their iterable %i times if %s are sent', async (times, _, chunk, isOfBody) => {
    const chunks = [chunk];
    const ended = vi.fn<() => void>();
    const next = async () => ({ done: chunks.length === 0, value: chunks.pop() });
    const body = { [Symbol.asyncIterator]: () => ({ next, return: ended }) };
    const { url, ca } = client.server;
    const parts = { method: 'POST', url: new URL(url), path: '/', cancellation: new Cancellation() };
    let closed: Promise<unknown> | undefined;
    const outcome = await new Promise<Outcome>((resolve) =>
      sendByHttps({ ...sent(body), ...parts }, resolve, new Agent({ ca }), (request) => {
        closed = new Promise((close) => request.once('close', close));
      }),
    );
    await closed;
    expect([ended.mock.calls.length, outcome.isOfBody]).toEqual([times, isOfBody]);
  });

  it('B28: leave a duplex stream open, whose application may still write to it', async () => {
    const duplex = new Duplex({ read: () => void duplex.push(null) });
    expect(await sizesOf(sent(duplex))).toEqual([]);
    await setImmediate();
    expect(duplex.destroyed).toBe(false);
  });

  it.each([
    [['content-LENGTH', '4'], 4],
    [['X-Names', 'content-length', 'Content-Length', '4'], 4],
    [['7', '8'], undefined],
  ])('B17: with the headers %j, have the total %j', async (headers, total) => {
    await sizesOf(sent(Buffer.alloc(4), { onUploadProgress }, headers));
    expect(onUploadProgress.mock.lastCall).toMatchObject([{ total }]);
  });
});

type Act = (body: PassThrough) => unknown;
const nothing: Act = () => undefined;
const listen: Act = (body) => body.on('data', () => undefined);
const flow: Act = (body) => body.resume();

describe('a stream that waits for its request', () => {
  it.each([
    [nothing, nothing, null],
    [nothing, listen, true],
    [nothing, flow, true],
    [flow, nothing, true],
  ])('B28: flows afterwards as it would have flowed: %#', (before, meanwhile, flows) => {
    const body = new PassThrough();
    before(body);
    const release = holdUpload(body);
    expect(body.isPaused()).toBe(true);
    meanwhile(body);
    release?.();
    expect(body.readableFlowing).toBe(flows);
  });

  it.each([null, { pipe() {} }, { pipe() {}, on() {} }, new PassThrough().pause()])(
    'B28: is not held if it is none, or waits anyway: %#',
    (body) => expect(holdUpload(body)).toBeUndefined(),
  );
});
