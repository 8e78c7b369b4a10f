import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, onTestFinished } from 'vitest';
import type { TokenSettings } from '../../../lib/config/options/profile.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { RedisServer } from './redis-server.js';
import type { WorkerArgument, WorkerCommand, WorkerResult, WorkerSettings } from './fleet-worker.js';

export const TOKEN_SETTINGS: TokenSettings = {
  timeoutMs: 5_000,
  maxAttempts: 3,
  expiryLeewayMs: 0,
  renewAheadMs: 0,
  atBoot: 'no',
};

/** Processes start a few at a time: all at once they would only fight for the cores. */
const STARTED_AT_ONCE = 4;

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface FleetPlan {
  readonly size: number;
  readonly provider: ProviderSimulator;
  readonly redisPort: number;
  readonly token?: Partial<TokenSettings>;
  /** How far off the clock of each process is. */
  readonly clockOffsetMs?: (index: number) => number;
  /** What else is different about each process. */
  readonly settings?: (index: number) => Pick<WorkerSettings, 'proxyPort' | 'lazyRedis' | 'client'>;
}

const folder = `${root}node_modules/.cache/fleet-${process.pid}`;

/** The file that all processes of all fleets of this spec run. */
let built: Promise<string> | undefined;

afterAll(() => rm(folder, { recursive: true, force: true }));

/** From the sources as they are now, into one file with everything in it: that starts in half the time. */
async function buildWorker(): Promise<string> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: 'test/support/fleet/fleet-worker.ts', outDir: folder, emptyOutDir: true, target: 'node20' },
  });
  return `${folder}/fleet-worker.js`;
}

/** Real processes that share one token. */
export class Fleet {
  private constructor(readonly members: readonly FleetMember[]) {}

  static async start({
    size,
    provider,
    redisPort,
    token,
    clockOffsetMs = () => 0,
    settings = () => ({}),
  }: FleetPlan): Promise<Fleet> {
    const pair = { interface: 'easy', environment: 'sandbox' } as const;
    built ??= buildWorker();
    const worker = await built;
    const members: FleetMember[] = [];
    while (members.length < size) {
      const starting = Array.from(
        { length: Math.min(STARTED_AT_ONCE, size - members.length) },
        async (_, index) => {
          const member = await FleetMember.start(worker);
          await member.ask('open', {
            ...pair,
            ...provider.credentials(pair.interface, pair.environment),
            redisPort,
            ca: provider.ca,
            tokenUrl: provider.tokenUrl(pair.interface, pair.environment),
            clockOffsetMs: clockOffsetMs(members.length + index),
            token: { ...TOKEN_SETTINGS, ...token },
            ...settings(members.length + index),
          });
          return member;
        },
      );
      members.push(...(await Promise.all(starting)));
    }
    return new Fleet(members);
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

export class FleetMember {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The process has ended.'));
    });
  }

  static async start(file: string): Promise<FleetMember> {
    const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
    await once(child, 'message');
    return new FleetMember(child);
  }

  ask<Command extends WorkerCommand>(
    command: Command,
    ...args: WorkerArgument<Command>
  ): Promise<WorkerResult<Command>> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, {
        resolve: (result) => resolve(result as WorkerResult<Command>),
        reject,
      });
      this.#child.send({ id: this.#lastId, command, args });
    });
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
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
