import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { NO_REDIS_VARIABLE } from './redis-program.js';

const LOOPBACK = '127.0.0.1';

type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/** A real redis-server on a private port, with nothing on disk. */
export class RedisServer {
  readonly #args: readonly string[];
  readonly #clients: Redis[] = [];
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly folder: string,
    args: readonly string[],
  ) {
    this.#args = args;
  }

  static async start(...args: string[]): Promise<RedisServer> {
    const problem = process.env[NO_REDIS_VARIABLE];
    if (problem !== undefined) throw new Error(problem);
    const folder = await mkdtemp(join(tmpdir(), 'fleet-redis-'));
    const server = new RedisServer(await freePort(), folder, args);
    await server.launch();
    return server;
  }

  /** Starts the process; after `kill()`, again on the same port and with nothing in it. */
  async launch(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', LOOPBACK, '--dir', this.folder];
    const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--loglevel', 'warning'];
    const child = spawn('redis-server', [...settings, ...quiet, ...this.#args], { stdio: 'ignore' });
    this.#process = child;
    const ended = once(child, 'exit').then(() => {
      throw new Error('redis-server ended before it answered.');
    });
    const probe = new Redis({
      port: this.port,
      host: LOOPBACK,
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
    });
    probe.on('error', () => {});
    try {
      await Promise.race([probe.ping(), ended]);
    } finally {
      ended.catch(() => {});
      probe.disconnect();
    }
  }

  /** A client that `close()` closes; one that comes back quickly after an outage. */
  client(options: ClientOptions = {}): Redis {
    const client = new Redis({ port: this.port, host: LOOPBACK, retryStrategy: () => 50, ...options });
    client.on('error', () => {});
    this.#clients.push(client);
    return client;
  }

  /** A client that is connected. */
  async connected(options: ClientOptions = {}): Promise<Redis> {
    const client = this.client(options);
    await isReady(client);
    return client;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** `events.once` would reject at the first error on the way. */
export function isReady(client: Redis | Cluster): Promise<void> {
  return new Promise((resolve) => {
    if (client.status === 'ready') resolve();
    else client.once('ready', () => resolve());
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('No port.');
  return address.port;
}
