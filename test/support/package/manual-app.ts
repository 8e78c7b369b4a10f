import { fork } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { codeWithBlock } from './code-blocks.js';
import { install, manifest, optionalPeers, pack, requiredPeers, ROOT } from './packed-package.js';
import { type CommandResult, runCommand, runNode, strangersEnvironment } from '../run/run-command.js';

const SOURCES = join(ROOT, 'test/package/apps/manual');

/** Packages of a reader that are not in package.json of the package. */
const OF_THE_READER = [
  '@aws-sdk/client-secrets-manager',
  '@azure/identity',
  '@azure/keyvault-secrets',
  '@google-cloud/secret-manager',
  '@grpc/grpc-js',
  '@nestjs/platform-express',
  '@nestjs/testing',
  '@opentelemetry/sdk-metrics',
  '@types/node',
  '@types/ws',
  'axios-cache-interceptor',
  'axios-retry',
  'nock',
  'prom-client',
  'vitest',
  'ws',
];

type Variables = Readonly<Record<string, string | undefined>>;

/** A simulator of any definition. */
type Simulated = Pick<ProviderSimulator, 'ca' | 'env'>;

export interface CaseOptions {
  readonly provider: Simulated;
  /** In addition to the variables of the provider; `undefined` removes a variable. */
  readonly env?: Variables;
  /** Files in the working directory of the case. */
  readonly files?: Readonly<Record<string, string>>;
  /** The functions that the case can call by name while it runs. */
  readonly steps?: Readonly<Record<string, (cwd: string) => unknown>>;
}

export interface CaseResult {
  readonly code: number | null;
  /** The value that the case reported. */
  readonly reported: unknown;
  readonly output: string;
}

/** An application made of the blocks of the page: each block in its case, with the packed package installed. */
export class ManualApp {
  #runs = 0;

  private constructor(private readonly directory: string) {}

  static async make(directory: string, blocks: ReadonlyMap<string, string>): Promise<ManualApp> {
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
    for (const name of await casesOfManual()) {
      await writeFile(join(directory, 'cases', `${name}.ts`), await caseWithBlock(name, blocks));
    }
    return new ManualApp(directory);
  }

  compile(): Promise<CommandResult> {
    return runNode([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], {
      cwd: this.directory,
      timeoutMs: 180_000,
    });
  }

  /** Runs a case in a separate process, as an application with variables that point at this provider. */
  async runCase(
    name: string,
    { provider, env = {}, files = {}, steps = {} }: CaseOptions,
  ): Promise<CaseResult> {
    const cwd = await this.#folder(name, { 'authority.pem': provider.ca, ...files });
    const child = fork(join(this.directory, 'dist/cases', `${name}.js`), {
      cwd,
      env: this.#variables(provider, cwd, env),
      silent: true,
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    let reported: unknown;
    child.on('message', ([kind, what]: [string, unknown]) => {
      if (kind === 'report') reported = what;
      else void Promise.resolve(steps[String(what)]?.(cwd)).then(() => child.send('done'));
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('A silent child has its output in pipes.');
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, out, errors] = await Promise.all([ended, text(stdout), text(stderr)]);
    return { code, reported, output: out + errors };
  }

  /** Runs a case that is a spec, with the Vitest of the application. */
  async vitest(name: string, { provider, env = {} }: CaseOptions): Promise<CommandResult> {
    const cwd = await this.#folder(name, { 'authority.pem': provider.ca });
    const vitest = join(this.directory, 'node_modules/vitest/vitest.mjs');
    const spec = `dist/cases/${name}.js`;
    return runNode([vitest, 'run', '--globals', '--no-color', '--root', this.directory, spec], {
      cwd: this.directory,
      env: defined(this.#variables(provider, cwd, env)),
      timeoutMs: 120_000,
    });
  }

  /** Runs the command through its first line, as npx does. */
  async doctor({ provider, env = {} }: CaseOptions, args: readonly string[] = []): Promise<CommandResult> {
    const command = join(
      this.directory,
      'node_modules',
      manifest.name,
      manifest.bin?.['provider-auth'] ?? '',
    );
    const cwd = await this.#folder('doctor', { 'authority.pem': provider.ca });
    const variables = defined(this.#variables(provider, cwd, env));
    return runCommand(command, ['doctor', ...args], { cwd, env: variables });
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

  #variables(provider: Simulated, cwd: string, env: Variables): Record<string, string | undefined> {
    const trust = { NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem') };
    return { ...strangersEnvironment(), ...provider.env(), ...trust, ...env };
  }
}

/** The code of a case, with its block in its place. */
export async function caseWithBlock(name: string, blocks: ReadonlyMap<string, string>): Promise<string> {
  const block = blocks.get(name);
  if (block === undefined) throw new Error(`The case ${name} has no block in the manual.`);
  const code = await codeWithBlock(join(SOURCES, 'cases', `${name}.ts`), block);
  return code.replaceAll(OF_THE_APPLICATION, "'../checkout.js'");
}

/** The files of the reader's application that blocks import. */
const OF_THE_APPLICATION = /'\.\/(app\.module|checkout\.service|shop\.service|warehouse)\.js'/g;

/** The file next to the cases that specs import. */
export const CHECKOUT = join(SOURCES, 'checkout.ts');

/** The names of the cases. Specs end with `.spec`. */
export async function casesOfManual(): Promise<string[]> {
  const files = await readdir(join(SOURCES, 'cases'));
  return files.map((file) => file.replace(/\.ts$/, ''));
}

function defined(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
