import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, ROOT } from '../../support/package/packed-package.js';
import { type CommandResult, runCommand, runNode } from '../../support/run/run-command.js';
import type { DependencySet } from './dependency-sets.js';

export const MODULE_KINDS = ['ESM', 'CommonJS'] as const;
export type ModuleKind = (typeof MODULE_KINDS)[number];

const APPS = join(ROOT, 'test/package/apps');
const INSTALL = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** A message of the compiler about declarations of other packages. Further lines of a message are indented. */
const OF_OTHERS = new RegExp(`^(node_modules/(?!${manifest.name}/)|\\s)`);

/** An application with one set of dependencies. It is installed once and compiled for both module systems. */
export class WholeWayApp {
  /** The output of npm if the installation failed. */
  installTrouble: string | undefined;
  readonly #compileTrouble = new Map<ModuleKind, string>();
  readonly #engineNotes = new Map<string, Promise<readonly string[]>>();
  readonly #compileNotes = new Map<ModuleKind, readonly string[]>();

  constructor(
    readonly set: DependencySet,
    private readonly directory: string,
  ) {}

  async install(tarball: string): Promise<void> {
    const { dependencies, devDependencies } = this.set;
    await mkdir(this.directory, { recursive: true });
    await writeFile(
      join(this.directory, 'package.json'),
      JSON.stringify({ private: true, dependencies, devDependencies }),
    );
    const installed = await runCommand('npm', ['install', tarball, ...INSTALL], {
      cwd: this.directory,
      timeoutMs: 600_000,
    });
    if (installed.code !== 0) this.installTrouble = `npm install:\n${installed.output}`;
  }

  /** Compiles the application, and checks the declarations of all libraries too. */
  async compile(kind: ModuleKind): Promise<void> {
    const home = this.#home(kind);
    await cp(join(APPS, 'whole-way'), home, { recursive: true });
    // The service comes from the other application of the package tests.
    await cp(join(APPS, 'esm-nest-12/src/checkout.service.ts'), join(home, 'src/checkout.service.ts'));
    const type = kind === 'ESM' ? 'module' : 'commonjs';
    await writeFile(join(home, 'package.json'), JSON.stringify({ private: true, type }));
    const compiled = await runNode(['node_modules/typescript/bin/tsc', '-p', home], {
      cwd: this.directory,
      timeoutMs: 600_000,
    });
    const errors = compiled.output.split('\n').filter((line) => line !== '');
    const foreign = errors.filter((line) => OF_OTHERS.test(line));
    this.#compileNotes.set(
      kind,
      foreign.map((line) => `tsc says: ${line}`),
    );
    if (compiled.code !== 0 && foreign.length < Math.max(errors.length, 1)) {
      this.#compileTrouble.set(kind, `tsc:\n${compiled.output}`);
    }
  }

  /** Copies the compiled files of an application with another undici. The compiled code does not depend on undici. */
  async copyFrom(other: WholeWayApp, kind: ModuleKind): Promise<void> {
    const trouble = other.troubleOf(kind);
    this.#compileNotes.set(kind, other.compileNotes(kind));
    if (trouble === undefined) await cp(other.#home(kind), this.#home(kind), { recursive: true });
    else this.#compileTrouble.set(kind, trouble);
  }

  /** Why the application cannot run with this module system. */
  troubleOf(kind: ModuleKind): string | undefined {
    return this.installTrouble ?? this.#compileTrouble.get(kind);
  }

  /** Errors in the declarations of other packages. This package cannot fix them. */
  compileNotes(kind: ModuleKind): readonly string[] {
    return this.#compileNotes.get(kind) ?? [];
  }

  /** Runs the application. A process that does not end by itself is killed and has failed. */
  run(node: string, kind: ModuleKind): Promise<CommandResult> {
    return runCommand(node, [join(this.#home(kind), 'dist/main.js')], {
      cwd: this.directory,
      timeoutMs: 180_000,
    });
  }

  /** The warnings of npm, run by this Node, about packages that do not support this Node. */
  engineNotes(node: string): Promise<readonly string[]> {
    const notes = this.#engineNotes.get(node) ?? this.#askNpm(node);
    this.#engineNotes.set(node, notes);
    return notes;
  }

  async #askNpm(node: string): Promise<readonly string[]> {
    const npm = process.env['npm_execpath'];
    if (npm === undefined) throw new Error('Start this with `npm run test:matrix`.');
    const { output } = await runCommand(node, [npm, 'ci', '--dry-run', '--offline', ...INSTALL], {
      cwd: this.directory,
      timeoutMs: 120_000,
    });
    const notes = output.matchAll(/EBADENGINE +package: '(.+)',\n.*required: \{ node: '(.+)' \}/g);
    return [...notes].map(([, name, range]) => `npm warns: ${name} asks for Node ${range}.`);
  }

  #home(kind: ModuleKind): string {
    return join(this.directory, kind);
  }
}
