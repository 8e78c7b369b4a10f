import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { freePort } from '../run/free-port.js';
import { NO_REDIS_VARIABLE, REDIS_SERVER } from './redis-program.js';

const LOOPBACK = '127.0.0.1';

const MOST_STARTS = 3;

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

  /** Another process may take the free port before the server does, so the start is repeated. */
  static async start(...args: string[]): Promise<RedisServer> {
    const problem = process.env[NO_REDIS_VARIABLE];
    if (problem !== undefined) throw new Error(problem);
    for (let attempt = 1; ; attempt += 1) {
      const folder = await mkdtemp(join(tmpdir(), 'fleet-redis-'));
      const server = new RedisServer(await freePort(), folder, args);
      try {
        await server.launch();
        return server;
      } catch (error) {
        await server.close();
        if (attempt === MOST_STARTS) throw error;
      }
    }
  }

  /** Starts the process, unless it runs; after `kill()`, again on the same port and with nothing in it. */
  async launch(): Promise<void> {
    if (this.#running !== undefined) return;
    const settings = ['--port', String(this.port), '--bind', LOOPBACK, '--dir', this.folder];
    const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--loglevel', 'warning'];
    const child = spawn(REDIS_SERVER, [...settings, ...quiet, ...this.#args], { stdio: 'ignore' });
    this.#process = child;
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${REDIS_SERVER} ended before it answered.`);
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

  get ports(): number[] {
    return [this.port];
  }

  /** A client for the test's own commands. */
  async admins(): Promise<Redis[]> {
    return [await this.connected()];
  }

  /** A client that is connected. */
  async connected(options: ClientOptions = {}): Promise<Redis> {
    const client = this.client(options);
    await isReady(client);
    return client;
  }

  async kill(): Promise<void> {
    const child = this.#running;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  get #running(): ChildProcess | undefined {
    const child = this.#process;
    return child?.exitCode === null && child.signalCode === null ? child : undefined;
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
