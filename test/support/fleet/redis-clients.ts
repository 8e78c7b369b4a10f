import type { RedisClient } from '../../../lib/redis/index.js';

/** A client of some kind that is connected. */
export interface OpenClient {
  readonly client: RedisClient;
  readonly close: () => void;
}

/** The ports of a single Redis, of the nodes of a cluster, or of the sentinels of the master `SENTINEL_NAME`. */
export type Ports = readonly number[];

/** A user of Redis. Without it, the client is the default user. */
export interface Login {
  readonly username?: string;
  readonly password?: string;
}

export type Topology = 'single' | 'cluster' | 'sentinel';

interface ClientKind {
  readonly topology: Topology;
  /** Loads the driver when it is needed: a process of a fleet loads one of them. */
  open(ports: Ports, login?: Login): Promise<OpenClient>;
}

export const SENTINEL_NAME = 'fleet';

const HOST = '127.0.0.1';
const AGAIN_MS = 50;

interface Ioredis {
  readonly status: string;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'ready', listener: () => void): unknown;
  disconnect(): void;
}

async function ready(client: Ioredis & RedisClient): Promise<OpenClient> {
  client.on('error', () => {});
  await new Promise<void>((resolve) => {
    if (client.status === 'ready') resolve();
    else client.once('ready', () => resolve());
  });
  return { client, close: () => client.disconnect() };
}

interface NodeRedis {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
}

async function connected(client: NodeRedis & RedisClient): Promise<OpenClient> {
  client.on('error', () => {});
  await client.connect();
  return {
    client,
    // The sentinel closes in the background. `destroy` rejects or throws if the client is closed already.
    close: () => void (async () => client.destroy())().catch(() => {}),
  };
}

const retryStrategy = (): number => AGAIN_MS;
const single = ([port = 0]: Ports, login?: Login) => ({ port, host: HOST, retryStrategy, ...login });
const nodes = (ports: Ports) => ports.map((port) => ({ port, host: HOST }));
const byName = (ports: Ports, login?: Login) => ({
  ...login,
  sentinels: nodes(ports),
  name: SENTINEL_NAME,
  sentinelRetryStrategy: retryStrategy,
  retryStrategy,
});
const socket = { reconnectStrategy: AGAIN_MS };
const singleSocket = ([port = 0]: Ports, login?: Login) => ({
  socket: { ...socket, port, host: HOST },
  ...login,
});
const clusterOf = (ports: Ports, login?: Login) => ({
  rootNodes: nodes(ports).map(({ port, host }) => ({ socket: { ...socket, port, host } })),
  defaults: { socket, ...login },
});
const sentinels = (ports: Ports, login?: Login) => ({
  name: SENTINEL_NAME,
  sentinelRootNodes: nodes(ports),
  nodeClientOptions: { socket, ...login },
  scanInterval: 100,
});

/** What `ioredis` and its forks export. */
interface IoredisDriver {
  readonly Redis: new (
    options: ReturnType<typeof single> | ReturnType<typeof byName>,
  ) => Ioredis & RedisClient;
  readonly Cluster: new (
    startupNodes: ReturnType<typeof nodes>,
    options: { readonly clusterRetryStrategy: typeof retryStrategy; readonly redisOptions: Login },
  ) => Ioredis & RedisClient;
}

/** The function that opens a client, for each topology. The driver is loaded when a client is opened. */
function ofIoredis(load: () => Promise<IoredisDriver>): Record<Topology, ClientKind['open']> {
  return {
    single: async (ports, login) => ready(new (await load()).Redis(single(ports, login))),
    cluster: async (ports, login) =>
      ready(
        new (await load()).Cluster(nodes(ports), {
          clusterRetryStrategy: retryStrategy,
          redisOptions: { ...login },
        }),
      ),
    sentinel: async (ports, login) => ready(new (await load()).Redis(byName(ports, login))),
  };
}

/** What node-redis exports. */
interface NodeRedisDriver {
  createClient(options: ReturnType<typeof singleSocket>): NodeRedis & RedisClient;
  createClientPool(options: ReturnType<typeof singleSocket>): NodeRedis & RedisClient;
  createCluster(options: ReturnType<typeof clusterOf>): NodeRedis & RedisClient;
  createSentinel(options: ReturnType<typeof sentinels>): NodeRedis & RedisClient;
}

function ofNodeRedis(load: () => Promise<NodeRedisDriver>): Record<Topology | 'pool', ClientKind['open']> {
  return {
    single: async (ports, login) => connected((await load()).createClient(singleSocket(ports, login))),
    pool: async (ports, login) => connected((await load()).createClientPool(singleSocket(ports, login))),
    cluster: async (ports, login) => connected((await load()).createCluster(clusterOf(ports, login))),
    sentinel: async (ports, login) => connected((await load()).createSentinel(sentinels(ports, login))),
  };
}

const ioredis = ofIoredis(() => import('ioredis'));
const ioredis5 = ofIoredis(() => import('ioredis-5'));
const iovalkey = ofIoredis(() => import('iovalkey'));
const redis = ofNodeRedis(() => import('redis'));
const redis5 = ofNodeRedis(() => import('redis-5'));

async function withBytes(ports: Ports, login?: Login): Promise<OpenClient> {
  const { createClient, RESP_TYPES } = await import('redis');
  const typeMapping = {
    [RESP_TYPES.BLOB_STRING]: Buffer,
    [RESP_TYPES.SIMPLE_STRING]: Buffer,
    [RESP_TYPES.NUMBER]: String,
  };
  return connected(createClient({ ...singleSocket(ports, login), commandOptions: { typeMapping } }));
}

async function withResp3AndBytes(ports: Ports, login?: Login): Promise<OpenClient> {
  const { createClient, RESP_TYPES } = await import('redis-5');
  const opened = createClient({ ...singleSocket(ports, login), RESP: 3 });
  const { close } = await connected(opened);
  return { client: opened.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }), close };
}

async function asFunction(ports: Ports, login?: Login): Promise<OpenClient> {
  const client = (await import('redis')).createClient(singleSocket(ports, login));
  const { close } = await connected(client);
  return {
    client: (script, keys, args) =>
      client.sendCommand(['EVAL', script, String(keys.length), ...keys, ...args]),
    close,
  };
}

const kind = (topology: Topology, open: ClientKind['open']): ClientKind => ({ topology, open });

/** Every kind of client that the README names, in each supported version. */
export const CLIENT_KINDS = {
  'ioredis 6': kind('single', ioredis.single),
  'ioredis 5': kind('single', ioredis5.single),
  iovalkey: kind('single', iovalkey.single),
  'node-redis 6': kind('single', redis.single),
  'node-redis 5': kind('single', redis5.single),
  'node-redis 6 with replies as bytes': kind('single', withBytes),
  'node-redis 5 with RESP 3 and replies as bytes': kind('single', withResp3AndBytes),
  'node-redis 6, pool': kind('single', redis.pool),
  'node-redis 5, pool': kind('single', redis5.pool),
  'a function': kind('single', asFunction),
  'ioredis 6, cluster': kind('cluster', ioredis.cluster),
  'ioredis 5, cluster': kind('cluster', ioredis5.cluster),
  'iovalkey, cluster': kind('cluster', iovalkey.cluster),
  'node-redis 6, cluster': kind('cluster', redis.cluster),
  'node-redis 5, cluster': kind('cluster', redis5.cluster),
  'ioredis 6, sentinel': kind('sentinel', ioredis.sentinel),
  'ioredis 5, sentinel': kind('sentinel', ioredis5.sentinel),
  'iovalkey, sentinel': kind('sentinel', iovalkey.sentinel),
  'node-redis 6, sentinel': kind('sentinel', redis.sentinel),
  'node-redis 5, sentinel': kind('sentinel', redis5.sentinel),
};

export type ClientName = keyof typeof CLIENT_KINDS;

export function clientsFor(topology: Topology): ClientName[] {
  return (Object.keys(CLIENT_KINDS) as ClientName[]).filter(
    (name) => CLIENT_KINDS[name].topology === topology,
  );
}

/** The kind of client that the specs of fleets use: `vitest.config.ts` repeats specs with several kinds. */
export function clientOfThisRun(): ClientName {
  return (process.env['TEST_REDIS_CLIENT'] as ClientName | undefined) ?? 'ioredis 6';
}

/** A few kinds of clients in `npm test`, and every kind in `npm run nightly`. */
export function clientsOfThisRun(few: readonly ClientName[]): readonly ClientName[] {
  return process.env['TEST_REDIS_CLIENTS'] === 'every' ? (Object.keys(CLIENT_KINDS) as ClientName[]) : few;
}
