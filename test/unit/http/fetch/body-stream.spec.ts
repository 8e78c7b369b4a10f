import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { responseBody, streamOf } from '../../../../lib/http/fetch/body-stream.js';
import type { StreamedBody } from '../../../../lib/http/redaction/sealed-stream.js';
import { ReceivedBody } from '../../../../lib/wire/received-body.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { collectGarbage } from '../../../support/run/collect-garbage.js';

const REASON = new Error('of the caller');
const MOST_WAITING = 64 * 1024;

/** A body, and how its source is used. */
function given() {
  const source = { resume: vi.fn<() => void>(), closed: vi.fn<(isComplete: boolean) => void>() };
  return { ...source, body: new ReceivedBody(source) };
}

interface Sealed {
  readonly body: ReturnType<typeof responseBody>;
  readonly ended: ReturnType<typeof vi.fn>;
}

const clean = ({ message }: Error): Error => Object.assign(new Error(`clean ${message}`), { code: 'ECUT' });

function sealed(source: StreamedBody, signal?: AbortSignal): Sealed {
  const ended = vi.fn<() => void>();
  return { body: responseBody(source, { clean, ended }, signal, {}), ended };
}

async function textOf(body: ReturnType<typeof responseBody>): Promise<string> {
  if (body instanceof ReceivedBody) return Buffer.concat(await body.readWhole()).toString();
  return new Response(body as ReadableStream<Uint8Array>).text();
}

const SOURCES = {
  'a received body': () => {
    const { body } = given();
    return {
      source: body,
      send: (text: string) => void body.push(Buffer.from(text)),
      end: () => void body.push(null),
      fail: (error: Error) => body.destroy(error),
    };
  },
  'a stream of Node': () => {
    const source = new PassThrough();
    return {
      source,
      send: (text: string) => void source.write(text),
      end: () => void source.end(),
      fail: (error: Error) => void source.destroy(error),
    };
  },
  'a web stream': () => {
    let of: ReadableStreamDefaultController | undefined;
    const source = new ReadableStream({ start: (controller) => void (of = controller) });
    return {
      source,
      send: (text: string) => of?.enqueue(Buffer.from(text)),
      end: () => of?.close(),
      fail: (error: Error) => of?.error(error),
    };
  },
} satisfies Record<string, () => { source: StreamedBody } & Record<'send' | 'end' | 'fail', unknown>>;

describe.each(Object.entries(SOURCES))('the body of a Response, from %s', (_, make) => {
  it('B21: has the bytes, and says once that it has ended', async () => {
    const { source, send, end } = make();
    const { body, ended } = sealed(source);
    const text = textOf(body);
    send('ab');
    send('c');
    await settled();
    expect(ended).not.toHaveBeenCalled();
    end();
    expect(await text).toBe('abc');
    expect(ended).toHaveBeenCalledOnce();
  });

  it('B21 B12: breaks off with a TypeError, whose cause is clean', async () => {
    const { source, fail } = make();
    const { body, ended } = sealed(source, new AbortController().signal);
    const error = errorOf(textOf(body));
    fail(new Error('cut'));
    expect(await error).toEqual(
      new TypeError('terminated', { cause: Object.assign(new Error('clean cut'), { code: 'ECUT' }) }),
    );
    expect((await error) as Error).toMatchObject({ cause: { message: 'clean cut', code: 'ECUT' } });
    expect(ended).toHaveBeenCalledOnce();
  });

  it('B21 B5: breaks off with the reason of a caller who aborts', async () => {
    const { source, fail } = make();
    const { body } = sealed(source, AbortSignal.abort(REASON));
    const error = errorOf(textOf(body));
    fail(new Error('aborted'));
    expect(await error).toBe(REASON);
  });
});

describe('the body of a Response', () => {
  it('B21: is the received body itself, which needs no stream', () => {
    const { body } = given();
    expect(sealed(body).body).toBe(body);
  });

  it('B21 B5: fails with the reason of a caller who aborts when all bytes are there', async () => {
    const { body: source } = given();
    source.push(Buffer.from('a'));
    source.push(null);
    const caller = new AbortController();
    const { body } = sealed(source, caller.signal);
    caller.abort(REASON);
    expect(await errorOf(textOf(body))).toBe(REASON);
  });

  it('B21: ends the stream of Node that it comes from if it is cancelled', () => {
    const source = new PassThrough();
    (sealed(source).body as ReceivedBody).cancel();
    expect(source.destroyed).toBe(true);
  });
});

describe('the web stream of a body', () => {
  it('B21: reads nothing ahead, so the API waits for a slow reader', async () => {
    const { body, resume } = given();
    body.push(Buffer.alloc(MOST_WAITING));
    const reader = streamOf(body).getReader();
    await settled();
    expect(resume).not.toHaveBeenCalled();
    expect((await reader.read()).value).toHaveLength(MOST_WAITING);
    expect(resume).toHaveBeenCalledOnce();
  });

  it('B12: has copies of the chunks', async () => {
    const { body } = given();
    const chunk = Buffer.from('ab');
    body.push(chunk);
    const { value } = await streamOf(body).getReader().read();
    expect(value).toEqual(Uint8Array.from([97, 98]));
    expect(value?.buffer.byteLength).toBe(2);
    expect(chunk.toString()).toBe('ab');
  });

  it('B21: fails with the error of the body', async () => {
    const { body } = given();
    body.destroy(REASON);
    expect(await errorOf(streamOf(body).getReader().read())).toBe(REASON);
  });

  it.each(['default', 'byob'])('B21: ends with the body for a reader of the kind %s', async (mode) => {
    const { body, closed } = given();
    body.push(Buffer.from('a'));
    const stream = streamOf(body);
    const reader = mode === 'byob' ? stream.getReader({ mode }) : stream.getReader();
    const read = (): Promise<{ done: boolean; value?: Uint8Array | undefined }> =>
      reader.read(new Uint8Array(4));
    expect(await read()).toEqual({ done: false, value: Uint8Array.from([97]) });
    const last = read();
    await settled();
    body.push(null);
    expect(await last).toMatchObject({ done: true });
    expect(closed.mock.calls).toEqual([[true]]);
  });

  it('B21: ends the request if its reader cancels', async () => {
    const { body, closed } = given();
    await streamOf(body).cancel();
    expect(closed.mock.calls).toEqual([[false]]);
  });
});

describe('a body that no code can read any more', () => {
  it('B21: ends its request, but not while its stream lives', async () => {
    const [read, unread] = [given(), given()];
    // In its own function: the last values of this function stay on its stack.
    const make = (): ReadableStream => {
      streamOf(unread.body);
      return streamOf(read.body) as ReadableStream;
    };
    const stream = make();
    await vi.waitFor(
      () => {
        collectGarbage();
        expect(unread.closed.mock.calls).toEqual([[false]]);
      },
      { timeout: 8_000, interval: 10 },
    );
    expect(read.closed).not.toHaveBeenCalled();
    expect(stream.locked).toBe(false);
  });

  it.each([true, false])('B21: is watched, unless all of it is there: %s', (isOver) => {
    const register = vi.spyOn(FinalizationRegistry.prototype, 'register');
    const { body } = given();
    if (isOver) body.push(null);
    const stream = streamOf(body);
    expect(register.mock.calls).toEqual(isOver ? [] : [[stream, body]]);
  });
});
