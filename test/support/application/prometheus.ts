import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../run/free-port.js';
import { ROOT } from '../package/packed-package.js';
import { unpackDebian } from '../run/debian-package.js';
import { type CommandResult, runCommand } from '../run/run-command.js';
import { givenFolder } from '../run/given-folder.js';

const HOME = join(ROOT, 'node_modules/.cache/prometheus');

/** Prometheus adds these labels to each metric that it reads. */
export const LABELS_OF_PROMETHEUS = ['job', 'instance'];

/** One row of a query's result. */
export interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A real Prometheus, which ends with the test. */
export class Prometheus {
  private constructor(private readonly origin: string) {}

  /** Fetches Debian's package once and unpacks it. Nothing is installed. */
  static unpack(): Promise<void> {
    return unpackDebian(
      { packages: ['prometheus'], programs: ['prometheus', 'promtool'], needsLibraries: false },
      HOME,
    );
  }

  /** What `promtool check rules` says about the text of a rule file. */
  static async check(rules: string): Promise<CommandResult> {
    const folder = await folderWith({ 'rules.yml': rules });
    return runCommand(join(HOME, 'promtool'), ['check', 'rules', 'rules.yml'], { cwd: folder });
  }

  /** What `promtool test rules` says about the rules and these tests. */
  static async test(rules: string, tests: object): Promise<CommandResult> {
    const text = JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '15s', tests: [tests] });
    const folder = await folderWith({ 'rules.yml': rules, 'tests.yml': text });
    return runCommand(join(HOME, 'promtool'), ['test', 'rules', 'tests.yml'], { cwd: folder });
  }

  /** Starts to read `/metrics` of an application, and to evaluate the rules. A minute of the rules takes one second. */
  static async watch(application: string, rules: string): Promise<Prometheus> {
    const port = await freePort();
    const folder = await folderWith({
      'rules.yml': rules.replaceAll(/(?<=for: |\[)(\d+)m\b/g, '$1s'),
      'prometheus.yml': [
        'global: { scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms }',
        'rule_files: [rules.yml]',
        'scrape_configs:',
        `  - { job_name: shop, static_configs: [{ targets: ['${new URL(application).host}'] }] }`,
      ].join('\n'),
    });
    const address = `127.0.0.1:${port}`;
    const settings = ['--config.file=prometheus.yml', '--storage.tsdb.path=data'];
    const program = spawn(join(HOME, 'prometheus'), [...settings, `--web.listen-address=${address}`], {
      cwd: folder,
      stdio: 'ignore',
    });
    const ended = once(program, 'exit');
    onTestFinished(async () => {
      program.kill('SIGKILL');
      await ended;
    });
    return new Prometheus(`http://${address}`);
  }

  /** The values of an expression now, each with its labels. */
  async query(expression: string): Promise<readonly QueryResult[]> {
    const response = await fetch(`${this.origin}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data, error } = (await response.json()) as { data?: { result: QueryResult[] }; error?: string };
    if (data === undefined) throw new Error(`Prometheus refuses ${expression}: ${error}`);
    return data.result;
  }
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = givenFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}
