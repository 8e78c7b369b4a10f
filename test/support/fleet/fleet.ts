import { onTestFinished } from 'vitest';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { LEASE_MS } from '../../../lib/token/pauses.js';
import { type FleetMember, startMembers, WORKER_VARIABLE } from './fleet-member.js';
import { settingsFor } from './fleet-node.js';
import type { WorkerArgument, WorkerCommand, WorkerResult, WorkerSettings } from './fleet-worker.js';
import { RedisMonitor } from './redis-monitor.js';
import { RedisServer } from './redis-server.js';

interface FleetPlan {
  readonly size: number;
  /** What is different about each process. */
  readonly settings?: (index: number, provider: ProviderSimulator) => Partial<WorkerSettings>;
}

/** Real processes that share one token, their provider, and a person who watches their Redis. */
export class Fleet {
  private constructor(
    readonly members: readonly FleetMember[],
    readonly provider: ProviderSimulator,
    readonly redis: RedisServer,
    readonly monitor: RedisMonitor,
  ) {}

  /** @param atEnd calls what closes everything. @default the end of the test */
  static async start(
    { size, settings = () => ({}) }: FleetPlan,
    options?: ProviderSimulatorOptions,
    atEnd: (close: () => Promise<void>) => void = onTestFinished,
  ): Promise<Fleet> {
    const file = process.env[WORKER_VARIABLE];
    if (file === undefined)
      throw new Error('The setup of the suite has built nothing for the processes to run.');
    const provider = await ProviderSimulator.start(options);
    atEnd(() => provider.close());
    const redis = await RedisServer.start();
    atEnd(() => redis.close());
    const monitor = await RedisMonitor.start(redis);
    atEnd(async () => monitor.close());
    const shared = { ...settingsFor(provider), redisPort: redis.port };
    const members = await startMembers(file, size, (index) => ({ ...shared, ...settings(index, provider) }));
    atEnd(async () => void (await Promise.all(members.map((member) => member.kill()))));
    return new Fleet(members, provider, redis, monitor);
  }

  /** All at once, like callers at a barrier that opens. */
  all<Command extends WorkerCommand>(
    command: Command,
    ...args: WorkerArgument<Command>
  ): Promise<WorkerResult<Command>[]> {
    return Promise.all(this.members.map((member) => member.ask(command, ...args)));
  }

  /** What the library has logged in all processes. */
  async logs(): Promise<string[]> {
    return (await this.all('record')).flatMap(({ logs }) => logs);
  }
}

/**
 * How many leases can have followed each other since this moment of `performance.now()`: as many token requests may a fleet
 * make for one renewal. A renewal on an idle machine ends in the first lease. On a busy machine it may take longer than a
 * lease, and then one more process asks.
 */
export function leasesSince(started: number): number {
  return 1 + Math.floor((performance.now() - started) / LEASE_MS);
}
