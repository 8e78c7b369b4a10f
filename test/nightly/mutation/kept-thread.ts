import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node';
import { noteKillers } from './killing-first.js';

type Listener = [event: string, callback: (message: unknown) => void];

/** After so many runs a thread is replaced, because runs leave memory and timers behind. */
const MOST_RUNS = 40;

/** Our own modules are evaluated again in each run, so no mutant sees the state of another mutant. */
const EVALUATED_AGAIN = ['lib', 'test/support'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => resolve(join(folder, name))),
);

let idle: { readonly thread: ThreadsPoolWorker; readonly runs: number } | undefined;

/**
 * A thread that is used for several runs. Most of the time of a run goes into importing NestJS, which no mutant changes.
 * If a run leaves something unfinished, its thread is not used again, because that could fail the tests of the next mutant.
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
      this.#thread.send({ ...message, context: { ...message.context, invalidates: EVALUATED_AGAIN } });
    } else if (message.type === 'stop') {
      // The pool expects this answer. The thread itself does not get the message, because it would end.
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
    noteKillers(this.#project.vitest);
    for (const listener of this.#listeners) this.off(...listener);
    this.#listeners = [];
    if (this.#runs < MOST_RUNS && !this.#leftSomething()) idle = { thread: this.#thread, runs: this.#runs };
    else await this.#thread.stop();
  }

  /** A test that hung may go on later. An uncaught error comes from work that no test waited for. */
  #leftSomething(): boolean {
    const { state } = this.#project.vitest;
    const results = state
      .getFiles()
      .flatMap(({ tasks, result }) => [result, ...tasks.map((task) => task.result)]);
    return state.errorsSet.size > 0 || JSON.stringify(results).includes('timed out in');
  }
}
