import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { type CommandResult, runCommand, runNode } from '../support/run/run-command.js';
import type { DependencySet } from './dependency-sets.js';

export const MODULE_KINDS = ['ESM', 'CommonJS'] as const;
export type ModuleKind = (typeof MODULE_KINDS)[number];

const APPS = join(ROOT, 'test/package/apps');
const INSTALL = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** A line of the compiler on declarations that are not ours; what it adds to a line is indented. */
const OF_OTHERS = new RegExp(`^(node_modules/(?!${manifest.name}/)|\\s)`);

/** A stranger's application with one set of dependencies: installed once, compiled as both kinds of modules. */
export class WholeWayApp {
  /** Why nothing of it can be run, in the words of npm. */
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

  /** With no declaration of any library skipped. */
  async compile(kind: ModuleKind): Promise<void> {
    const home = this.#home(kind);
    await cp(join(APPS, 'whole-way'), home, { recursive: true });
    // The service is the one of the other foreign application.
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

  /** Takes what has been compiled beside another undici, of which no compiled line knows. */
  async copyFrom(other: WholeWayApp, kind: ModuleKind): Promise<void> {
    const trouble = other.troubleOf(kind);
    this.#compileNotes.set(kind, other.compileNotes(kind));
    if (trouble === undefined) await cp(other.#home(kind), this.#home(kind), { recursive: true });
    else this.#compileTrouble.set(kind, trouble);
  }

  /** Why it cannot be run as this kind of modules. */
  troubleOf(kind: ModuleKind): string | undefined {
    return this.installTrouble ?? this.#compileTrouble.get(kind);
  }

  /** Errors in the declarations of other packages than ours, which are theirs to mend. */
  compileNotes(kind: ModuleKind): readonly string[] {
    return this.#compileNotes.get(kind) ?? [];
  }

  /** Whoever does not end by themselves are killed, and have failed. */
  run(node: string, kind: ModuleKind): Promise<CommandResult> {
    return runCommand(node, [join(this.#home(kind), 'dist/main.js')], {
      cwd: this.directory,
      timeoutMs: 180_000,
    });
  }

  /** What npm, run by this Node, says of packages that do not want it. */
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
