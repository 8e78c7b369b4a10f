import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { create, type AxiosError, type AxiosInstance } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { transportClient } from '../../support/http/transport-client.js';
import { WireServer } from '../../support/http/wire-server.js';

/** Fewer than one HTTP/2 connection takes at once. */
const CALLS = 60;

/** What each step here takes is a timeout of a call, or less. */
const BUSY_MACHINE = { interval: 20, timeout: 30_000 };

/** A way to the server on which a test can do what networks do. */
class Network {
  /** How many connections were let through. */
  connections = 0;
  isDown = false;
  readonly #pairs: (readonly [Socket, Socket])[] = [];

  private constructor(
    readonly server: WireServer,
    readonly client: AxiosInstance,
  ) {}

  static async to(server: WireServer): Promise<Network> {
    const entrance = createServer((socket) => network.#letThrough(socket)).listen(0, '127.0.0.1');
    await once(entrance, 'listening');
    const baseUrl = `https://127.0.0.1:${(entrance.address() as AddressInfo).port}`;
    const connection = undiciTransport({ allowH2: true, connect: { ca: server.ca } }).open({
      interface: 'easy',
      environment: 'sandbox',
      baseUrl,
    });
    const client = create({ adapter: connection.adapter, baseURL: baseUrl, maxRedirects: 0 });
    const network = new Network(server, client);
    onTestFinished(async () => {
      entrance.close();
      for (const socket of network.#pairs.flat()) socket.destroy();
      await connection.close();
      await server.close();
    });
    return network;
  }

  /** The open connections carry nothing more, and neither side can see it. New connections work. */
  freeze(): void {
    for (const socket of this.#pairs.flat()) socket.unpipe().pause();
  }

  #letThrough(socket: Socket): void {
    if (this.isDown) return void socket.on('error', () => undefined).resetAndDestroy();
    this.connections += 1;
    const onwards = connect(this.server.port, '127.0.0.1');
    for (const side of [socket, onwards]) side.on('error', () => undefined);
    socket.pipe(onwards).pipe(socket);
    this.#pairs.push([socket, onwards]);
  }
}

async function networkOf(): Promise<Network> {
  return Network.to(await WireServer.start({ allowH2: true }));
}

/** The status of a call, or the code of its error. */
function ending(call: Promise<{ status: number }>): Promise<number | string | undefined> {
  return call.then(
    ({ status }) => status,
    ({ code }: AxiosError) => code,
  );
}

describe('connections over HTTP/2', () => {
  it('B14: get no later call once calls have timed out on a dead connection', async () => {
    const network = await networkOf();
    const get = (): Promise<unknown> => ending(network.client.get('/', { timeout: 1_000 }));
    expect(await ending(network.client.get('/'))).toBe(200);
    network.freeze();
    expect(await get()).toBe('ECONNABORTED');
    await expect.poll(get, BUSY_MACHINE).toBe(200);
    const { connections } = network;
    expect(await ending(network.client.get('/'))).toBe(200);
    expect(network.connections).toBe(connections);
  });

  it('B14: still bring the answers of slow calls after others have timed out, and then end', async () => {
    const { server, client } = await transportClient({ allowH2: true });
    const held: ServerResponse[] = [];
    server.handler = ({ url }, response) => {
      if (url === '/slow') held.push(response);
      if (url === '/') response.end('ok');
    };
    await client.get('/');
    const slow = client.get('/slow');
    await expect.poll(() => held, BUSY_MACHINE).toHaveLength(1);
    const connectionsLater = async (): Promise<number> => {
      await ending(client.get('/silent', { timeout: 1_000 }));
      await client.get('/');
      return server.connections;
    };
    await expect.poll(connectionsLater, BUSY_MACHINE).toBe(2);
    expect(server.openConnections).toBe(2);
    held[0]?.end('late');
    expect(await slow).toMatchObject({ data: 'late' });
    await expect.poll(() => server.openConnections, BUSY_MACHINE).toBe(1);
    expect(await ending(client.get('/'))).toBe(200);
    expect(server.connections).toBe(2);
  });

  it('B14: stay in use while other calls get answers, however many time out', async () => {
    const { server, client } = await transportClient({ allowH2: true });
    server.handler = ({ url }, response) => {
      if (url === '/') response.end('ok');
    };
    const connectionsMade = async (): Promise<number> => {
      await client.get('/');
      const { connections } = server;
      const over = new AbortController();
      const silent = ending(client.get('/silent', { timeout: 1_000 })).finally(() => over.abort());
      while (!over.signal.aborted) await client.get('/');
      expect(await silent).toBe('ECONNABORTED');
      await client.get('/');
      return server.connections - connections;
    };
    // A machine that stands still for half a second looks like a connection that does.
    await expect.poll(connectionsMade, BUSY_MACHINE).toBe(0);
  });

  it('B14: are as few after an outage as before, however many calls have failed', async () => {
    const network = await networkOf();
    const burst = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: CALLS }, () => ending(network.client.get('/'))));
    network.isDown = true;
    expect(await burst()).not.toContain(200);
    network.isDown = false;
    expect(new Set(await burst())).toEqual(new Set([200]));
    expect(network.connections).toBe(1);
  });

  it.each([{}, { connections: 1 }])(
    'B14: get no call that begins as soon as another has failed on a lost connection: %j',
    async (limit) => {
      const { server, client } = await transportClient({ allowH2: true, ...limit });
      server.handler = ({ url }, response) => {
        if (url === '/') response.end('ok');
        else for (const socket of server.open) socket.destroy();
      };
      for (let round = 1; round <= 3; round += 1) {
        expect(await ending(client.get('/lost'))).toBe('ECONNRESET');
        const calls = Array.from({ length: 3 }, () => ending(client.get('/')));
        expect(await Promise.all(calls)).toEqual([200, 200, 200]);
      }
      expect(server.seen.every(({ protocol }) => protocol === '2.0')).toBe(true);
      expect(server.connections).toBe(4);
    },
  );
});
