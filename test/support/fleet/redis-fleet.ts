import { Logger } from '@nestjs/common';
import { afterAll, beforeEach } from 'vitest';
import { type RedisClient, RedisTokenStore } from '../../../lib/redis/index.js';
import { runnerOf } from '../../../lib/redis/redis-client.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { FleetNode, type NodeSettings, settingsFor } from './fleet-node.js';
import { CLIENT_KINDS, type ClientName, clientOfThisRun, type OpenClient } from './redis-clients.js';
import { RedisServer } from './redis-server.js';
import type { RedisService } from './redis-services.js';
import { storedKeys } from './stored-keys.js';

interface NodePlan extends Partial<NodeSettings> {
  /** @default one of this kind */
  readonly client?: RedisClient;
  /** @default the kind of this run */
  readonly kind?: ClientName;
  /** How long it waits for Redis. */
  readonly patienceMs?: number;
}

/** A fleet on a single Redis. */
export async function startRedisFleet() {
  const redis = await RedisServer.start();
  const fleet = await startFleetOn(redis);
  /** A client for the test's own commands. */
  const admin = await redis.connected();
  return { ...fleet, redis, admin };
}

/**
 * Starts one provider for all tests of a file, and closes it and this Redis at its end. Each test begins with an empty
 * Redis, a provider without scripts and records, and an empty log, also if the test before has failed while Redis was down.
 * A test that changes the settings of Redis restores them with `onTestFinished`.
 */
export async function startFleetOn(redis: RedisService) {
  const logs = new CapturedLogs();
  const provider = await ProviderSimulator.start();
  const admins = await redis.admins();
  const opened: OpenClient[] = [];
  /** A connected client for a store, until the next test. */
  const storeClient = async (kind = clientOfThisRun()): Promise<RedisClient> => {
    const one = await CLIENT_KINDS[kind].open(redis.ports);
    opened.push(one);
    return one.client;
  };
  /** Closes them after Redis has executed what they have sent. No caller waits for a publication. */
  const closeClients = async (): Promise<void> => {
    // Some clients send a moment later.
    await new Promise(setImmediate);
    const all = opened.splice(0);
    await Promise.all(
      all.map(async ({ client }) => runnerOf(client, 1_000)?.('return 1', ['key'], []).catch(() => {})),
    );
    for (const { close } of all) close();
  };
  beforeEach(async () => {
    await redis.launch();
    await closeClients();
    provider.reset();
    Logger.overrideLogger(logs);
    await Promise.all(admins.map((admin) => admin.flushall()));
    // Last, because closing a client may end a command of the test before, and its process then logs that.
    logs.lines.length = 0;
  });
  afterAll(async () => {
    for (const { close } of opened) close();
    await redis.close();
    await provider.close();
  });
  return {
    provider,
    logs,
    storeClient,
    /** A process with its own client. */
    node: async ({ client, kind, patienceMs = 2_000, ...settings }: NodePlan = {}): Promise<FleetNode> => {
      const store = new RedisTokenStore(client ?? (await storeClient(kind)), { timeoutMs: patienceMs });
      return new FleetNode(store, { ...settingsFor(provider), ...settings });
    },
    /** What the library has logged in this test. */
    said: (): string[] => logs.of('ProviderAuth'),
    entryKeys: async (): Promise<string[]> =>
      (await Promise.all(admins.map((admin) => storedKeys(admin, 'entry')))).flat(),
  };
}
