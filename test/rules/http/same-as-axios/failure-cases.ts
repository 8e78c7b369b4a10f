import type { Socket } from 'node:net';
import zlib from 'node:zlib';
import axios, { type AxiosRequestConfig } from 'axios';
import type { WireHandler } from '../../../support/http/wire-server.js';
import { type Case, type Difference, notHttp } from './case.js';

const raw =
  (text: string): WireHandler =>
  (request) =>
    void request.socket.end(text);

/** Never responds. */
const never: WireHandler = () => undefined;

const headersOnly: WireHandler = (_, response) =>
  void response.writeHead(200, { 'content-length': '100' }).write('some');

const reset: WireHandler = (request) => void request.socket.destroy();

/** Enough turns of the event loop for a client in this process to read what has been written. A reset takes back what it has not read. */
const TURNS = 10;

const afterPart =
  (end: (socket: Socket) => void) =>
  (headers: Record<string, string>, part: Buffer): WireHandler =>
  (request, response) => {
    const wait = (turns: number): unknown =>
      turns > 0 ? setImmediate(() => wait(turns - 1)) : end(request.socket);
    response.writeHead(200, headers).write(part, () => wait(TURNS));
  };

const cutShort = afterPart((socket) => socket.destroy());

/** The TCP connection under that of TLS is reset. */
const resetWithin = afterPart((socket) => (Reflect.get(socket, '_parent') as Socket).resetAndDestroy());

/** Gives up when `later` calls back. */
type Stoppable = (later: (stop: () => void) => void) => AxiosRequestConfig;

const aborted: Stoppable = (later) => {
  const controller = new AbortController();
  later(() => controller.abort());
  return { signal: controller.signal };
};

const cancelled =
  (message?: string): Stoppable =>
  (later) => {
    // oxlint-disable-next-line import/no-named-as-default-member -- the types of that export lack the class
    const source = axios.CancelToken.source();
    later(() => source.cancel(message));
    return { cancelToken: source.token };
  };

const failing = (name: string, answer: WireHandler, config: () => AxiosRequestConfig = () => ({})): Case => ({
  name,
  answer,
  config,
});

const malformed = (name: string, answer: WireHandler, differs: Difference): Case => ({
  name,
  answer,
  differs,
});

/** The caller gives up before an answer. */
const stoppedBefore = (name: string, config: Stoppable): Case =>
  failing(name, never, () => config((stop) => setTimeout(stop, 50)));

/** The caller gives up within the answer. The time begins with the answer, because a busy machine connects slowly. One call at a time. */
const stoppedWithin = (name: string, config: Stoppable, further: AxiosRequestConfig = {}): Case => {
  let giveUp: () => void;
  const answer: WireHandler = (...exchange) => {
    headersOnly(...exchange);
    setTimeout(() => giveUp(), 100);
  };
  return failing(name, answer, () => ({ ...config((stop) => (giveUp = stop)), ...further }));
};

const gzip = zlib.gzipSync(Buffer.alloc(100_000, 'x'));

export const FAILURES: readonly Case[] = [
  failing('a connection that is cut before the answer', reset),
  failing('a connection that ends before the answer', raw('')),
  failing('a connection that ends within the headers', raw('HTTP/1.1 200 OK\r\nContent-')),
  failing('a body that is cut short', cutShort({ 'content-length': '100' }, Buffer.from('some'))),
  failing('a chunked body that is cut short', cutShort({}, Buffer.from('some'))),
  failing(
    'a gzip body that is cut short',
    cutShort({ 'content-encoding': 'gzip', 'content-length': String(gzip.length) }, gzip.subarray(0, 40)),
  ),
  failing('a stream that is cut short', cutShort({ 'content-length': '100' }, Buffer.from('some')), () => ({
    responseType: 'stream',
  })),
  failing(
    'a gzip stream that is cut short',
    cutShort({ 'content-encoding': 'gzip', 'content-length': String(gzip.length) }, gzip.subarray(0, 40)),
    () => ({ responseType: 'stream' }),
  ),
  failing(
    'a body within which the connection is reset',
    resetWithin({ 'content-length': '100' }, Buffer.from('some')),
  ),
  failing('a chunked body within which the connection is reset', resetWithin({}, Buffer.from('some'))),
  failing(
    'a gzip body within which the connection is reset',
    resetWithin({ 'content-encoding': 'gzip', 'content-length': String(gzip.length) }, gzip.subarray(0, 40)),
  ),
  failing('a stream within which the connection is reset', resetWithin({}, Buffer.from('some')), () => ({
    responseType: 'stream',
  })),
  malformed(
    'what is not HTTP',
    raw('SSH-2.0-OpenSSH_9.6\r\n'),
    notHttp('Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)'),
  ),
  malformed(
    'a header that is none',
    raw('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'),
    notHttp('Response does not match the HTTP/1.1 protocol (Invalid header token)'),
  ),
  malformed(
    'a chunk that is none',
    raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    notHttp('Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)'),
  ),
  malformed(
    'headers without end',
    (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(40_000)}\r\n`),
    notHttp('Headers Overflow Error'),
  ),
  malformed(
    'two lengths',
    raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    notHttp('Response body length does not match content-length header'),
  ),
];

const limits: readonly Case[] = [
  failing('timeout', never, () => ({ timeout: 100 })),
  failing('timeout as a string', never, () => ({ timeout: '100' as unknown as number })),
  failing('timeout that is none', never, () => ({ timeout: 'soon' as unknown as number })),
  failing('timeoutErrorMessage', never, () => ({ timeout: 100, timeoutErrorMessage: 'too slow' })),
  failing('clarifyTimeoutError', never, () => ({
    timeout: 100,
    transitional: { clarifyTimeoutError: true },
  })),
  stoppedBefore('signal', aborted),
  stoppedWithin('signal within the body', aborted),
  stoppedWithin('signal within a stream', aborted, { responseType: 'stream' }),
  failing('signal that was aborted before', never, () => ({ signal: AbortSignal.abort() })),
  stoppedBefore('cancelToken', cancelled('not needed')),
  stoppedBefore('cancelToken without a word', cancelled()),
  stoppedWithin('cancelToken within the body', cancelled('enough')),
  failing(
    'signal that is never used',
    (_, response) => void response.end('ok'),
    () => ({ signal: new AbortController().signal, timeout: 5_000 }),
  ),
];

export const LIMITS: readonly Case[] = limits.map((limit) => ({ ...limit, mayNotArrive: true }));
