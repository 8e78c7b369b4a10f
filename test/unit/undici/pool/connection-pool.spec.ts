import { once } from 'node:events';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConnectionPool } from '../../../../lib/undici/pool/connection-pool.js';
import { undici } from '../../../../lib/undici/pool/undici.js';
import type { UndiciTransportOptions } from '../../../../lib/undici/index.js';
import { DispatchedCall } from '../../../support/http/dispatched-call.js';
import type { MemoryConnection } from '../../../support/http/memory-connection.js';
import { MemoryServer } from '../../../support/http/memory-server.js';
import { settled } from '../../../support/token/fake-clock.js';

const ORIGIN = 'https://api.example.com';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CLOSING_MS = 10_000;

/** A pool of undici that has closed is destroyed. */
const REFUSED = /^UND_ERR_(?:DESTROYED|CLOSED)$/;

function open(options: UndiciTransportOptions = {}) {
  const server = new MemoryServer();
  const buildConnector = vi.spyOn(undici, 'buildConnector').mockReturnValue(server.connector);
  const tls = { version: Symbol('first'), secureContext: () => ({ context: undefined }) };
  const pool = new ConnectionPool(ORIGIN, () => options, tls);
  const call = async (path: string): Promise<DispatchedCall> => {
    const dispatched = new DispatchedCall(pool, path);
    await settled();
    return dispatched;
  };
  return { server, buildConnector, pool, tls, call };
}

type Opened = ReturnType<typeof open>;

/** A request that the server has got, on its own connection. */
async function underWay({ server, call }: Opened, path: string) {
  const dispatched = await call(path);
  const connection = server.accept();
  await connection.receives(path);
  return { call: dispatched, connection };
}

describe('the connections of a pool', () => {
  it('S9: check certificates, have the options of the application, and ten seconds to open', async () => {
    const opened = open({ connect: { ca: 'PEM', rejectUnauthorized: false as never } });
    await opened.call('/1');
    expect(opened.buildConnector.mock.lastCall).toEqual([
      { ca: 'PEM', timeout: 10_000, rejectUnauthorized: true, allowH2: false },
    ]);
  });

  it('B14: may have another time to open', async () => {
    const opened = open({ connect: { timeout: 5 } });
    await opened.call('/1');
    expect(opened.buildConnector.mock.lastCall).toEqual([
      { timeout: 5, rejectUnauthorized: true, allowH2: false },
    ]);
  });

  it('B14: stay open for 30 idle seconds, and no answer has a time limit other than that of its call', async () => {
    const made = vi.spyOn(undici, 'Pool').mockImplementation(function (...settings) {
      return new Pool(...settings);
    });
    await open().call('/1');
    expect(made).toHaveBeenCalledExactlyOnceWith(
      ORIGIN,
      expect.objectContaining({
        allowH2: false,
        keepAliveTimeout: 30_000,
        keepAliveTimeoutThreshold: 1_000,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
    );
  });

  it.each<[UndiciTransportOptions, number]>([
    [{}, 3],
    [{ connections: 2 }, 2],
  ])('B14: are as many as the options allow: %j', async (options, most) => {
    const { server, call } = open(options);
    for (const path of ['/1', '/2', '/3']) await call(path);
    server.accept();
    await settled();
    expect(server.asked).toBe(most);
  });

  it('B17: that cannot be opened fail their request with the error of the attempt', async () => {
    const { server, call } = open();
    const { outcome } = await call('/1');
    server.refuse(new Error('refused'));
    expect(await outcome).toBe('refused');
  });

  it('B13: are named while undici reads them, and at no other moment', async () => {
    const opened = open();
    const { pool } = opened;
    const seen: unknown[] = [];
    for (const path of ['/1', '/2', '/3']) {
      const { call, connection } = await underWay(opened, path);
      vi.spyOn(call, 'onResponseData').mockImplementation(() => void seen.push(pool.connectionBeingRead));
      connection.write(OK.replace('Length: 2', 'Length: 3'));
      await expect.poll(() => seen.length, { interval: 2 }).toBe(Number(path.slice(1)));
      expect(pool.connectionBeingRead).toBeUndefined();
    }
    expect(new Set(seen).size).toBe(3);
    expect(seen).not.toContain(undefined);
  });

  it.each<[string, string, (connection: MemoryConnection) => unknown, string]>([
    [
      'ends',
      OK.replace('Content-Length: 2', 'Connection: close'),
      async (connection) => {
        connection.end();
        await settled();
        // As a socket of Node does at its end.
        connection.client.read(0);
      },
      'end',
    ],
    [
      'is reset',
      OK.replace('Length: 2', 'Length: 100'),
      ({ client }) => client.destroy(new Error('reset')),
      'error',
    ],
  ])(
    'B13: whose paused answer %s wake its request once, before undici sees that',
    async (...[, answer, end, last]) => {
      const opened = open();
      const { call, connection } = await underWay(opened, '/1');
      const paused = new Promise<void>((resolve) => {
        vi.spyOn(call, 'onResponseData').mockImplementationOnce((controller) => {
          controller.pause();
          const drain = (): void => {
            call.reports.push('woken');
            controller.resume();
          };
          Object.assign(opened.pool.connectionBeingRead ?? {}, { paused: { drain } });
          resolve();
        });
      });
      connection.write(answer);
      await paused;
      await end(connection);
      await call.outcome;
      const reports = call.reports.filter((report) => report !== 'data');
      expect(reports.slice(0, reports.indexOf(last) + 1)).toEqual(['start', '200', 'woken', last]);
    },
  );

  it('B13: end a request with an error if the server ends them and nothing is paused', async () => {
    const { call, connection } = await underWay(open(), '/1');
    connection.end();
    expect(await call.outcome).toBe('UND_ERR_SOCKET');
  });
});

describe('a pool whose certificates change', () => {
  it('B34: opens a new connection for the next request, and lets the request under way end', async () => {
    const opened = open();
    const { pool, tls, server } = opened;
    const first = await underWay(opened, '/1');
    const before = pool.current;
    expect(pool.current).toBe(before);
    tls.version = Symbol('second');
    const second = await underWay(opened, '/2');
    expect(pool.current).not.toBe(before);
    first.connection.write(OK);
    expect(await first.call.outcome).toBe('ok');
    await first.connection.closed;
    expect(second.connection.client.destroyed).toBe(false);
    expect(server.asked).toBe(2);
  });

  it('B9: waits for the requests of the old connections when it closes', async () => {
    const opened = open();
    const first = await underWay(opened, '/1');
    opened.tls.version = Symbol('second');
    await opened.call('/2').then(() => opened.server.refuse(new Error('refused')));
    let isClosed = false;
    const closed = opened.pool.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    first.connection.write(OK);
    expect(await first.call.outcome).toBe('ok');
    await closed;
  });
});

describe('a pool that closes', () => {
  it('B9: waits for the calls and the requests under way, and refuses later requests', async () => {
    const opened = open();
    const { call, connection } = await underWay(opened, '/1');
    const calls = new AbortController();
    const order: string[] = [];
    const closed = opened.pool.close(once(calls.signal, 'abort').then(() => undefined));
    void closed.then(() => order.push('closed'));
    const late = await underWay(opened, '/of-a-call-under-way');
    late.connection.write(OK);
    expect(await late.call.outcome).toBe('ok');
    calls.abort();
    await settled();
    expect(order).toEqual([]);
    connection.write(OK);
    expect(await call.outcome).toBe('ok');
    await closed;
    expect(await (await opened.call('/late')).outcome).toMatch(REFUSED);
    for (const one of [connection, late.connection]) await one.closed;
  });

  it('B9: closes once, however often it is asked to', () => {
    const { pool } = open();
    expect(pool.close()).toBe(pool.close());
  });

  it('B9: gives up after ten seconds, also on old connections, and on no connection that has closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const destroyed = vi.spyOn(Pool.prototype, 'destroy');
    const opened = open({ connections: 1 });
    const { pool, tls } = opened;
    const gone = await underWay(opened, '/gone');
    const ended = pool.current;
    tls.version = Symbol('second');
    const old = await underWay(opened, '/old');
    gone.connection.write(OK);
    await gone.connection.closed;
    await settled();
    tls.version = Symbol('third');
    const current = await underWay(opened, '/current');
    const waiting = await opened.call('/waiting');
    const timesDestroyed = (): number =>
      destroyed.mock.contexts.filter((one: unknown) => one === ended).length;
    const before = timesDestroyed();
    const closed = pool.close();
    await vi.advanceTimersByTimeAsync(CLOSING_MS - 1);
    expect(current.connection.client.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    for (const one of [old.call, current.call, waiting]) expect(await one.outcome).toMatch(REFUSED);
    for (const { connection } of [old, current]) await connection.closed;
    expect(timesDestroyed()).toBe(before);
  });

  it('B9: leaves no timer behind when all has ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await open().pool.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
