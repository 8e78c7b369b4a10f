import { fork } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { install, manifest, optionalPeers, pack, requiredPeers, ROOT } from './packed-package.js';
import { type CommandResult, runCommand, runNode, strangersEnvironment } from '../run/run-command.js';

const SOURCES = join(ROOT, 'test/package/apps/readme');

/** Where a case takes in the block of the page, word for word. */
const PLACE = '// THE BLOCK\n';

/** What a reader has besides what package.json of the package names. */
const OF_THE_READER = [
  '@nestjs/platform-express',
  '@nestjs/testing',
  '@opentelemetry/sdk-metrics',
  '@types/node',
  'nock',
  'vitest',
];

type Variables = Readonly<Record<string, string | undefined>>;

export interface Play {
  readonly provider: ProviderSimulator;
  /** Beside those of the provider; `undefined` takes one away. */
  readonly env?: Variables;
  /** Files in the folder where it runs. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the case may ask for while it runs. */
  readonly steps?: Readonly<Record<string, (cwd: string) => unknown>>;
}

export interface Played {
  readonly code: number | null;
  /** What the case told. */
  readonly told: unknown;
  readonly output: string;
}

/** An application made of what the page shows: each block in its case, with the packed package beside it. */
export class ReadmeApp {
  #runs = 0;

  private constructor(private readonly directory: string) {}

  static async make(directory: string, blocks: ReadonlyMap<string, string>): Promise<ReadmeApp> {
    const { tarball } = await pack(directory);
    const dependencies = Object.keys(manifest.dependencies);
    await install(tarball, directory, [
      ...requiredPeers,
      ...optionalPeers,
      ...dependencies,
      ...OF_THE_READER,
    ]);
    await cp(SOURCES, directory, { recursive: true });
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    for (const name of await casesOfReadme()) {
      const file = join(directory, 'cases', `${name}.ts`);
      const frame = await readFile(file, 'utf8');
      if (frame.split(PLACE).length !== 2)
        throw new Error(`The case ${name} has no one place for the block.`);
      const block = blocks.get(name);
      if (block === undefined) throw new Error(`The case ${name} has no block in the README.`);
      await writeFile(
        file,
        frame.replace(PLACE, () => `${block}\n`),
      );
    }
    return new ReadmeApp(directory);
  }

  compile(): Promise<CommandResult> {
    return runNode([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], {
      cwd: this.directory,
      timeoutMs: 180_000,
    });
  }

  /** Runs a case in a process of its own, as the application of somebody whose variables point at this provider. */
  async play(name: string, { provider, env = {}, files = {}, steps = {} }: Play): Promise<Played> {
    const cwd = await this.#folder(name, { 'authority.pem': provider.ca, ...files });
    const child = fork(join(this.directory, 'dist/cases', `${name}.js`), {
      cwd,
      env: this.#variables(provider, cwd, env),
      silent: true,
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    let told: unknown;
    child.on('message', ([kind, what]: [string, unknown]) => {
      if (kind === 'tell') told = what;
      else void Promise.resolve(steps[String(what)]?.(cwd)).then(() => child.send('done'));
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('A silent child has its output in pipes.');
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, out, errors] = await Promise.all([ended, text(stdout), text(stderr)]);
    return { code, told, output: out + errors };
  }

  /** Runs a case that is a spec, by the reader's own Vitest. */
  async vitest(name: string, { provider, env = {} }: Play): Promise<CommandResult> {
    const cwd = await this.#folder(name, { 'authority.pem': provider.ca });
    const vitest = join(this.directory, 'node_modules/vitest/vitest.mjs');
    const spec = `dist/cases/${name}.js`;
    return runNode([vitest, 'run', '--globals', '--no-color', '--root', this.directory, spec], {
      cwd: this.directory,
      env: defined(this.#variables(provider, cwd, env)),
      timeoutMs: 120_000,
    });
  }

  /** The command, by its first line as npx finds it; in a folder of its own unless one is named. */
  async doctor({ provider, env = {} }: Play, folder?: string): Promise<CommandResult> {
    const command = join(
      this.directory,
      'node_modules',
      manifest.name,
      manifest.bin?.['provider-auth'] ?? '',
    );
    const cwd = folder ?? (await this.#folder('doctor', { 'authority.pem': provider.ca }));
    const variables = defined(this.#variables(provider, cwd, env));
    return runCommand(command, ['doctor'], { cwd, env: variables });
  }

  async #folder(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    this.#runs += 1;
    const cwd = join(this.directory, 'runs', `${name}-${this.#runs}`);
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, file)), { recursive: true });
      await writeFile(join(cwd, file), content);
    }
    return cwd;
  }

  #variables(provider: ProviderSimulator, cwd: string, env: Variables): Record<string, string | undefined> {
    const trust = { NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem') };
    return { ...strangersEnvironment(), ...provider.env(), ...trust, ...env };
  }
}

/** The names of the cases, with `.spec` where they are one. */
export async function casesOfReadme(): Promise<string[]> {
  const files = await readdir(join(SOURCES, 'cases'));
  return files.map((file) => file.replace(/\.ts$/, ''));
}

function defined(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
