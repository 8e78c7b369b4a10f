import { Redis } from 'ioredis';
import { freePort, RedisServer } from './redis-server.js';

const SLOTS = 16_384;
const NODES = 3;

/** Three masters that share the slots, on private ports. */
export class RedisCluster {
  private constructor(private readonly nodes: readonly RedisServer[]) {}

  static async start(): Promise<RedisCluster> {
    const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode()));
    const cluster = new RedisCluster(nodes);
    await cluster.#join();
    return cluster;
  }

  get ports(): number[] {
    return this.nodes.map(({ port }) => port);
  }

  /** One client for each node, for the test's own commands. */
  admins(): Promise<Redis[]> {
    return Promise.all(this.nodes.map((node) => node.connected()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** Starts the nodes again. Each node knows the others from its file. */
  async launch(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.launch()));
    await this.#agreed();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** As `redis-cli --cluster create` does. */
  async #join(): Promise<void> {
    const [first, ...others] = await this.admins();
    const all = first === undefined ? [] : [first, ...others];
    await Promise.all(
      all.map(async (node, index) => {
        const from = Math.floor((index * SLOTS) / NODES);
        const to = Math.floor(((index + 1) * SLOTS) / NODES) - 1;
        await node.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
        await node.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
      }),
    );
    for (const node of others) {
      const bus = String(await node.config('GET', 'cluster-port')).split(',')[1] ?? '';
      await first?.call('CLUSTER', 'MEET', '127.0.0.1', String(node.options.port), bus);
    }
    await this.#agreed();
  }

  /** Until every node knows the owner of every slot. */
  async #agreed(): Promise<void> {
    for (const node of await this.admins()) {
      const agrees = async (): Promise<boolean> => {
        const info = String(await node.call('CLUSTER', 'INFO'));
        const slots = String(await node.call('CLUSTER', 'SHARDS'));
        return info.includes('cluster_state:ok') && this.ports.every((port) => slots.includes(String(port)));
      };
      while (!(await agrees()))
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
    }
  }
}

/** A node needs two free ports. Another process may take one of them before the node does, so the start is repeated. */
async function startNode(attempts = 3): Promise<RedisServer> {
  const bus = String(await freePort());
  const announced = ['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '5000'];
  try {
    return await RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', bus, ...announced);
  } catch (error) {
    if (attempts <= 1) throw error;
    return startNode(attempts - 1);
  }
}
