import { setTimeout as passed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../run/free-port.js';
import { RedisServer } from './redis-server.js';

const SLOTS = 16_384;
const NODES = 3;

/** A slot on its way from one node to another. */
interface SlotMove {
  /** Moves one key. */
  readonly move: (key: string) => Promise<void>;
  /** Moves the other keys, and makes the move known to all nodes. */
  readonly end: () => Promise<void>;
}

/** Three masters that share the slots, on private ports. */
export class RedisCluster {
  readonly #nodes: RedisServer[];

  private constructor(nodes: readonly RedisServer[]) {
    this.#nodes = [...nodes];
  }

  static async start(): Promise<RedisCluster> {
    const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode()));
    const cluster = new RedisCluster(nodes);
    await cluster.#join();
    return cluster;
  }

  get nodes(): readonly RedisServer[] {
    return this.#nodes;
  }

  get ports(): number[] {
    return this.nodes.map(({ port }) => port);
  }

  /** One client for each node, for the test's own commands. */
  admins(): Promise<Redis[]> {
    return Promise.all(this.nodes.map((node) => node.connected()));
  }

  /** The node that has this key now. */
  async ownerOf(key: string): Promise<RedisServer> {
    for (const node of this.nodes) {
      const reply = await this.#asked(node, 'GET', key);
      if (!(reply instanceof Error)) return node;
    }
    throw new Error('No node has this key.');
  }

  /** Whether a node has noticed that the cluster cannot serve all slots. */
  async isDown(): Promise<boolean> {
    const infos = await Promise.all(this.nodes.map((node) => this.#asked(node, 'CLUSTER', 'INFO')));
    return infos.some((info) => String(info).includes('cluster_state:fail'));
  }

  /** Adds a replica of this node. The replica does not take over by itself, unless a test says so with `takeOver`. */
  async addReplica(master: RedisServer): Promise<RedisServer> {
    const replica = await startNode();
    this.#nodes.push(replica);
    const id = String(await this.#asked(master, 'CLUSTER', 'MYID'));
    await this.#meet(replica);
    await repeat(async () => (await this.#asked(replica, 'CLUSTER', 'REPLICATE', id)) === 'OK');
    await repeat(async () => String(await this.#asked(replica, 'INFO')).includes('master_link_status:up'));
    return replica;
  }

  /** The replica becomes the master at once. */
  async takeOver(replica: RedisServer): Promise<void> {
    await repeat(async () => (await this.#asked(replica, 'CLUSTER', 'FAILOVER', 'TAKEOVER')) === 'OK');
  }

  /**
   * Begins to move the slot of this key to another node. Until its end, the old node answers `ASK` for keys that are moved, and
   * `TRYAGAIN` to a script that uses keys of both nodes.
   */
  async beginMove(key: string): Promise<SlotMove> {
    const from = await this.ownerOf(key);
    const to = this.nodes.find((node) => node !== from) ?? from;
    const slot = String(await this.#asked(from, 'CLUSTER', 'KEYSLOT', key));
    const [fromId, toId] = [
      String(await this.#asked(from, 'CLUSTER', 'MYID')),
      String(await this.#asked(to, 'CLUSTER', 'MYID')),
    ];
    await this.#asked(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await this.#asked(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    const move = async (moved: string): Promise<void> => {
      await this.#asked(from, 'MIGRATE', '127.0.0.1', String(to.port), moved, '0', '5000');
    };
    const end = async (): Promise<void> => {
      const left = await this.#asked(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '100');
      for (const one of Array.isArray(left) ? left : []) await move(String(one));
      for (const node of [to, from, ...this.nodes])
        await this.#asked(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    };
    return { move, end };
  }

  /** The reply of one node, or its error. */
  async #asked(node: RedisServer, command: string, ...args: string[]): Promise<unknown> {
    const client = node.client({ maxRetriesPerRequest: 1 });
    try {
      return await client.call(command, ...args);
    } catch (error) {
      return error;
    } finally {
      client.disconnect();
    }
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** Starts the nodes again. Each node knows the others from its file. */
  async launch(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.launch()));
    await this.agreed();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** As `redis-cli --cluster create` does. */
  async #join(): Promise<void> {
    const all = await this.admins();
    await Promise.all(
      all.map(async (node, index) => {
        const from = Math.floor((index * SLOTS) / NODES);
        const to = Math.floor(((index + 1) * SLOTS) / NODES) - 1;
        await node.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
        await node.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
      }),
    );
    for (const node of this.nodes.slice(1)) await this.#meet(node);
    await this.agreed();
  }

  async #meet(node: RedisServer): Promise<void> {
    const [first] = this.nodes;
    if (first === undefined) return;
    const bus = String(await this.#asked(node, 'CONFIG', 'GET', 'cluster-port')).split(',')[1] ?? '';
    await this.#asked(first, 'CLUSTER', 'MEET', '127.0.0.1', String(node.port), bus);
  }

  /** Until every node knows the owner of every slot. */
  async agreed(): Promise<void> {
    for (const node of await this.admins()) {
      const agrees = async (): Promise<boolean> => {
        const info = String(await node.call('CLUSTER', 'INFO'));
        const slots = String(await node.call('CLUSTER', 'SHARDS'));
        return info.includes('cluster_state:ok') && this.ports.every((port) => slots.includes(String(port)));
      };
      await repeat(agrees);
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

async function repeat(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await passed(20);
}
