import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node';

type Listener = [event: string, callback: (message: unknown) => void];

/** So many runs, and a thread has gathered enough of what they left behind. */
const MOST_RUNS = 40;

/** Our own modules are evaluated anew in each run: a mutant sees nothing of the state that another one made. */
const ANEW = ['lib', 'test/support'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => resolve(join(folder, name))),
);

let idle: { readonly thread: ThreadsPoolWorker; readonly runs: number } | undefined;

/**
 * A thread that outlives its run, because most of what a mutant costs is importing NestJS, which no mutant changes. A run
 * that left something unfinished takes its thread along: it might fail the next mutant's tests.
 */
export class KeptThread implements PoolWorker {
  readonly name = 'kept-thread';
  readonly #thread: ThreadsPoolWorker;
  readonly #runs: number;
  readonly #project: PoolOptions['project'];
  #listeners: Listener[] = [];

  constructor(options: PoolOptions) {
    this.#thread = idle?.thread ?? new ThreadsPoolWorker(options);
    this.#runs = (idle?.runs ?? 0) + 1;
    this.#project = options.project;
    idle = undefined;
  }

  async start(): Promise<void> {
    if (this.#runs === 1) await this.#thread.start();
  }

  on(...listener: Listener): void {
    this.#listeners.push(listener);
    this.#thread.on(...listener);
  }

  off(...listener: Listener): void {
    this.#thread.off(...listener);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'run') {
      this.#thread.send({ ...message, context: { ...message.context, invalidates: ANEW } });
    } else if (message.type === 'stop') {
      // Answered in the name of the thread, which would take it for its end.
      const answer = { type: 'stopped', __vitest_worker_response__: true };
      for (const [event, callback] of this.#listeners) if (event === 'message') callback(answer);
    } else {
      this.#thread.send(message);
    }
  }

  deserialize(message: unknown): unknown {
    return this.#thread.deserialize(message);
  }

  async stop(): Promise<void> {
    for (const listener of this.#listeners) this.off(...listener);
    this.#listeners = [];
    if (this.#runs < MOST_RUNS && !this.#leftSomething()) idle = { thread: this.#thread, runs: this.#runs };
    else await this.#thread.stop();
  }

  /** A test that hung may wake up later, and an error that nobody caught comes from work that nobody waited for. */
  #leftSomething(): boolean {
    const { state } = this.#project.vitest;
    const told = state
      .getFiles()
      .flatMap(({ tasks, result }) => [result, ...tasks.map((task) => task.result)]);
    return state.errorsSet.size > 0 || JSON.stringify(told).includes('timed out in');
  }
}
