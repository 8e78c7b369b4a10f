import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  bundledApp,
  type Bundler,
  type Format,
  REPORT_OF_BUNDLED_APP,
} from '../support/package/bundled-app.js';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { type CommandResult, runCommand, runNode } from '../support/run/run-command.js';
import { dependencySets } from './dependency-sets.js';

const TOOLS = { esbuild: '0.28.2', pnpm: '12.21.0', webpack: '5.112.2' };
const INSTALL = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Optional peers and servers that the application does not have. */
const UNUSED = /platform|terminus|opentelemetry|redis/;

/** The parts of a run that several cells share. Each part is made once. */
export class FurtherApps {
  #npm: Promise<string> | undefined;

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

  async #installWithNpm(): Promise<string> {
    const app = join(this.home, 'npm');
    const { esbuild, webpack } = TOOLS;
    await this.#write(app, { ...this.#dependencies(), esbuild, webpack });
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

/** Applications that are built or installed in another way. `npm run test:matrix -- --cell <name>` runs one of them. */
export const FURTHER_CELLS: Readonly<Record<string, (apps: FurtherApps) => Promise<CommandResult>>> = {
  'esbuild-cjs': (apps) => apps.bundled('esbuild', 'cjs'),
  'esbuild-esm': (apps) => apps.bundled('esbuild', 'esm'),
  'webpack-cjs': (apps) => apps.bundled('webpack', 'cjs'),
  'webpack-esm': (apps) => apps.bundled('webpack', 'esm'),
  pnpm: (apps) => apps.withPnpm(),
};

/** What is wrong with a cell. Undefined if it passed. */
export async function troubleOfCell(name: string, apps: FurtherApps): Promise<string | undefined> {
  const cell = FURTHER_CELLS[name];
  if (cell === undefined) return `is no cell. There are: ${Object.keys(FURTHER_CELLS).join(', ')}.`;
  try {
    const { code, output } = await cell(apps);
    const isRight = code === 0 && isDeepStrictEqual(JSON.parse(output), REPORT_OF_BUNDLED_APP);
    return isRight ? undefined : output;
  } catch (error) {
    return String(error);
  }
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd, timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed:\n${output}`);
}
