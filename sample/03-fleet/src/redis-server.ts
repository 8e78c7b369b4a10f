import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';

const HOST = '127.0.0.1';

/** A real redis-server on its own port. It writes nothing to disk and ends with the sample. */
export class RedisServer {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
  ) {}

  static isInstalled(): boolean {
    return spawnSync('redis-server', ['--version']).error === undefined;
  }

  static async start(): Promise<RedisServer> {
    const port = await freePort();
    const settings = ['--port', String(port), '--bind', HOST, '--save', '', '--appendonly', 'no'];
    const server = spawn('redis-server', settings, { stdio: 'ignore' });
    const client = new Redis({ port, host: HOST, retryStrategy: () => 50, maxRetriesPerRequest: null });
    client.on('error', () => {}); // until the server listens
    await client.ping();
    client.disconnect();
    return new RedisServer(`redis://${HOST}:${port}`, server);
  }

  async stop(): Promise<void> {
    const ended = once(this.server, 'exit');
    this.server.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 6379;
}
