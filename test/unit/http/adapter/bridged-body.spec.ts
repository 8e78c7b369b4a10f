import { EventEmitter, once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  bridgedBody,
  holdBody,
  isBodyError,
  markBodyError,
  OpenableBody,
} from '../../../../lib/http/adapter/request-body.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

function bridged(source: object): Readable {
  const body = bridgedBody(source);
  expect(body).toBeInstanceOf(Readable);
  expect(body).not.toBe(source);
  return body as Readable;
}

async function textOf(body: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}

describe('a bridge to a stream', () => {
  it.each<[string, () => Readable]>([
    ['of bytes', () => Readable.from([Buffer.from('one '), Buffer.from('two')])],
    ['of objects that are texts', () => Readable.from(['one ', 'two'])],
    ['that decodes', () => Readable.from([Buffer.from('one two')]).setEncoding('utf8')],
    ['that has ended writing', () => new PassThrough().end('one two')],
  ])('B28: passes on every byte of a stream %s', async (_, make) => {
    expect(await textOf(bridged(make()))).toBe('one two');
  });

  it('B28: passes on every byte of an old stream, which has little more than pipe', async () => {
    const source = Object.assign(new EventEmitter(), { pipe: () => undefined });
    const text = textOf(bridged(source));
    await turn();
    source.emit('data', 'one ');
    source.emit('data', Buffer.from('two'));
    source.emit('end');
    expect(await text).toBe('one two');
  });

  it('B28: stops and closes an old stream without the methods for that, and does not throw', async () => {
    const source = Object.assign(new EventEmitter(), { pipe: () => undefined });
    const body = bridged(source);
    body.read(1);
    // More than the bridge holds, so the bridge wants to pause the stream.
    for (let chunks = 0; chunks < 10; chunks += 1)
      expect(() => source.emit('data', Buffer.alloc(100_000))).not.toThrow();
    body.destroy();
    await once(body, 'close');
    expect(body.errored).toBeNull();
    expect(source.listenerCount('data')).toBe(0);
  });

  it('B28: does not touch the stream before a reader reads', async () => {
    const source = Readable.from(['x']);
    bridged(source);
    await turn();
    expect(source.listenerCount('data')).toBe(0);
    expect(source.readableFlowing).toBeNull();
    expect(source.readableDidRead).toBe(false);
  });

  it('B28: reads the stream no faster than its own reader', async () => {
    let made = 0;
    const source = new Readable({
      read() {
        made += 1;
        this.push(Buffer.alloc(1_000));
      },
    });
    const written: Buffer[] = [];
    const slow = new Writable({ write: (chunk: Buffer) => void written.push(chunk) });
    bridged(source).pipe(slow);
    for (let turns = 0; turns < 100; turns += 1) await turn();
    expect(written).toHaveLength(1);
    expect(made).toBeLessThan(250);
    expect(source.isPaused()).toBe(true);
    source.destroy();
  });

  it('B28: fails with the error of the stream', async () => {
    const source = new PassThrough();
    const failure = new Error('disk');
    const body = bridged(source);
    const failed = errorOf(once(body, 'never'));
    body.resume();
    source.destroy(failure);
    expect(await failed).toBe(failure);
  });

  it.each<[string, (source: PassThrough) => unknown]>([
    ['before it ends', (source) => source.destroy()],
    ['before the first read', (source) => source.emit('close')],
  ])('B28: closes without an end when the stream closes %s', async (_, close) => {
    const source = new PassThrough();
    const body = bridged(source);
    let ended = false;
    body.on('end', () => (ended = true));
    close(source);
    await once(body, 'close');
    expect(ended).toBe(false);
  });

  it('B28: closes at once for a closed stream, and fails for a failed stream', async () => {
    const closed = new PassThrough().destroy();
    await once(closed, 'close');
    await once(bridged(closed), 'close');
    const failure = new Error('disk');
    const failed = new PassThrough().on('error', () => undefined).destroy(failure);
    await turn();
    expect(await errorOf(once(bridged(failed), 'never'))).toBe(failure);
  });

  it('B28: is empty for a stream that was read before, as a pipe would be', async () => {
    const source = Readable.from(['x']);
    await source.toArray();
    expect(await textOf(bridged(source))).toBe('');
  });

  it('B12: closes the stream when the bridge is closed, without the reason', async () => {
    const source = new PassThrough();
    const errors: unknown[] = [];
    source.on('error', (error) => errors.push(error));
    const body = bridged(source).on('error', () => undefined);
    body.resume();
    await turn();
    body.destroy(new Error('It leads to the request.'));
    await once(source, 'close');
    expect(errors).toEqual([]);
    expect(source.errored).toBeNull();
    expect(source.listenerCount('data')).toBe(0);
  });

  it.each([
    ['arrives here, which must still be answered', 'POST', false],
    ['is an answer of another API', null, true],
  ])('B28: leaves or ends the connection of a message that %s', async (_, method, isEnded) => {
    const socket = new Socket();
    const source = Object.assign(new IncomingMessage(socket), { method });
    const body = bridged(source).resume();
    source.push('some');
    await once(body, 'data');
    body.destroy();
    await once(body, 'close');
    expect([source.destroyed, socket.destroyed]).toEqual([isEnded, isEnded]);
    expect(source.isPaused()).toBe(true);
  });

  it('B9: does not end the process when the stream fails and no code listens', async () => {
    const source = new PassThrough();
    bridged(source);
    source.destroy(new Error('disk'));
    await turn();
    expect(source.destroyed).toBe(true);
  });

  it('B28: fails for a chunk that cannot be sent', async () => {
    const body = bridged(Readable.from([{ no: 'bytes' }]));
    expect(await errorOf(textOf(body))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
  });
});

describe('a bridge to a web stream', () => {
  it('B28: passes on every byte, and locks the stream at the first read', async () => {
    const source = Readable.toWeb(Readable.from([Buffer.from('one '), Buffer.from('two')]));
    const body = bridgedBody(source) as ReadableStream<unknown>;
    expect(body).not.toBe(source);
    await turn();
    expect(source.locked).toBe(false);
    expect(await textOf(body as never)).toBe('one two');
  });

  it('B28: fails with the error of the stream, and for a stream that other code reads', async () => {
    const failure = new Error('disk');
    const failing = new ReadableStream({ start: (controller) => controller.error(failure) });
    expect(await errorOf(textOf(bridgedBody(failing) as never))).toBe(failure);
    const locked = new ReadableStream();
    locked.getReader();
    expect(await errorOf(textOf(bridgedBody(locked) as never))).toBeInstanceOf(TypeError);
  });

  it('B12: cancels the stream without the reason', async () => {
    const reasons: unknown[] = [];
    const make = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue('x'),
        cancel: (reason) => void reasons.push(reason),
      });
    const unread = bridgedBody(make()) as ReadableStream<unknown>;
    await unread.cancel(new Error('It leads to the request.'));
    const read = (bridgedBody(make()) as ReadableStream<unknown>).getReader();
    await read.read();
    await read.cancel(new Error('It leads to the request.'));
    expect(reasons).toEqual([undefined, undefined]);
  });

  it('B9: may be cancelled while other code reads the stream', async () => {
    const source = new ReadableStream();
    source.getReader();
    await expect((bridgedBody(source) as ReadableStream<unknown>).cancel()).resolves.toBeUndefined();
  });
});

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('one ');
  yield Buffer.from('two');
}

describe('a body', () => {
  it('B28: that is iterated gets our own iterator', async () => {
    const source = chunks();
    const body = bridgedBody(source) as AsyncIterable<unknown>;
    expect(body).not.toBe(source);
    expect(await textOf(body)).toBe('one two');
  });

  it.each([
    undefined,
    null,
    '',
    'text',
    1,
    Buffer.from('x'),
    new URLSearchParams('a=b'),
    new FormData(),
    new Blob([]),
  ])('B28: that is not read while it is sent needs no bridge: %s', (body) => {
    expect(bridgedBody(body)).toBe(body);
  });

  it('B28: of the form-data package is passed on unchanged, because adapters read its headers', () => {
    const form = Object.assign(new EventEmitter(), { pipe: () => undefined, getHeaders: () => ({}) });
    expect(bridgedBody(form)).toBe(form);
  });
});

describe('a request that ends before it has read its body', () => {
  it('B28: leaves the rest of a stream to the caller', async () => {
    const source = new PassThrough();
    const request = new PassThrough();
    bridged(source).pipe(request);
    source.write('sent');
    await once(request, 'data');
    request.destroy();
    await turn();
    expect(source.isPaused()).toBe(true);
    expect(source.destroyed).toBe(false);
    source.end(Buffer.alloc(300_000));
    source.resume();
    expect((await textOf(source)).length).toBe(300_000);
    expect(source.listenerCount('data')).toBe(0);
  });
});

describe('a stream with the methods of a form', () => {
  it('B12 B28: is bridged, and the bridge has the same methods', async () => {
    const form = Object.assign(new PassThrough(), {
      boundary: 'b',
      getHeaders() {
        return { 'content-type': `multipart/form-data; boundary=${this.boundary}` };
      },
      getLength: (done: (error: null, length: number) => void) => done(null, 4),
      toString: () => 'a form',
      [Symbol.toStringTag]: 'FormData',
    });
    form.end('body');
    const body = bridged(form) as typeof form;
    expect(body.getHeaders()).toEqual(form.getHeaders());
    expect(await promisify(body.getLength)()).toBe(4);
    expect(String(body)).toBe('a form');
    expect(Object.prototype.toString.call(body)).toBe('[object FormData]');
    expect(await textOf(body)).toBe('body');
  });
});

it('B28: a stream with headers but without a length gets no length', () => {
  const form = Object.assign(new PassThrough(), { getHeaders: () => ({}) });
  expect(bridged(form)).not.toHaveProperty('getLength');
});

describe('B9: a listener for errors of a body', () => {
  it('B9: is added once, also to an old stream that does not show its listeners', () => {
    const source = new PassThrough();
    holdBody(source);
    holdBody(source);
    expect(source.listenerCount('error')).toBe(1);
    const names: unknown[] = [];
    holdBody({ pipe: () => undefined, on: (name: string) => void names.push(name) });
    expect(names).toEqual(['error']);
  });

  it.each([
    ['no stream', { on: () => expect.unreachable() }],
    ['a stream without events', { pipe: () => undefined }],
    ['no body', undefined],
  ])('B9: is not added to %s', (_, body) => {
    expect(() => holdBody(body)).not.toThrow();
  });
});

/** The stream that a bridge has opened, which then fails. */
function openedFor(error: Error): Readable {
  return bridgedBody(new OpenableBody(true, () => Readable.from(failingWith(error)))) as Readable;
}

/** A body fails with this error while it is sent. */
async function* failingWith(error: Error): AsyncGenerator<string> {
  yield 'one';
  throw error;
}

describe('B29: an error of the body of the caller', () => {
  it.each<[string, (error: Error) => unknown]>([
    ['a stream', (error) => (holdBody(new PassThrough().destroy(error)), turn())],
    ['what opens a stream', (error) => openedFor(error).destroy(error)],
    ['a web stream', (error) => errorOf(textOf(bridgedBody(Readable.toWeb(openedFor(error))) as never))],
    ['an iterator', (error) => errorOf(textOf(bridgedBody(failingWith(error)) as never))],
  ])('B29: is known as such, also as a cause: by %s', async (_, fail) => {
    const error = new Error('disk');
    expect(isBodyError(error)).toBe(false);
    await fail(error);
    await expect.poll(() => isBodyError(error)).toBe(true);
    expect(isBodyError(new Error('of the adapter', { cause: error }))).toBe(true);
    expect(isBodyError(new Error('of the adapter', { cause: new Error('disk') }))).toBe(false);
  });

  it.each([undefined, null, 'text', 1])('B29: may be any value, and is not known then: %s', (error) => {
    expect(markBodyError(error)).toBe(error);
    expect([isBodyError(error), isBodyError(new Error('x', { cause: error }))]).toEqual([false, false]);
  });
});

const count = (body: Readable): unknown => body.on('data', () => undefined);

describe('B28: a stream after the end of a call that has not read it', () => {
  it.each<[string, (body: Readable) => unknown, (body: Readable) => unknown, boolean | null]>([
    ['waits for a listener', () => undefined, () => undefined, null],
    ['goes on for the listener that it has got', () => undefined, count, true],
    ['goes on as before', (body) => body.resume(), () => undefined, true],
    ['goes on that other code has resumed', () => undefined, (body) => body.resume(), true],
    ['stays paused that was paused', (body) => body.pause(), () => undefined, false],
  ])('B28: %s', (_, before, during, flowing) => {
    const body = new PassThrough();
    before(body);
    const release = holdBody(body);
    expect(body.readableFlowing).toBe(false);
    during(body);
    release?.();
    expect(body.readableFlowing).toBe(flowing);
  });
});
