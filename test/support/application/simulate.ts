import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../../lib/cli/program.js';
import { callHttps, type HttpsAnswer } from '../http/https-call.js';
import { ROOT } from '../package/packed-package.js';
import { strangersEnvironment } from '../run/run-command.js';
import { BEFORE, COMMAND, PROGRAM } from './doctor.js';
import { PressedKeys } from './pressed-keys.js';
import { givenFolder } from '../run/given-folder.js';

/** The files of the page, as the sources have them. */
export const PAGE_FOLDER = join(ROOT, 'lib/cli/simulate/page');

/** The files that the command writes, in the folder where it runs. */
export const SETTINGS = '.provider-simulator/.env';
export const AUTHORITY = '.provider-simulator/ca.pem';

/** A process starts in a second, and in some seconds on a busy machine. */
export const SOON = { timeout: 20_000, interval: 20 };

/** One line of `--json`. */
export type Line = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

function enter(folder: string): void {
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
}

/** What a running command has written, and requests to it. */
abstract class Simulation {
  text = '';
  readonly #lines: Line[] = [];
  #read = 0;

  constructor(readonly folder: string) {}

  /** The events of `--json` so far. Each of thousands is read once: a test asks again and again. */
  get lines(): Line[] {
    const end = this.text.lastIndexOf('\n') + 1;
    const events = this.text.slice(this.#read, end).split('\n');
    this.#lines.push(...events.filter((line) => line.startsWith('{')).map((line): Line => JSON.parse(line)));
    this.#read = end;
    return [...this.#lines];
  }

  /** The event `started` of `--json`. */
  get started(): Line {
    const [first] = this.lines;
    if (first?.['event'] !== 'started') throw new Error(`The command has not started: ${this.text}`);
    return first;
  }

  /** The variables of the file that the command wrote. */
  get variables(): Record<string, string> {
    return parseEnv(readFileSync(join(this.folder, SETTINGS), 'utf8')) as Record<string, string>;
  }

  /** Waits until the output contains this text. */
  async shows(text: string | RegExp): Promise<void> {
    await this.#until(() => (typeof text === 'string' ? this.text.includes(text) : text.test(this.text)));
  }

  /** The events `request` of `--json`, when there are so many. */
  async requests(count: number): Promise<Line[]> {
    const found = (): Line[] => this.lines.filter(({ event }) => event === 'request');
    await this.#until(() => found().length >= count);
    return found();
  }

  /** A token request as the file says, but for what the test changes about the form. */
  askForToken(changes: Record<string, string> = {}, pair = 'EASY_SANDBOX'): Promise<HttpsAnswer> {
    const { variables } = this;
    const [name = ''] = pair.split('_');
    const url =
      variables[`PROVIDER_${pair}_TOKEN_URL`] ?? variables[`PROVIDER_${name}_TOKEN_URL`] ?? 'missing';
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: variables[`PROVIDER_${pair}_CLIENT_ID`] ?? '',
      client_secret: variables[`PROVIDER_${pair}_CLIENT_SECRET`] ?? '',
      ...changes,
    });
    return this.post(url, form.toString());
  }

  /** A token request with this form. */
  post(url: string, form: string): Promise<HttpsAnswer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send(url, { method: 'POST', headers, body: form });
  }

  /** A new token, just obtained. */
  async token(pair?: string): Promise<string> {
    return String((await this.askForToken({}, pair)).json['access_token']);
  }

  /** A request under the base URL of easy sandbox, with this token. The path is sent unchanged. */
  callApi(token: string | undefined, path = '/payments/1'): Promise<HttpsAnswer> {
    const base = this.variables['PROVIDER_EASY_SANDBOX_BASE_URL'] ?? 'missing';
    return this.#send(base, {
      path: new URL(base).pathname + path,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
  }

  /** A request to any address of the simulator. */
  get(url: string): Promise<HttpsAnswer> {
    return this.#send(url, {});
  }

  /** POST of a chain of verbs. */
  async control(target: string, chain: unknown): Promise<{ status: number; body: Line }> {
    const response = await fetch(`${this.started['control']}/${target}`, {
      method: 'POST',
      body: typeof chain === 'string' ? chain : JSON.stringify(chain),
    });
    return { status: response.status, body: (await response.json()) as Line };
  }

  async #until(condition: () => boolean): Promise<void> {
    await vi.waitUntil(condition, SOON).catch(() => {
      throw new Error(`The command has written only this: ${this.text}`);
    });
  }

  async #send(url: string, call: Omit<Parameters<typeof callHttps>[1], 'agent'>): Promise<HttpsAnswer> {
    const agent = new Agent({ ca: readFileSync(join(this.folder, AUTHORITY)) });
    try {
      return await callHttps(url, { ...call, agent });
    } finally {
      agent.destroy();
    }
  }
}

interface Here {
  /** A terminal as output, which can erase a line. */
  readonly terminal?: boolean;
  readonly folder?: string;
  /** Whether the command runs in the folder, and finds the places of its files itself. */
  readonly entersFolder?: boolean;
}

/** The command in the process of the test, from the sources. It ends with the test. */
export class SimulationHere extends Simulation {
  readonly keys = new PressedKeys();
  ended: Promise<number> = Promise.resolve(-1);

  static async start(
    args: readonly string[] = [],
    { terminal = false, folder = givenFolder(), entersFolder = false }: Here = {},
  ): Promise<SimulationHere> {
    const simulation = new SimulationHere(folder);
    const write = (text: string): void => void (simulation.text += text);
    const names = args.map((arg) => arg.replace(/=.*/s, ''));
    const port = names.includes('--port') ? [] : ['--port', '0'];
    if (entersFolder) enter(folder);
    const isPlaced = entersFolder || names.some((name) => name === '--settings' || name === '--env-file');
    const files = isPlaced ? [] : ['--settings', join(folder, SETTINGS)];
    const all = ['simulate', ...port, ...files, ...(terminal ? [] : ['--json']), ...args];
    const streams = {
      stdout: { write, isTTY: terminal, columns: 100 },
      stderr: { write },
      stdin: simulation.keys,
    };
    simulation.ended = run(all, streams, PAGE_FOLDER);
    onTestFinished(() => simulation.end().then(() => undefined));
    let isOver = false;
    void simulation.ended.then(() => (isOver = true));
    await vi.waitUntil(() => isOver || simulation.keys.listenerCount('data') > 0, SOON);
    return simulation;
  }

  press(key: string): void {
    this.keys.press(key);
  }

  /** Ends the command as Ctrl-C on a terminal does. */
  end(): Promise<number> {
    this.press('\u0003');
    return this.ended;
  }
}

interface Process {
  readonly folder?: string;
  /** A pseudo terminal instead of a pipe. */
  readonly terminal?: boolean;
}

/** The command as a process, from the build. It ends with the test. */
export class SimulationProcess extends Simulation {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<[code: number | null]>;

  constructor(args: readonly string[] = [], { folder = givenFolder(), terminal = false }: Process = {}) {
    super(folder);
    const command = [COMMAND, 'simulate', ...args];
    const options = { cwd: folder, env: { ...strangersEnvironment(), TERM: 'xterm' } };
    this.#child = terminal
      ? spawn('script', ['-qec', command.join(' '), '/dev/null'], options)
      : spawn(PROGRAM, [...BEFORE, ...command.slice(1)], options);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (bytes: Buffer) => (this.text += bytes.toString()));
    this.#exit = once(this.#child, 'close') as Promise<[number | null]>;
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.#exit;
    });
  }

  /** Starts the command with `--json` and waits until it has started. */
  static async start(args: readonly string[] = [], options?: Process): Promise<SimulationProcess> {
    const simulation = new SimulationProcess(['--json', ...args], options);
    await simulation.shows(/"event":"started".*\n/);
    return simulation;
  }

  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  async end(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    return this.exitCode();
  }

  async exitCode(): Promise<number | null> {
    const [code] = await this.#exit;
    return code;
  }
}
