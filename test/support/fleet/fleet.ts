import { onTestFinished } from 'vitest';
import type { TokenSettings } from '../../../lib/config/options/profile.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import {
  type FleetMember,
  settingsFor,
  startMembers,
  TOKEN_SETTINGS,
  WORKER_VARIABLE,
} from './fleet-member.js';
import { RedisServer } from './redis-server.js';
import type { WorkerArgument, WorkerCommand, WorkerResult, WorkerSettings } from './fleet-worker.js';

interface FleetPlan {
  readonly size: number;
  readonly provider: ProviderSimulator;
  readonly redisPort: number;
  readonly token?: Partial<TokenSettings>;
  /** How far off the clock of each process is. */
  readonly clockOffsetMs?: (index: number) => number;
  /** What else is different about each process. */
  readonly settings?: (
    index: number,
  ) => Pick<WorkerSettings, 'proxyPort' | 'lazyRedis' | 'client' | 'accounts'>;
}

/** Real processes that share one token. */
export class Fleet {
  private constructor(readonly members: readonly FleetMember[]) {}

  static async start(plan: FleetPlan): Promise<Fleet> {
    const file = process.env[WORKER_VARIABLE];
    if (file === undefined)
      throw new Error('The setup of the suite has built nothing for the processes to run.');
    return new Fleet(await startMembers(file, plan.size, settingsIn(plan)));
  }

  /** The same processes for another provider: they forget their token, their failures and their record. */
  async openAgain(plan: Omit<FleetPlan, 'size'>): Promise<void> {
    const settings = settingsIn(plan);
    await Promise.all(this.members.map((member, index) => member.ask('open', settings(index))));
  }

  /** All at once, like callers at a barrier that opens. */
  all<Command extends WorkerCommand>(
    command: Command,
    ...args: WorkerArgument<Command>
  ): Promise<WorkerResult<Command>[]> {
    return Promise.all(this.members.map((member) => member.ask(command, ...args)));
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
  }
}

function settingsIn({
  provider,
  redisPort,
  token,
  clockOffsetMs = () => 0,
  settings = () => ({}),
}: Omit<FleetPlan, 'size'>): (index: number) => WorkerSettings {
  return (index) => ({
    ...settingsFor(provider, redisPort),
    clockOffsetMs: clockOffsetMs(index),
    token: { ...TOKEN_SETTINGS, ...token },
    ...settings(index),
  });
}

/** Starts a provider, a Redis and a fleet. All of them end with the test. */
export async function startFleet(
  plan: Omit<FleetPlan, 'provider' | 'redisPort'>,
  options?: ProviderSimulatorOptions,
): Promise<{ provider: ProviderSimulator; fleet: Fleet }> {
  const provider = await ProviderSimulator.start(options);
  onTestFinished(() => provider.close());
  const redis = await RedisServer.start();
  onTestFinished(() => redis.close());
  const fleet = await Fleet.start({ ...plan, provider, redisPort: redis.port });
  onTestFinished(() => fleet.close());
  return { provider, fleet };
}
