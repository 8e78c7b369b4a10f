import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { WorkerArgument, WorkerCommand, WorkerResult, WorkerSettings } from './fleet-worker.js';

/** Processes start a few at a time: all at once they would only fight for the cores. */
const STARTED_AT_ONCE = 4;

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** In this variable the setup of the suite (`fleet.setup.ts`) stores the file that the processes of all fleets run. */
export const WORKER_VARIABLE = 'TEST_FLEET_WORKER';

/** From the sources as they are now, into one file with everything in it: that starts in half the time. */
export async function buildWorker(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = `${root}node_modules/.cache/fleet-${process.pid}`;
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: 'test/support/fleet/fleet-worker.ts', outDir: folder, emptyOutDir: true, target: 'node20' },
  });
  return {
    file: `${folder}/fleet-worker.js`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Starts the processes of a fleet. */
export async function startMembers(
  file: string,
  size: number,
  settings: (index: number) => WorkerSettings,
): Promise<FleetMember[]> {
  const members: FleetMember[] = [];
  while (members.length < size) {
    const count = Math.min(STARTED_AT_ONCE, size - members.length);
    const starting = Array.from({ length: count }, async (_, index) => {
      const member = await FleetMember.start(file);
      await member.ask('open', settings(members.length + index));
      return member;
    });
    members.push(...(await Promise.all(starting)));
  }
  return members;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One process of a fleet. */
export class FleetMember {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(private readonly child: ChildProcess) {
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
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof first !== 'object' || first === null) throw new Error('The process has ended.');
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
      // A process that has ended gets no message, and sends no result.
      this.child.send({ id: this.#lastId, command, args }, (error) => {
        if (error) reject(error);
      });
    });
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
