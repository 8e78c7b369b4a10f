import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { manifest, ROOT } from '../../support/package/packed-package.js';
import { type CommandResult, runCommand, runNode } from '../../support/run/run-command.js';
import { dependencySets } from './dependency-sets.js';
import { installNodes, type NodeRow } from './node-versions.js';

const TOOLS = { esbuild: '0.28.2', pnpm: '12.21.0', rolldown: '1.2.19', webpack: '5.112.2' };
const INSTALL = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

type Bundler = 'esbuild' | 'rolldown' | 'webpack';

/** The kinds of modules that a bundler makes, and the endings of their files. */
const FORMATS = { cjs: 'cjs', esm: 'mjs' } as const;
type Format = keyof typeof FORMATS;

const overEachTransport = {
  place: 'easy sandbox',
  statuses: [200, 401, 200],
  names: ['RequestRefusedError', 'TokenRequestError'],
  warnings: [],
};

/** The report of `test/package/apps/bundled`. A name that a bundler has shortened would differ. */
const REPORT_OF_BUNDLED_APP = {
  byAxios: overEachTransport,
  byUndici: overEachTransport,
  atBoot: ['ProviderAuthConfigError'],
};

/**
 * Puts the application and all its packages into one minified file, and returns the file.
 *
 * @param home a folder with the packages of the application and the bundler.
 * @param into another folder, where the bundle finds no packages.
 */
async function bundledApp(home: string, into: string, bundler: Bundler, format: Format): Promise<string> {
  const sources = join(home, 'bundled');
  const file = join(into, `${bundler}.${FORMATS[format]}`);
  await cp(join(ROOT, 'test/package/apps/bundled'), sources, { recursive: true });
  const { code, output } = await runNode([join(sources, `with-${bundler}.mjs`), format, file], {
    cwd: home,
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`${bundler} failed:\n${output}`);
  return file;
}

/** Optional peers and servers that the application does not have. */
const UNUSED = /platform|terminus|opentelemetry|redis/;

/** The Nodes that keep different things of a connection. */
const NODES_WITH_IDLE_CONNECTIONS = ['20', '24', '26'] as const;

/** The parts of a run that several cells share. Each part is made once. */
export class FurtherApps {
  #npm: Promise<string> | undefined;
  #nodes: Promise<NodeRow[]> | undefined;

  constructor(
    private readonly home: string,
    private readonly tarball: string,
  ) {}

  /** Bundles the application, and runs the one file where there are no packages. */
  async bundled(bundler: Bundler, format: Format): Promise<CommandResult> {
    this.#npm ??= this.#installWithNpm();
    const alone = join(this.home, 'alone');
    return runNode([await bundledApp(await this.#npm, alone, bundler, format)], { cwd: alone });
  }

  /** pnpm links only what a package declares. Without its hidden folder, no package finds what another one declares. */
  async withPnpm(): Promise<CommandResult> {
    const [tools, app] = [join(this.home, 'tools'), join(this.home, 'pnpm')];
    await this.#write(tools, { pnpm: TOOLS.pnpm });
    await run('npm', ['install', ...INSTALL], tools);
    await this.#write(app, { ...this.#dependencies(), [manifest.name]: `file:${this.tarball}` });
    const strict = ['--config.hoist=false', '--config.strict-peer-dependencies=true'];
    const pnpm = join(tools, 'node_modules/pnpm/bin/pnpm.mjs');
    const store = `--store-dir=${join(this.home, 'pnpm-store')}`;
    await run(process.execPath, [pnpm, 'install', '--ignore-scripts', store, ...strict], app);
    await cp(join(ROOT, 'test/package/apps/bundled/main.mjs'), join(app, 'main.mjs'));
    return runNode(['main.mjs'], { cwd: app });
  }

  /** What idle connections keep in memory. The application itself knows how much is allowed. */
  async idleConnections(range: string): Promise<CommandResult> {
    this.#npm ??= this.#installWithNpm();
    const claimed = NODES_WITH_IDLE_CONNECTIONS.map((one) => ({ range: one, undici: 7 as const }));
    this.#nodes ??= installNodes(join(this.home, 'nodes-with-idle-connections'), claimed);
    const cwd = await this.#npm;
    const binary = (await this.#nodes).find((row) => row.range === range)?.binary;
    if (binary === undefined) throw new Error(`npm cannot install Node ${range} here.`);
    const program = 'idle-connections/main.mjs';
    await cp(join(ROOT, 'test/package/apps/idle-connections'), join(cwd, 'idle-connections'), {
      recursive: true,
    });
    return runCommand(binary, [program], { cwd, timeoutMs: 600_000 });
  }

  async #installWithNpm(): Promise<string> {
    const app = join(this.home, 'npm');
    const { pnpm: _, ...bundlers } = TOOLS;
    await this.#write(app, { ...this.#dependencies(), ...bundlers });
    await run('npm', ['install', this.tarball, ...INSTALL], app);
    return app;
  }

  #dependencies(): Readonly<Record<string, string>> {
    const newest = dependencySets(7).at(-1)?.dependencies ?? {};
    return Object.fromEntries(Object.entries(newest).filter(([name]) => !UNUSED.test(name)));
  }

  async #write(directory: string, dependencies: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  }
}

interface FurtherCell {
  run(apps: FurtherApps): Promise<CommandResult>;
  /** What the application prints. Undefined if only its exit code counts. */
  readonly report?: object;
}

const bundled = (bundler: Bundler, format: Format): FurtherCell => ({
  run: (apps) => apps.bundled(bundler, format),
  report: REPORT_OF_BUNDLED_APP,
});

/** Applications that are built, installed or run in another way. `npm run test:matrix -- --cell <name>` runs one of them. */
export const FURTHER_CELLS: Readonly<Record<string, FurtherCell>> = {
  'esbuild-cjs': bundled('esbuild', 'cjs'),
  'esbuild-esm': bundled('esbuild', 'esm'),
  'rolldown-cjs': bundled('rolldown', 'cjs'),
  'rolldown-esm': bundled('rolldown', 'esm'),
  'webpack-cjs': bundled('webpack', 'cjs'),
  'webpack-esm': bundled('webpack', 'esm'),
  pnpm: { run: (apps) => apps.withPnpm(), report: REPORT_OF_BUNDLED_APP },
  ...Object.fromEntries(
    NODES_WITH_IDLE_CONNECTIONS.map((node) => [
      `idle-connections-${node}`,
      { run: (apps: FurtherApps) => apps.idleConnections(node) },
    ]),
  ),
};

/** What is wrong with a cell. Undefined if it passed. */
export async function troubleOfCell(name: string, apps: FurtherApps): Promise<string | undefined> {
  const cell = FURTHER_CELLS[name];
  if (cell === undefined) return `is no cell. There are: ${Object.keys(FURTHER_CELLS).join(', ')}.`;
  try {
    const { code, output } = await cell.run(apps);
    const isRight = cell.report === undefined || isDeepStrictEqual(JSON.parse(output), cell.report);
    return code === 0 && isRight ? undefined : output;
  } catch (error) {
    return String(error);
  }
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd, timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed:\n${output}`);
}
