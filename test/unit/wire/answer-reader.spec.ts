import { deflateSync, gzipSync } from 'node:zlib';
import { AxiosHeaders, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { AnswerReader, headersOf, joined } from '../../../lib/wire/answer-reader.js';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import type { Outcome } from '../../../lib/wire/outgoing.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const SHOWN = { method: 'GET', path: '/x' };
const TEXT = 'a long text '.repeat(50);

function waitFor(settings: object = {}, method = 'GET') {
  const cancellation = new Cancellation();
  const config: InternalAxiosRequestConfig = {
    headers: new AxiosHeaders(),
    ...settings,
  };
  const source = { shown: SHOWN, resume: vi.fn<() => void>(), abort: vi.fn<(error?: Error) => void>() };
  const settlings: Outcome[] = [];
  let settle!: (outcome: unknown) => void;
  const outcome = new Promise<unknown>((resolve) => (settle = resolve));
  const note = (settling: Outcome): void => {
    settlings.push(settling);
    settle(settling);
  };
  const unsubscribed = vi.spyOn(cancellation, 'unsubscribe');
  const reader = new AnswerReader({ method, config, cancellation, isRepeatable: true }, note, source);
  reader.watchCall();
  return {
    reader,
    source,
    config,
    cancellation,
    settlings,
    outcome,
    unsubscribed,
    /** The answer of a call that has succeeded. */
    response: () => settlings.at(-1)?.response as AxiosResponse<unknown>,
    /** The error of a call that has failed. */
    failure: () => settlings.at(-1)?.error,
    head: (headers: Record<string, string> = {}, status = 200) =>
      reader.head(status, 'Fine', new AxiosHeaders(headers)),
    /** The body of an answer that the caller reads while it arrives. */
    streamed: () => settlings.at(-1)?.response?.data as ReceivedBody,
  };
}

function answered(settings: object, chunks: readonly (string | Buffer)[], headers = {}) {
  const call = waitFor(settings);
  call.head(headers);
  for (const chunk of chunks) call.reader.data(Buffer.from(chunk as string));
  call.reader.arrived();
  return call;
}

describe('an answer that arrives complete', () => {
  it('B5: no longer watches the call, and ignores what comes later', () => {
    const call = answered({}, ['text']);
    expect(call.unsubscribed).toHaveBeenCalledOnce();
    call.cancellation.cancel(new Error('late'));
    call.reader.failed(new Error('late'));
    call.reader.fail(new Error('late'));
    call.reader.cutShort();
    call.reader.arrived();
    expect(call.reader.data(Buffer.from('late'))).toBe(true);
    expect(call.settlings).toHaveLength(1);
    expect(call.source.abort).not.toHaveBeenCalled();
  });

  it('B12 B17: gives bytes with their mark, which share no memory with the head', () => {
    const { data } = answered({ responseType: 'arraybuffer' }, [MARK, 'data']).response();
    if (!Buffer.isBuffer(data)) throw new TypeError('These are no bytes.');
    expect(data.equals(Buffer.concat([MARK, Buffer.from('data')]))).toBe(true);
    expect(data.buffer.byteLength).toBe(7);
  });
});

describe('an encoded answer', () => {
  it('B13: ends the exchange if bytes follow what it decodes', async () => {
    const call = waitFor();
    call.head({ 'content-encoding': 'deflate' });
    call.reader.data(Buffer.concat([deflateSync(TEXT), Buffer.from('more')]));
    await call.outcome;
    expect(call.response().data).toBe(TEXT);
    expect(call.source.abort).toHaveBeenCalledOnce();
    expect(call.unsubscribed).toHaveBeenCalledOnce();
  });

  it('B12: of a call that ended is not decoded further', () => {
    const call = waitFor();
    call.head({ 'content-encoding': 'gzip' });
    const bytes = gzipSync(TEXT);
    call.reader.data(bytes.subarray(0, 12));
    call.cancellation.cancel(new Error('over'));
    expect(call.reader.data(bytes.subarray(12))).toBe(true);
    expect(call.settlings).toHaveLength(1);
  });
});

describe('the head of an answer', () => {
  it.each([
    ['GET', 200, 'unknown'],
    ['HEAD', 200, undefined],
    ['GET', 204, undefined],
  ])('B17: to %s with the status %i keeps its unknown encoding: %s', (method, status, encoding) => {
    const call = waitFor({}, method);
    call.head({ 'content-encoding': 'unknown' }, status);
    call.reader.arrived();
    expect(call.response().headers['content-encoding']).toBe(encoding);
  });

  it('B13: of a redirect that is followed is enough', () => {
    const call = waitFor({ maxRedirects: 1 });
    call.head({ location: '/v1/b' }, 302);
    expect(call.streamed()).toBeInstanceOf(ReceivedBody);
  });
});

describe('a call that ends before its answer', () => {
  it('B5: is rejected with its reason, and ends the exchange with it', () => {
    const call = waitFor();
    call.head();
    const reason = new CanceledError();
    call.cancellation.cancel(reason);
    expect(call.failure()).toBe(reason);
    expect(call.source.abort.mock.calls).toEqual([[reason]]);
    expect(call.reader.isOver).toBe(true);
    expect(call.unsubscribed).toHaveBeenCalledOnce();
  });

  it('B35: because the source fails, is no failure of its body', () => {
    const call = waitFor();
    call.reader.failed(new Error('reset'));
    expect(call.settlings).toMatchObject([{ isOfBody: false }]);
  });

  it('B12: shows the request in place of a reason with a type', () => {
    const call = waitFor();
    const reason = Object.assign(new Error('hidden'), { type: 'abort' });
    call.cancellation.cancel(reason);
    const error = call.failure();
    expect(error).not.toBe(reason);
    expect(error).toMatchObject({
      name: 'CanceledError',
      message: 'canceled',
      config: call.config,
      request: SHOWN,
    });
  });

  it('B5: fails a stream with the reason, which may be no object', async () => {
    const call = waitFor({ responseType: 'stream' });
    call.head();
    call.cancellation.cancel('over' as unknown as Error);
    expect(await errorOf(call.streamed().next())).toBe('over');
    expect(call.source.abort).toHaveBeenCalledOnce();
  });
});

describe('an answer that the caller reads while it arrives', () => {
  it.each([[{}], [{ 'content-encoding': 'gzip' }]])(
    'B5: with the headers %j, ends the exchange if the reader wants no more',
    (headers) => {
      const call = waitFor({ responseType: 'stream' });
      call.head(headers);
      call.streamed().cancel();
      expect(call.source.abort).toHaveBeenCalledOnce();
      expect(call.reader.isOver).toBe(true);
    },
  );

  it('B13: lets the source wait for its reader, and go on', async () => {
    const call = waitFor({ responseType: 'stream' });
    call.head();
    const body = call.streamed();
    expect(call.reader.data(Buffer.alloc(1024 * 1024))).toBe(false);
    expect(call.source.resume).not.toHaveBeenCalled();
    await body.next();
    expect(call.source.resume).toHaveBeenCalledOnce();
  });
});

describe('the bytes of an answer', () => {
  it('B16: are not copied if they came in one piece', () => {
    const [one, other] = [Buffer.from('one '), Buffer.from('other')];
    expect(joined([one])).toBe(one);
    expect(joined([one, other]).toString()).toBe('one other');
    expect(joined([])).toHaveLength(0);
  });
});

describe('the headers of an answer', () => {
  it('B17: are those that axios makes', () => {
    const received = {
      'x-plain': 'a b',
      'x-inner-tab': 'a\tb',
      'x-space-before': ' a',
      'x-space-after': 'a ',
      'x-tab-before': '\ta',
      'x-tab-after': 'a\t',
      'x-control': 'a\u0000b\u001fc\u007fd',
      'x-empty': '',
      'set-cookie': ['a=1', 'b=2'],
    };
    const headers = headersOf(received);
    expect(headers).toBeInstanceOf(AxiosHeaders);
    expect(Object.entries(headers)).toEqual(Object.entries(new AxiosHeaders(received)));
    expect(headers.get('X-Plain')).toBe('a b');
  });

  it('B17: leave out headers without a value, and never touch the prototype', () => {
    const received = Object.fromEntries([
      ['x-none', undefined],
      ['__proto__', ['polluted']],
      ['x-one', '1'],
    ]) as NodeJS.Dict<string | string[]>;
    const headers = headersOf(received);
    expect(Object.keys(headers)).toEqual(['x-one']);
    expect(Object.hasOwn(headers, '__proto__')).toBe(false);
    expect(headers).toBeInstanceOf(AxiosHeaders);
  });
});
