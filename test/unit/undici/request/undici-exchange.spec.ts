import { Readable } from 'node:stream';
import { AxiosHeaders, type AxiosResponse } from 'axios';
import { Client, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { ConnectionPool } from '../../../../lib/undici/pool/connection-pool.js';
import { undici } from '../../../../lib/undici/pool/undici.js';
import {
  createDirectSender,
  fits,
  UndiciExchange,
  type UndiciRequest,
} from '../../../../lib/undici/request/undici-exchange.js';
import { Cancellation } from '../../../../lib/wire/call-budget.js';
import type { ReceivedBody } from '../../../../lib/wire/received-body.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { MemoryServer } from '../../../support/http/memory-server.js';
import { settled } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { describeDirectSender } from '../../wire/direct-sender-behaviour.js';

describe('the sender on undici', () => {
  describeDirectSender((connection) => {
    const base = new BaseAddress(BASE_URL);
    const unused = [connection.client];
    const client = new Client(base.origin, {
      // After a request was given up, undici connects again. It would add its listeners to the old connection without an end.
      connect: (_, connected) => {
        const socket = unused.pop();
        if (socket) queueMicrotask(() => connected(null, socket as never));
      },
    });
    onTestFinished(() => client.destroy());
    return createDirectSender(base, client as unknown as ConnectionPool);
  });
});

const base = new BaseAddress(BASE_URL);
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

type Members = Partial<UndiciRequest> & { readonly responseType?: 'stream' };

function send(pool: ConnectionPool, { responseType, ...members }: Members = {}) {
  const config = { headers: new AxiosHeaders(), ...(responseType && { responseType }) };
  const cancellation = new Cancellation();
  const request = { method: 'GET', path: '/v1/x', headers: [], body: null, config, cancellation };
  let exchange: UndiciExchange | undefined;
  const result = new Promise<AxiosResponse>((resolve, reject) => {
    exchange = new UndiciExchange(base, pool, { ...request, ...members }, { resolve, reject });
    exchange.start();
  });
  result.catch(() => undefined);
  return { config, cancellation, result, exchange: exchange as UndiciExchange };
}

/** A pool that the test plays: it reports to the exchange what undici would report. */
function playedPool() {
  const controller = { resume: vi.fn<() => void>(), pause: vi.fn<() => void>(), abort: vi.fn<() => void>() };
  const connection: { paused: { drain(): void } | undefined } = { paused: undefined };
  const pool = { current: {}, dispatch: () => undefined, connectionBeingRead: connection };
  return {
    controller: controller as typeof controller & Dispatcher.DispatchController,
    connection,
    pool: pool as unknown as ConnectionPool,
  };
}

describe('an answer, as undici reports it', () => {
  it.each([
    [['age', ['1', '2']], '1'],
    [['content-type', ['a/b', 'c/d']], 'a/b'],
    [['cookie', ['a=1', 'b=2']], 'a=1; b=2'],
    [['x-own', ['a', 'b']], 'a, b'],
    [['set-cookie', 'a=1'], ['a=1']],
    [
      ['set-cookie', ['a=1', 'b=2']],
      ['a=1', 'b=2'],
    ],
  ])('B17: has the header that Node would give for %j: %j', async ([name, value], expected) => {
    const { controller, pool } = playedPool();
    const { exchange, result } = send(pool);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, { [name as string]: value });
    exchange.onResponseEnd();
    const { headers, statusText } = await result;
    expect(headers[name as string]).toEqual(expected);
    expect(statusText).toBe('');
  });

  it.each([0, 99, 101])('B17: of status %d is refused, because undici brings no body for it', (status) => {
    const { controller, pool } = playedPool();
    const { exchange, cancellation } = send(pool);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 100, {});
    exchange.onResponseStart(controller, 103, {});
    const refused = () => exchange.onResponseStart(controller, status, {});
    expect(refused).toThrow('Parse Error: Invalid status code');
    cancellation.cancel(new Error('of the caller'));
    expect(refused).not.toThrow();
  });

  it('B17: of status 204 is complete although undici misses its bytes', async () => {
    const { controller, pool } = playedPool();
    const { exchange, result } = send(pool);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 204, { 'content-length': '9' });
    const error = Object.assign(new Error('of undici'), { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' });
    exchange.onResponseError(controller, error);
    expect(await result).toMatchObject({ status: 204, data: '' });
  });

  it('B13: waits for its reader, and takes all the rest before its connection ends', async () => {
    const { controller, pool, connection } = playedPool();
    const { exchange, result } = send(pool, { responseType: 'stream' });
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    const { data } = (await result) as { data: ReceivedBody };
    exchange.onResponseData(controller, Buffer.alloc(1));
    expect(controller.pause).not.toHaveBeenCalled();
    expect(connection.paused).toBeUndefined();
    const piece = Buffer.alloc(64 * 1024);
    exchange.onResponseData(controller, piece);
    expect(controller.pause).toHaveBeenCalledOnce();
    expect(connection.paused).toBe(exchange);
    exchange.drain();
    expect(controller.resume).toHaveBeenCalledOnce();
    exchange.onResponseData(controller, piece);
    expect(controller.pause).toHaveBeenCalledOnce();
    exchange.onResponseEnd();
    expect(connection.paused).toBeUndefined();
    expect(Buffer.concat(await data.readWhole())).toHaveLength(1 + 2 * piece.length);
  });

  it('B13: that is over is not woken when its connection ends later', async () => {
    const { controller, pool } = playedPool();
    const { exchange, result } = send(pool);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseEnd();
    await result;
    exchange.drain();
    expect(controller.resume).not.toHaveBeenCalled();
  });
});

function openPool() {
  const server = new MemoryServer();
  vi.spyOn(undici, 'buildConnector').mockReturnValue(server.connector);
  const tls = { version: Symbol('first'), secureContext: () => ({ context: undefined }) };
  return { server, tls, pool: new ConnectionPool(base.origin, () => ({ connections: 1 }), tls) };
}

describe('a request that waits for a connection', () => {
  it('B34: is sent on a new connection if the certificates change meanwhile', async () => {
    const { server, tls, pool } = openPool();
    const { result } = send(pool);
    await settled();
    tls.version = Symbol('second');
    const old = server.accept();
    await settled();
    expect(server.asked).toBe(2);
    const current = server.accept();
    await current.receives('GET /v1/x');
    current.write(OK);
    expect(await result).toMatchObject({ status: 200, data: 'ok' });
    expect(old.received).toBe('');
  });

  it('B17: fails with its config, its request and the name of the host if no connection is opened', async () => {
    const { server, pool } = openPool();
    const { result, config } = send(pool);
    await settled();
    server.refuse(Object.assign(new Error('of undici'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    const error = await errorOf(result);
    expect(error).toMatchObject({
      code: 'ETIMEDOUT',
      message: `connect ETIMEDOUT ${base.host}`,
      request: { method: 'GET', host: 'api.example.com', path: '/v1/x' },
    });
    expect(Reflect.get(error as Error, 'config')).toBe(config);
  });

  it.each([
    ['a streamed body, which is closed', () => new Readable({ read: () => undefined })],
    ['no body', () => null],
  ])(
    'B5: is not sent if its call ends meanwhile, with %s, and its connection serves the next',
    async (_, bodyOf) => {
      const { server, pool } = openPool();
      const first = send(pool);
      await settled();
      const connection = server.accept();
      await connection.receives('GET /v1/x');
      const body = bodyOf();
      const { result, cancellation } = send(pool, { method: 'POST', path: '/v1/ended', body });
      const next = send(pool, { path: '/v1/next' });
      cancellation.cancel(new Error('The caller gave up.'));
      expect(await errorOf(result)).toMatchObject({ message: 'The caller gave up.' });
      connection.write(OK);
      await first.result;
      await connection.receives('GET /v1/next');
      connection.write(OK);
      expect(await next.result).toMatchObject({ data: 'ok' });
      expect(connection.received).not.toContain('/v1/ended');
      expect(body === null || body.destroyed).toBe(true);
      expect(server.asked).toBe(1);
    },
  );
});

describe('what undici sends', () => {
  it.each([
    ['DELETE', null, true],
    ['DELETE', Buffer.from('x'), true],
    ['DELETE', Buffer.alloc(0), false],
    ['POST', Buffer.alloc(0), true],
    ['DELETE', Readable.from(['x']), true],
  ])('B17: %s with this body is sent by undici or not', (method, content, isSent) => {
    expect(fits(method, content)).toBe(isSent);
  });
});
