import { gzipSync } from 'node:zlib';
import { AxiosHeaders, type AxiosResponse, CanceledError, isCancel } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import type { DirectSender, WireRequest } from '../../../lib/wire/wire-request.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { MemoryConnection } from '../../support/http/memory-connection.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** Creates a sender whose next request uses the connection. */
export type CreateSender = (connection: MemoryConnection) => DirectSender;

type Members = Partial<Omit<WireRequest, 'config' | 'cancellation'>>;

/** The reason with which a call ends its requests. */
const over = (): Error => Object.assign(new CanceledError(), { type: 'abort' });

const END_OF_HEAD = '\r\n\r\n';

const head = (...lines: string[]): string => ['HTTP/1.1 200 Fine', ...lines, '', ''].join('\r\n');

/** What every direct sender does (B16). The two transports differ only in what carries the bytes (B17). */
export function describeDirectSender(createSender: CreateSender): void {
  function send(settings: object = {}, members: Members = {}, cancellation = new Cancellation()) {
    const config = {
      headers: new AxiosHeaders(),
      validateStatus: (status: number) => status < 300,
      ...settings,
    };
    const connection = new MemoryConnection();
    const subscribed = vi.spyOn(cancellation, 'subscribe');
    const unsubscribed = vi.spyOn(cancellation, 'unsubscribe');
    const settlings: unknown[] = [];
    const noted = <T>(settling: T): T => {
      settlings.push(settling);
      return settling;
    };
    const result = new Promise<AxiosResponse>((resolve, reject) => {
      const headers = ['Accept', 'a/b', 'X-Own', 'one', 'Authorization', 'Bearer canary-token-1'];
      const request = { method: 'GET', path: '/v1/x?a=1', headers, body: null, ...members };
      createSender(connection).send(
        { ...request, config, cancellation },
        {
          resolve: (response) => resolve(noted(response)),
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error is what the sender gave
          reject: (error) => reject(noted(error)),
        },
      );
    });
    // Some tests look at the result later.
    result.catch(() => undefined);
    return {
      config,
      connection,
      cancellation,
      result,
      settlings,
      answer: async (...pieces: (string | Buffer)[]) => {
        await connection.receives(END_OF_HEAD);
        for (const piece of pieces) connection.write(piece);
      },
      /** How many listeners the sender has left behind. */
      listeners: () => subscribed.mock.calls.length - unsubscribed.mock.calls.length,
    };
  }

  it('B17: sends the line, the headers in their order, and the body', async () => {
    const body = Buffer.from('{"a":1}');
    const { connection, answer, result } = send({}, { method: 'POST', body });
    await answer(head('Content-Length: 0'));
    await result;
    const [sentHead = '', sentBody] = connection.received.split(END_OF_HEAD);
    const [line, ...lines] = sentHead.split('\r\n');
    expect(line).toBe('POST /v1/x?a=1 HTTP/1.1');
    const own = lines.filter((one) => /^(Accept|X-Own|Authorization|User-Agent):/.test(one));
    expect(own.map((one) => one.split(':')[0])).toEqual(['Accept', 'X-Own', 'Authorization', 'User-Agent']);
    expect(lines.map((one) => one.toLowerCase())).toContain('content-length: 7');
    expect(lines).toContain('Authorization: Bearer canary-token-1');
    expect(sentBody).toBe('{"a":1}');
  });

  it('B17: adds no header that the request has in another case', async () => {
    const headers = ['user-agent', 'own/1', 'ACCEPT-ENCODING', 'identity'];
    const { connection, answer, result } = send({}, { headers });
    await answer(head('Content-Length: 0'));
    await result;
    expect(connection.received.match(/^user-agent: .*$/gim)).toEqual(['user-agent: own/1']);
    expect(connection.received.match(/^accept-encoding: .*$/gim)).toEqual(['ACCEPT-ENCODING: identity']);
  });

  it('B17: resolves with the status, the headers, the text and the config of the call', async () => {
    const { config, answer, result } = send();
    await answer(head('X-One: 1', 'x-one: 2', 'Set-Cookie: a=1', 'Content-Length: 4'), 'Zür');
    const response = await result;
    expect(response).toMatchObject({ status: 200, statusText: 'Fine', data: 'Zür' });
    expect(response.config).toBe(config);
    expect(Object.fromEntries(Object.entries(response.headers))).toEqual({
      'x-one': '1, 2',
      'set-cookie': ['a=1'],
      'content-length': '4',
    });
    expect(Object.keys(response)).toEqual(['status', 'statusText', 'headers', 'config', 'request', 'data']);
  });

  it('B17: rejects if validateStatus of the caller refuses the status, and gives the response', async () => {
    const { answer, result } = send();
    await answer('HTTP/1.1 404 Gone\r\nContent-Length: 2\r\n\r\nno');
    expect(await errorOf(result)).toMatchObject({
      name: 'AxiosError',
      code: 'ERR_BAD_REQUEST',
      message: 'Request failed with status code 404',
      response: { status: 404, data: 'no' },
    });
  });

  it('B17: rejects with what validateStatus throws', async () => {
    const thrown = new RangeError('not a status');
    const { answer, result, listeners } = send({
      validateStatus: () => {
        throw thrown;
      },
    });
    await answer(head('Content-Length: 0'));
    expect(await errorOf(result)).toBe(thrown);
    expect(listeners()).toBe(0);
  });

  it('B12: gives bytes that share no memory with the head', async () => {
    const { answer, result } = send({ responseType: 'arraybuffer' });
    await answer(`${head('Content-Length: 4')}data`);
    const { data } = (await result) as { data: Buffer };
    expect(data.toString()).toBe('data');
    expect(data.buffer.byteLength).toBe(4);
  });

  describe('an encoded answer', () => {
    const encoded = gzipSync('a long text '.repeat(50));
    const lines = ['Content-Encoding: gzip', `Content-Length: ${encoded.length}`];

    it('B17: is decoded, and no longer names its encoding', async () => {
      const { answer, result } = send();
      await answer(head(...lines), encoded.subarray(0, 15), encoded.subarray(15));
      const { data, headers } = await result;
      expect(data).toBe('a long text '.repeat(50));
      expect(Object.keys(headers)).not.toContain('content-encoding');
    });

    it('B17: stays as it is with decompress: false', async () => {
      const { answer, result } = send({ decompress: false, responseType: 'arraybuffer' });
      await answer(head(...lines), encoded);
      const { data, headers } = await result;
      expect(data).toEqual(encoded);
      expect(headers['content-encoding']).toBe('gzip');
    });

    it('B17: counts against maxContentLength as it is after decoding', async () => {
      const { answer, result } = send({ maxContentLength: encoded.length + 1 });
      await answer(head(...lines), encoded);
      expect(await errorOf(result)).toMatchObject({
        message: `maxContentLength size of ${encoded.length + 1} exceeded`,
      });
    });

    it('B17: is an error if its bytes are no gzip', async () => {
      const { answer, result, listeners } = send();
      await answer(head('Content-Encoding: gzip', 'Content-Length: 5'), 'plain');
      expect(await errorOf(result)).toMatchObject({ code: 'Z_DATA_ERROR', response: { status: 200 } });
      expect(listeners()).toBe(0);
    });
  });

  describe('a size limit', () => {
    it('B17: allows an answer of exactly this size', async () => {
      const { answer, result } = send({ maxContentLength: 4 });
      await answer(head('Content-Length: 4'), 'four');
      expect((await result).data).toBe('four');
    });

    it('B17: ends a longer answer, and the connection, before the answer is complete', async () => {
      const { answer, result, connection, listeners } = send({ maxContentLength: 3 });
      await answer(head('Content-Length: 1000'), 'four');
      expect(await errorOf(result)).toMatchObject({
        name: 'AxiosError',
        code: 'ERR_BAD_RESPONSE',
        message: 'maxContentLength size of 3 exceeded',
      });
      await connection.closed;
      expect(listeners()).toBe(0);
    });
  });

  describe('an answer that is cut short', () => {
    it('B17: is an error that names the early end and has the head', async () => {
      const { answer, result, connection, settlings, listeners } = send();
      await answer(head('Content-Length: 1000'), 'part');
      connection.end();
      expect(await errorOf(result)).toMatchObject({
        code: 'ERR_BAD_RESPONSE',
        message: 'stream has been aborted',
        response: { status: 200, statusText: 'Fine' },
      });
      await connection.closed;
      expect(settlings).toHaveLength(1);
      expect(listeners()).toBe(0);
    });

    it('B17: is an error without a response if not even the head is complete', async () => {
      const { answer, result, connection, listeners } = send();
      await answer('HTTP/1.1 200 Fi');
      connection.end();
      const error = await errorOf(result);
      expect(error).toMatchObject({
        isAxiosError: true,
        code: expect.stringMatching(/^(ECONNRESET|HPE_)/) as string,
      });
      expect(error).not.toHaveProperty('response.status');
      expect(listeners()).toBe(0);
    });

    it('B17: is ECONNRESET if the server sends nothing', async () => {
      const { answer, result, connection } = send();
      await answer();
      connection.end();
      expect(await errorOf(result)).toMatchObject({ code: 'ECONNRESET', message: 'socket hang up' });
    });
  });

  describe('a call that ends before its answer', () => {
    it('B5: sends nothing if the call has ended before', async () => {
      const cancellation = new Cancellation();
      cancellation.cancel(over());
      const { result, connection, settlings } = send({}, {}, cancellation);
      expect(isCancel(await errorOf(result))).toBe(true);
      await settled();
      expect(connection.received).toBe('');
      expect(settlings).toHaveLength(1);
    });

    it.each([
      ['before the head', []],
      ['in the body', [head('Content-Length: 1000'), 'part']],
    ])('B5: ends its connection, %s, and is rejected once', async (_, pieces) => {
      const { answer, result, cancellation, connection, settlings, listeners } = send();
      await answer(...pieces);
      await settled();
      cancellation.cancel(over());
      expect(isCancel(await errorOf(result))).toBe(true);
      await connection.closed;
      expect(settlings).toHaveLength(1);
      expect(listeners()).toBe(0);
    });
  });

  describe('a streamed answer', () => {
    const streamed = { responseType: 'stream' };
    const LONG = Buffer.alloc(1024 * 1024, 'x');

    it('B17: comes with the head, and gives the bytes as they arrive', async () => {
      const { answer, result, listeners, connection } = send(streamed);
      await answer(head('Content-Length: 8'));
      const { data } = await result;
      if (!(data instanceof ReceivedBody)) throw new TypeError('This is no received body.');
      expect(data.isOver).toBe(false);
      connection.write('one ');
      expect((await data.next())?.toString()).toBe('one ');
      connection.write('two ');
      expect(Buffer.concat(await data.readWhole()).toString()).toBe('two ');
      expect(listeners()).toBe(0);
    });

    it('B13: waits for its reader, who then gets all bytes', async () => {
      const { answer, result, connection } = send(streamed);
      await answer(head(`Content-Length: ${LONG.length}`), LONG);
      const { data } = (await result) as { data: ReceivedBody };
      await expect.poll(() => connection.isPaused).toBe(true);
      expect(data.isOver).toBe(false);
      expect(Buffer.concat(await data.readWhole()).equals(LONG)).toBe(true);
      expect(connection.isPaused).toBe(false);
    });

    it('B17: fails for its reader if it is cut short', async () => {
      const { answer, result, connection, listeners } = send(streamed);
      await answer(head('Content-Length: 1000'), 'part');
      const { data } = (await result) as { data: ReceivedBody };
      connection.end();
      expect(await errorOf(data.readWhole())).toMatchObject({ code: 'ECONNRESET' });
      expect(listeners()).toBe(0);
    });

    it('B5: ends its connection if the reader wants no more', async () => {
      const { answer, result, connection, listeners } = send(streamed);
      await answer(head('Content-Length: 1000'), 'part');
      const { data } = (await result) as { data: ReceivedBody };
      data.cancel();
      await connection.closed;
      expect(listeners()).toBe(0);
    });

    it('B5: ends its connection if the reader of decoded bytes wants no more', async () => {
      const { answer, result, connection, listeners } = send(streamed);
      await answer(head('Content-Encoding: gzip', 'Content-Length: 1000'), gzipSync('part'));
      const { data } = (await result) as { data: ReceivedBody };
      data.cancel();
      await connection.closed;
      expect(listeners()).toBe(0);
    });

    it('B5: fails for its reader if the call ends', async () => {
      const { answer, result, cancellation, connection } = send(streamed);
      await answer(head('Content-Length: 1000'), 'part');
      const { data } = (await result) as { data: ReceivedBody };
      cancellation.cancel(over());
      expect(isCancel(await errorOf(data.readWhole()))).toBe(true);
      await connection.closed;
    });
  });
}
