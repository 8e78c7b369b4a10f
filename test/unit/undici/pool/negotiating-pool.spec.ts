import { EventEmitter } from 'node:events';
import { Client, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isH2, NegotiatingPool } from '../../../../lib/undici/pool/negotiating-pool.js';
import { undici } from '../../../../lib/undici/pool/undici.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { DispatchedCall } from '../../../support/http/dispatched-call.js';
import type { MemoryConnection } from '../../../support/http/memory-connection.js';
import { MemoryServer } from '../../../support/http/memory-server.js';
import { settled } from '../../../support/token/fake-clock.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** As many as one HTTP/2 connection takes at once. */
const STREAMS = 100;

/** Looks often: what is awaited needs no time. */
const SOON = { interval: 2, timeout: 5_000 };

/** A client of undici that has closed is destroyed. */
const REFUSED = /^UND_ERR_(?:DESTROYED|CLOSED)$/;

function poolOn({ connector }: Pick<MemoryServer, 'connector'>, connections = Infinity): NegotiatingPool {
  const limits = { connections, connector, client: { allowH2: true } };
  const pool = new NegotiatingPool('https://api.example.com', limits);
  onTestFinished(() => pool.destroy());
  return pool;
}

function calls(pool: NegotiatingPool, number: number, from = 1): DispatchedCall[] {
  return Array.from({ length: number }, (_, index) => new DispatchedCall(pool, `/${from + index}`));
}

const outcomes = (all: readonly DispatchedCall[]): Promise<string[]> =>
  Promise.all(all.map(({ outcome }) => outcome));

const pathsOn = (connection: MemoryConnection): string[] =>
  [...connection.received.matchAll(/^GET (\S+) /gm)].map(([, path = '']) => path);

interface Sent {
  readonly request: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

/** A client of undici whose test plays the HTTP/2 connection. */
class PlayedClient extends EventEmitter {
  pipelining = 1;
  readonly sent: Sent[] = [];
  readonly closed = vi.fn<() => void>();
  /** Whether requests keep a client that closes. */
  isKept = false;
  readonly destroyed = vi.fn<(error?: Error) => void>();

  constructor(readonly options: Client.Options) {
    super();
  }

  get paths(): string[] {
    return this.sent.map(({ request }) => request.path);
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.sent.push({ request, handler });
    if (this.sent.length > 1) return;
    const connect = this.options.connect as (where: object, connected: (error: Error | null) => void) => void;
    connect({}, (error) => {
      for (const one of error ? this.sent : []) one.handler.onResponseError?.({} as never, error as Error);
    });
  }

  /** The server answers the request with this place. */
  answer(place: number): Promise<void> {
    this.sent[place]?.handler.onResponseEnd?.({} as never, {});
    return settled();
  }

  fail(place: number, error = new Error('The call has ended.')): Promise<void> {
    this.sent[place]?.handler.onResponseError?.({} as never, error);
    return settled();
  }

  async close(): Promise<void> {
    this.closed();
    if (this.isKept) await new Promise(() => undefined);
  }

  destroy(error?: Error): Promise<void> {
    this.destroyed(error);
    return Promise.reject(new Error('undici rejects if the client closes already.'));
  }
}

/** The clients that pools make, in their order. */
function playedClients(): PlayedClient[] {
  const clients: PlayedClient[] = [];
  vi.spyOn(undici, 'Client').mockImplementation(function (_: unknown, options: unknown) {
    const client = new PlayedClient(options as Client.Options);
    clients.push(client);
    return client as unknown as Client;
  });
  return clients;
}

function h2Pool(connections?: number) {
  const clients = playedClients();
  const server = new MemoryServer();
  const limits = {
    connections: connections ?? Infinity,
    connector: server.connector,
    client: { allowH2: true },
  };
  return { clients, server, pool: new NegotiatingPool('https://api.example.com', limits) };
}

describe('connections over HTTP/2', () => {
  it('B14: are opened one at a time while the protocol is not known, and one carries all requests', () => {
    const { clients, server, pool } = h2Pool();
    calls(pool, 3);
    expect(server.asked).toBe(1);
    expect(clients.map(({ paths }) => paths)).toEqual([['/1']]);
    server.accept('h2');
    expect(clients.map(({ paths }) => paths)).toEqual([['/1', '/2', '/3']]);
    expect(clients[0]?.pipelining).toBe(STREAMS);
    expect(clients[0]?.options).toMatchObject({ allowH2: true, maxConcurrentStreams: STREAMS });
  });

  it('B14: carry a POST together with other requests, which undici allows only for what it calls idempotent', () => {
    const { clients, pool } = h2Pool();
    void new DispatchedCall(pool, '/1', { method: 'POST', body: 'x' });
    expect(clients[0]?.sent[0]?.request).toEqual({
      path: '/1',
      method: 'POST',
      body: 'x',
      idempotent: true,
    });
  });

  it('B14: carry a hundred requests at once, and further requests open another, one at a time', () => {
    const { clients, server, pool } = h2Pool();
    calls(pool, STREAMS + 2);
    server.accept('h2');
    expect(clients.map(({ sent }) => sent.length)).toEqual([STREAMS, 1]);
    expect(server.asked).toBe(2);
    server.accept('h2');
    expect(clients.map(({ sent }) => sent.length)).toEqual([STREAMS, 2]);
    calls(pool, 1, 200);
    expect(clients.map(({ sent }) => sent.length)).toEqual([STREAMS, 3]);
  });

  it('B14: carry the requests that wait in their order when others have ended, if there may be no other', async () => {
    const { clients, server, pool } = h2Pool(1);
    calls(pool, STREAMS + 2);
    server.accept('h2');
    calls(pool, 1, 200);
    expect(clients[0]?.sent).toHaveLength(STREAMS);
    await clients[0]?.answer(0);
    await clients[0]?.answer(1);
    expect(clients[0]?.paths.slice(STREAMS)).toEqual(['/101', '/102']);
    await clients[0]?.answer(2);
    expect(clients[0]?.paths.slice(STREAMS)).toEqual(['/101', '/102', '/200']);
    expect(server.asked).toBe(1);
  });

  it('B14: have room again once for a request, however often undici reports its end', async () => {
    const { clients, server, pool } = h2Pool(1);
    calls(pool, STREAMS + 2);
    server.accept('h2');
    await clients[0]?.answer(0);
    clients[0]?.sent[0]?.handler.onResponseError?.({} as never, new Error('again'));
    await settled();
    expect(clients[0]?.sent).toHaveLength(STREAMS + 1);
  });

  it('B14: get no request after their end, and the requests that wait use a new connection', async () => {
    const { clients, server, pool } = h2Pool(1);
    calls(pool, STREAMS + 1);
    server.accept('h2');
    const error = new Error('GOAWAY');
    clients[0]?.emit('disconnect', {}, [], error);
    expect(clients[0]?.destroyed.mock.calls).toEqual([[error]]);
    expect(clients[1]?.paths).toEqual(['/101']);
    // undici may report it twice, and the requests of the old connection end now.
    clients[0]?.emit('disconnect', {}, [], error);
    await clients[0]?.answer(0);
    server.accept('h2');
    calls(pool, 1, 200);
    expect(clients.map(({ sent }) => sent.length)).toEqual([STREAMS, 2]);
    expect(clients[0]?.destroyed).toHaveBeenCalledOnce();
    expect(server.asked).toBe(2);
  });

  it('B14: carry as many as the server takes if it refuses a request while others are under way', async () => {
    const { clients, server, pool } = h2Pool();
    const [first, second, third] = calls(pool, 3);
    server.accept('h2');
    const refused = new Error('Stream closed with error code NGHTTP2_REFUSED_STREAM');
    await clients[0]?.fail(2, refused);
    expect(await third?.outcome).toBe('again');
    calls(pool, 1, 4);
    expect(clients.map(({ paths }) => paths)).toEqual([['/1', '/2', '/3'], ['/4']]);
    // An answer that has begun is not repeated.
    clients[0]?.sent[1]?.handler.onResponseStart?.({} as never, 200, {}, 'OK');
    await clients[0]?.fail(1, refused);
    clients[0]?.emit('disconnect', {}, [], new Error('GOAWAY'));
    expect(clients[0]?.destroyed).toHaveBeenCalledOnce();
    // The last one is refused for another reason.
    await clients[0]?.fail(0, refused);
    expect(await outcomes([first, second].filter((call) => call !== undefined))).toEqual([
      refused.message,
      refused.message,
    ]);
  });

  it('B14: carry one request more after each answer, until the server refuses one again', async () => {
    const { clients, server, pool } = h2Pool(1);
    calls(pool, 3);
    server.accept('h2');
    await clients[0]?.fail(2, new Error('Stream closed with error code NGHTTP2_REFUSED_STREAM'));
    calls(pool, 3, 4);
    expect(clients[0]?.paths).toEqual(['/1', '/2', '/3']);
    await clients[0]?.answer(0);
    expect(clients[0]?.paths).toEqual(['/1', '/2', '/3', '/4', '/5']);
  });

  it('B14: are no more after an outage than before', async () => {
    const { clients, server, pool } = h2Pool();
    calls(pool, 3);
    for (const _ of [1, 2, 3]) server.refuse(new Error('refused'));
    await settled();
    expect(clients.map(({ closed }) => closed.mock.calls.length)).toEqual([1, 1, 1]);
    calls(pool, 3, 4);
    server.accept('h2');
    expect(clients.slice(3).map(({ paths }) => paths)).toEqual([['/4', '/5', '/6']]);
  });

  it('B5: are not opened for a request whose call has ended while it waited', async () => {
    const { clients, server, pool } = h2Pool();
    const [, second, third, , fifth] = calls(pool, 5);
    for (const call of [second, third, fifth]) if (call) call.isOver = true;
    const closed = pool.close();
    server.refuse(new Error('refused'));
    await closed;
    expect(clients.flatMap(({ paths }) => paths)).toEqual(['/1', '/4']);
  });

  it('B14: cost no other connection if they end while no request waits', () => {
    const { clients, server, pool } = h2Pool();
    calls(pool, 1);
    server.accept('h2');
    clients[0]?.emit('disconnect', {}, [], new Error('idle'));
    expect(server.asked).toBe(1);
    calls(pool, 1, 2);
    expect(clients[1]?.paths).toEqual(['/2']);
  });
});

/** The server has sent its settings, and a request has begun after them. */
function poolInUse(connections?: number) {
  let now = 5_000;
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => now);
  const { clients, server, pool } = h2Pool(connections);
  calls(pool, 1);
  const socket = Object.assign(server.accept('h2').client, { bytesRead: 18 });
  calls(pool, 2, 2);
  const pass = (ms: number): void => void (now += ms);
  return { clients, server, pool, socket, client: clients[0], pass };
}

describe('connections over HTTP/2 on which a request has failed', () => {
  it('B14: get no more requests after a silence, but those under way may go on', async () => {
    const { clients, server, pool, client, pass } = poolInUse();
    pass(501);
    await client?.fail(1);
    expect(client?.closed).toHaveBeenCalledOnce();
    calls(pool, 2, 4);
    expect(clients[1]?.paths).toEqual(['/4']);
    server.accept('h2');
    expect(clients[1]?.paths).toEqual(['/4', '/5']);
    await client?.fail(2);
    expect(client?.closed).toHaveBeenCalledOnce();
    expect(client?.destroyed).not.toHaveBeenCalled();
  });

  it('B14: get no more requests after several that failed early in one silence', async () => {
    const { pool, client, pass } = poolInUse();
    for (const place of [1, 2, 3]) {
      expect(client?.closed).not.toHaveBeenCalled();
      pass(200);
      calls(pool, 1, 10 + place);
      await client?.fail(place);
    }
    expect(client?.closed).toHaveBeenCalledOnce();
  });

  it('B14: get more requests if it was cancelled early', async () => {
    const { clients, pool, client, pass } = poolInUse();
    pass(500);
    await client?.fail(1);
    calls(pool, 1, 4);
    expect(clients).toHaveLength(1);
  });

  it('B14: get more requests if the server has sent anything meanwhile, as a slow API does', async () => {
    const { clients, pool, client, socket, pass } = poolInUse();
    pass(501);
    socket.bytesRead += 1;
    await client?.fail(1);
    calls(pool, 1, 4);
    pass(500);
    await client?.fail(2);
    expect(clients).toHaveLength(1);
    pass(1);
    await client?.fail(3);
    expect(client?.closed).toHaveBeenCalledOnce();
  });

  it('B14: get more requests if others have ended well', async () => {
    const { clients, pool, client, pass } = poolInUse();
    pass(501);
    await client?.answer(1);
    calls(pool, 1, 4);
    expect(clients).toHaveLength(1);
  });

  it('B14: are at most as many again as allowed, if their requests take long', async () => {
    const { clients, server, pool, client, pass } = poolInUse(1);
    if (client) client.isKept = true;
    pass(501);
    await client?.fail(1);
    expect(client?.closed).toHaveBeenCalledOnce();
    calls(pool, 1, 4);
    Object.assign(server.accept('h2').client, { bytesRead: 18 });
    calls(pool, 1, 5);
    pass(501);
    await clients[1]?.fail(1);
    expect(clients[1]?.closed).not.toHaveBeenCalled();
  });

  it('B14: end with the requests under way if the server sends GOAWAY', async () => {
    const { server, client, pass } = poolInUse();
    if (client) client.isKept = true;
    pass(501);
    await client?.fail(1);
    const error = new Error('GOAWAY');
    client?.emit('disconnect', {}, [], error);
    client?.emit('disconnect', {}, [], error);
    expect(client?.destroyed.mock.calls).toEqual([[error]]);
    expect(server.asked).toBe(1);
  });

  it.each([false, true])('B9: end with the pool (unless they have ended: %s)', async (hasEnded) => {
    const { pool, client, pass } = poolInUse();
    if (client) client.isKept = !hasEnded;
    pass(501);
    await client?.fail(1);
    await pool.destroy().catch(() => undefined);
    expect(client?.destroyed).toHaveBeenCalledTimes(hasEnded ? 0 : 1);
  });

  it('B9: are waited for when the pool closes', async () => {
    const { pool, client, pass } = poolInUse();
    if (client) client.isKept = true;
    pass(501);
    await client?.fail(1);
    let isClosed = false;
    void pool.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    expect(client?.closed).toHaveBeenCalledTimes(2);
  });

  it('B9: may end while the pool closes, for which undici has an error', async () => {
    const { pool, client, pass } = poolInUse();
    if (client) client.isKept = true;
    pass(501);
    await client?.fail(1);
    client?.closed.mockImplementation(() => {
      throw new Error('The client is destroyed.');
    });
    await expect(pool.close()).resolves.toBeUndefined();
  });
});

describe('connections over HTTP/1.1 where HTTP/2 was allowed', () => {
  it('B14: are one for each request, as soon as the protocol is known', async () => {
    const server = new MemoryServer();
    const all = calls(poolOn(server), 3);
    await settled();
    expect(server.asked).toBe(1);
    const first = server.accept();
    await settled();
    expect(server.asked).toBe(3);
    const connections = [first, server.accept(), server.accept()];
    for (const connection of connections) {
      await connection.receives('GET');
      connection.write(OK);
    }
    expect(await outcomes(all)).toEqual(['ok', 'ok', 'ok']);
    expect(connections.map(pathsOn)).toEqual([['/1'], ['/2'], ['/3']]);
  });

  it('B14: are opened at once for later requests', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server);
    calls(pool, 1);
    await settled();
    server.accept();
    calls(pool, 2, 2);
    await settled();
    expect(server.asked).toBe(3);
  });

  it('B14: are no more than allowed, and carry the waiting requests in their order', async () => {
    const server = new MemoryServer();
    const all = calls(poolOn(server, 2), 4);
    await settled();
    const first = server.accept();
    await settled();
    const second = server.accept();
    await second.receives('/2');
    expect(server.asked).toBe(2);
    for (const path of ['/1', '/3', '/4']) {
      await first.receives(path);
      first.write(OK);
    }
    second.write(OK);
    expect(await outcomes(all)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect([first, second].map(pathsOn)).toEqual([['/1', '/3', '/4'], ['/2']]);
  });

  it('B14: are used again by a later request', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server);
    const [first] = calls(pool, 1);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    connection.write(OK);
    await first?.outcome;
    const [second] = calls(pool, 1, 2);
    await connection.receives('/2');
    connection.write(OK);
    expect(await second?.outcome).toBe('ok');
    expect(server.asked).toBe(1);
  });

  it('B14: carry no later request before the requests that wait', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server, 1);
    const [first, second] = calls(pool, 2);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    const third = first?.outcome.then(() => calls(pool, 1, 3));
    connection.write(OK);
    await third;
    await connection.receives('/2');
    connection.write(OK);
    await second?.outcome;
    await connection.receives('/3');
    expect(pathsOn(connection)).toEqual(['/1', '/2', '/3']);
  });

  it('B14: are opened again for a request that waits, if the server keeps none open', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server, 1);
    const [first] = calls(pool, 1);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    // The connection is ending, but undici does not know it yet.
    const next = first?.outcome.then(() => calls(pool, 1, 2));
    connection.write(OK.replace('\r\n', '\r\nConnection: close\r\n'));
    const [second] = (await next) ?? [];
    await expect.poll(() => server.asked, SOON).toBe(2);
    const another = server.accept();
    await another.receives('/2');
    another.write(OK);
    expect(await second?.outcome).toBe('ok');
  });

  it('B17: that cannot be opened fail each request with the error of a separate attempt', async () => {
    const server = new MemoryServer();
    const all = calls(poolOn(server), 3);
    await settled();
    server.refuse(new Error('first'));
    await settled();
    expect(server.asked).toBe(3);
    server.refuse(new Error('second'));
    server.refuse(new Error('third'));
    expect(await outcomes(all)).toEqual(['first', 'second', 'third']);
  });

  it('B17: whose attempt throws, as a lookup may, fail these requests only, each with one error', async () => {
    const server = new MemoryServer();
    const connector = vi.fn<typeof server.connector>(server.connector);
    const pool = poolOn({ connector }, 1);
    for (const text of ['first', 'second'])
      connector.mockImplementationOnce(() => {
        throw new Error(text);
      });
    const failed = calls(pool, 2);
    expect(await outcomes(failed)).toEqual(['first', 'second']);
    expect(failed.map(({ reports }) => reports)).toEqual([['error'], ['error']]);
    // A later request does not wait for the attempts that threw.
    const [third] = calls(pool, 1, 3);
    await settled();
    server.refuse(new Error('third'));
    expect(await third?.outcome).toBe('third');
    calls(pool, 1, 4);
    await settled();
    expect(server.asked).toBe(2);
  });

  it('B14: that could not be opened are tried again by later requests, one at a time', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server);
    const [failed] = calls(pool, 1);
    await settled();
    server.refuse(new Error('refused'));
    expect(await failed?.outcome).toBe('refused');
    calls(pool, 2, 2);
    await settled();
    expect(server.asked).toBe(2);
  });

  it('B17: report each event of a request once, in its order', async () => {
    const server = new MemoryServer();
    const [call] = calls(poolOn(server), 1);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    connection.write(OK);
    expect(await call?.outcome).toBe('ok');
    expect(call?.reports).toEqual(['start', '200', 'data', 'end']);
  });
});

describe('a pool for a server that may speak HTTP/2, when it closes', () => {
  it('B9: closes at once if it has never sent a request, and refuses later requests', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server);
    await pool.close();
    expect(await new DispatchedCall(pool, '/later').outcome).toMatch(REFUSED);
    expect(server.asked).toBe(0);
  });

  it('B9: waits for the requests that have not been sent, and refuses later requests', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server, 1);
    const all = calls(pool, 3);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    let isClosed = false;
    const closed = pool.close().then(() => (isClosed = true));
    expect(await new DispatchedCall(pool, '/late').outcome).toMatch(REFUSED);
    for (const call of all) {
      await connection.receives(call.path);
      expect(isClosed).toBe(false);
      connection.write(OK);
      expect(await call.outcome).toBe('ok');
    }
    await closed;
    await connection.closed;
    expect(server.asked).toBe(1);
  });

  it('B9: waits for a request under way', async () => {
    const server = new MemoryServer();
    const pool = poolOn(server);
    const [call] = calls(pool, 1);
    await settled();
    const connection = server.accept();
    await connection.receives('/1');
    let isClosed = false;
    const closed = pool.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    connection.write(OK);
    expect(await call?.outcome).toBe('ok');
    await closed;
    await connection.closed;
  });

  it.each([false, true])(
    'B9: ends requests under way and requests that wait when it is destroyed (after close: %s)',
    async (isClosing) => {
      const server = new MemoryServer();
      const pool = poolOn(server, 1);
      const all = calls(pool, 3);
      await settled();
      const connection = server.accept();
      await connection.receives('/1');
      if (isClosing) pool.close().catch(() => undefined);
      await pool.destroy();
      await connection.closed;
      for (const outcome of await outcomes(all)) expect(outcome).toMatch(REFUSED);
      expect(await new DispatchedCall(pool, '/late').outcome).toMatch(REFUSED);
      expect(pathsOn(connection)).toEqual(['/1']);
    },
  );
});

describe('a socket', () => {
  it.each([
    [{ alpnProtocol: 'h2' }, true],
    [{ alpnProtocol: 'http/1.1' }, false],
    [{ alpnProtocol: false }, false],
    [{}, false],
    [null, false],
  ])('B14: speaks HTTP/2 or not: %j', (socket, expected) => {
    expect(isH2(socket)).toBe(expected);
  });
});
