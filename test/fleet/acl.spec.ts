import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisClient, RedisTokenStore } from '../../lib/redis/index.js';
import { tokenStoreChecks } from '../../lib/testing/index.js';
import {
  CLIENT_KINDS,
  type ClientName,
  clientsFor,
  clientsOfThisRun,
  type Topology,
} from '../support/fleet/redis-clients.js';
import { RedisCluster } from '../support/fleet/redis-cluster.js';
import { startRedisFleet } from '../support/fleet/redis-fleet.js';
import { ROOT } from '../support/package/packed-package.js';

const LOGIN = { username: 'provider-auth', password: 'password' };
/** Redis has three texts for a command or a key that a user or a script of the user may not use. */
const REFUSED = /NOPERM|ACL failure|can't run this command/;
const POLL = { timeout: 10_000, interval: 50 };

/** The rules of the user on the page. */
const RULES = ruleLine(/^ACL SETUSER provider-auth on >password (.*)$/m);
/** What the clients of clusters need besides. */
const CLUSTER_RULES = ruleLine(/^ACL SETUSER provider-auth (\+cluster.*)$/m);

const COMMANDS = RULES.filter((rule) => rule.startsWith('+'));

const NAMES = clientsOfThisRun(['ioredis 6', 'node-redis 6', 'node-redis 6, cluster']);
const kinds = (topology: Topology): ClientName[] =>
  clientsFor(topology).filter((name) => NAMES.includes(name));

function ruleLine(line: RegExp): string[] {
  const page = readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8');
  return line.exec(page)?.[1]?.split(' ') ?? [];
}

const { provider, redis, admin, node, said, entryKeys } = await startRedisFleet();

beforeEach(() => {
  // Without `+info`, ioredis prints that it skips its ready check.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

async function setUser(node: Redis, rules: readonly string[]): Promise<void> {
  await node.call('ACL', 'SETUSER', LOGIN.username, 'reset', 'on', `>${LOGIN.password}`, ...rules);
}

async function clientOf(name: ClientName, ports = redis.ports): Promise<RedisClient> {
  const { client, close } = await CLIENT_KINDS[name].open(ports, LOGIN);
  onTestFinished(close);
  return client;
}

async function store(name: ClientName, ports?: number[]): Promise<RedisTokenStore> {
  return new RedisTokenStore(await clientOf(name, ports), { timeoutMs: 2_000 });
}

/** Every operation with every way through its script. Also garbage is deleted, if this is a node. */
async function everyOperation(one: RedisTokenStore, node?: Redis): Promise<void> {
  for (const { run } of tokenStoreChecks(() => one)) await run();
  await node?.rpush('provider-auth:{name}', 'a list');
  expect(await one.claim({ name: 'name' })).toMatchObject({ state: 'free' });
}

describe('a user of Redis with the commands that the page lists', () => {
  it.each(kinds('single'))('B22: shares tokens with %s', async (name) => {
    await setUser(admin, RULES);
    await everyOperation(await store(name), admin);
    await admin.flushall();
    const one = await node({ client: await clientOf(name) });
    const { fingerprint } = await one.get();
    await expect.poll(entryKeys, POLL).toHaveLength(1);
    const other = await node({ client: await clientOf(name) });
    expect((await other.get()).fingerprint).toBe(fingerprint);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(said()).toEqual([]);
  });

  it('B22: has no command that the store can do without', async () => {
    expect(COMMANDS.length).toBeGreaterThan(3);
    for (const command of COMMANDS) {
      await admin.flushall();
      await setUser(
        admin,
        RULES.filter((rule) => rule !== command),
      );
      const without = await store('node-redis 6');
      await expect(everyOperation(without, admin), `without ${command}`).rejects.toThrow(REFUSED);
    }
  });

  it('B22: that lacks the right to measure an entry is a store that fails, and deletes no entry', async () => {
    await setUser(admin, RULES);
    const shared = await store('node-redis 6');
    await shared.publish({ name: 'name', owner: 'me', value: 'value', expiresAt: Date.now() + 60_000 });
    await setUser(
      admin,
      RULES.filter((rule) => rule !== '+strlen'),
    );
    await expect((await store('node-redis 6')).claim({ name: 'name' })).rejects.toThrow(REFUSED);
    expect(await admin.get('provider-auth:{name}')).toBe('value');
  });

  it.each(kinds('cluster'))('B22: and with those for a cluster, shares tokens with %s', async (name) => {
    const cluster = await clusterWithUser();
    const operations = everyOperation(await store(name, cluster.ports));
    await expect(operations).resolves.toBeUndefined();
    for (const node of await cluster.admins()) await node.flushall();
  });
});

let cluster: Promise<RedisCluster> | undefined;

/** One cluster for all tests that need one. */
async function clusterWithUser(): Promise<RedisCluster> {
  cluster ??= RedisCluster.start();
  const started = await cluster;
  for (const node of await started.admins()) await setUser(node, [...RULES, ...CLUSTER_RULES]);
  return started;
}

afterAll(async () => (await cluster)?.close());
