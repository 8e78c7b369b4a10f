import type { Redis } from 'ioredis';
import type { RedisServer } from './redis-server.js';

/** Everything that clients send to a Redis, as `MONITOR` shows it. */
export class RedisMonitor {
  readonly commands: string[][] = [];
  readonly #monitor: Redis;

  private constructor(monitor: Redis) {
    this.#monitor = monitor;
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      // Redis also reports the commands inside scripts, with the source `lua`. Those are no trips.
      this.commands.push([source, ...args]);
    });
  }

  static async start(server: RedisServer): Promise<RedisMonitor> {
    const client = await server.connected();
    return new RedisMonitor(await client.monitor());
  }

  /** The scripts that clients have sent: one trip each. */
  get trips(): string[][] {
    return this.commands.filter(([source, name]) => source !== 'lua' && name?.toLowerCase() === 'eval');
  }

  get text(): string {
    return this.commands.map((command) => command.join(' ')).join('\n');
  }

  close(): void {
    this.#monitor.disconnect();
  }
}
