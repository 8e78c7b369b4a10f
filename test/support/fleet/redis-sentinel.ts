import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { SENTINEL_NAME } from './redis-clients.js';
import { freePort } from '../run/free-port.js';
import { REDIS_SERVER } from './redis-program.js';
import { RedisServer } from './redis-server.js';

/** One master and one sentinel that points to it, on private ports. */
export class RedisSentinel {
  private constructor(
    readonly master: RedisServer,
    readonly replica: RedisServer | undefined,
    readonly port: number,
    private readonly process: ChildProcess,
  ) {}

  /** @param withReplica if the master dies, the sentinel soon makes the replica the master. Without it, the sentinel waits. */
  static async start({ withReplica = false } = {}): Promise<RedisSentinel> {
    const master = await RedisServer.start();
    const replica = withReplica
      ? await RedisServer.start('--replicaof', '127.0.0.1', String(master.port))
      : undefined;
    for (;;) {
      const port = await freePort();
      const file = join(master.folder, `sentinel-${port}.conf`);
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${master.folder}`,
        `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${master.port} 1`,
        `sentinel down-after-milliseconds ${SENTINEL_NAME} ${withReplica ? 300 : 60_000}`,
        `sentinel failover-timeout ${SENTINEL_NAME} 2000`,
      ];
      await writeFile(file, `${lines.join('\n')}\n`);
      const process = spawn(REDIS_SERVER, [file, '--sentinel'], { stdio: 'ignore' });
      // Another process may have taken the port since. Then the sentinel ends at once.
      if (await answers(process, port)) return new RedisSentinel(master, replica, port, process);
    }
  }

  get ports(): number[] {
    return [this.port];
  }

  /** A client for the test's own commands. */
  async admins(): Promise<Redis[]> {
    return [await this.master.connected()];
  }

  kill(): Promise<void> {
    return this.master.kill();
  }

  launch(): Promise<void> {
    return this.master.launch();
  }

  async close(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    await this.replica?.close();
    await this.master.close();
  }
}

/** Whether the process listens on the port. False if it ends before. */
async function answers(process: ChildProcess, port: number): Promise<boolean> {
  const isAlive = (): boolean => process.exitCode === null && process.signalCode === null;
  while (isAlive()) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    await setTimeout(20);
    if (isOpen && isAlive()) return true;
  }
  return false;
}
