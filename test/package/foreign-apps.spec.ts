import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseWithBlock, casesOfManual, CHECKOUT } from '../support/package/manual-app.js';
import { blocksOfManual } from '../support/package/manual-pages.js';
import { optionalPeers, pack, ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { type CommandResult, runCommand, runNode } from '../support/run/run-command.js';

/** The settings of `nest new` before version 11. They do not use `exports`. */
const OLDER_RESOLUTION = '--module commonjs --moduleResolution node10 --resolvePackageJsonExports null'.split(
  ' ',
);

/** An application outside of the repository. npm installs its packages and our tarball. */
class ForeignApp {
  private constructor(
    private readonly directory: string,
    readonly installed: CommandResult,
  ) {}

  static async install(name: string, parent: string, tarball: string): Promise<ForeignApp> {
    const directory = join(parent, name);
    await cp(join(ROOT, 'test/package/apps', name), directory, { recursive: true });
    const installed = await runCommand(
      'npm',
      ['install', tarball, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'],
      { cwd: directory, timeoutMs: 240_000 },
    );
    return new ForeignApp(directory, installed);
  }

  compile(project: string, ...options: string[]): Promise<CommandResult> {
    return runNode(['node_modules/typescript/bin/tsc', '-p', project, ...options], {
      cwd: this.directory,
      timeoutMs: 180_000,
    });
  }

  start(): Promise<CommandResult> {
    return runNode(['dist/main.js'], { cwd: this.directory });
  }

  jest(...args: string[]): Promise<CommandResult> {
    // A separate cache, because all Jest runs of the machine share the default cache.
    const jest = ['node_modules/jest/bin/jest.js', `--cacheDirectory=${this.directory}/.jest`];
    return runNode([...jest, ...args], { cwd: this.directory, timeoutMs: 120_000 });
  }

  /** Writes the recipes for tests of the manual into a folder. Jest finds no file of TypeScript under a name that ends with `.js`. */
  async writeRecipes(folder: string): Promise<void> {
    const home = join(this.directory, 'src', folder);
    await mkdir(home);
    await cp(CHECKOUT, join(home, 'checkout.ts'));
    const blocks = new Map((await blocksOfManual()).map(({ name = '', text }) => [name, text]));
    for (const name of (await casesOfManual()).filter((one) => one.endsWith('.spec'))) {
      const code = await caseWithBlock(name, blocks);
      await writeFile(join(home, `${name}.ts`), code.replaceAll("'../checkout.js'", "'./checkout'"));
    }
  }

  /** Runs the command that npm has linked, as `npx` does. */
  doctor(...args: string[]): Promise<CommandResult> {
    return runCommand('node_modules/.bin/nestjs-provider-auth', ['doctor', ...args], { cwd: this.directory });
  }

  /** Returns the packages that npm has installed. */
  having(packages: readonly string[]): string[] {
    return packages.filter((name) => existsSync(join(this.directory, 'node_modules', name)));
  }
}

const directory = await temporaryDirectory();
afterAll(() => directory.remove());
const { tarball } = await pack(directory.path);

describe('an ESM application of NestJS 12', () => {
  let app: ForeignApp;

  beforeAll(async () => {
    app = await ForeignApp.install('esm-nest-12', directory.path, tarball);
  }, 300_000);

  it('B15: installs the package without its optional peers', async () => {
    expect(app.installed).toMatchObject({ code: 0 });
    expect(app.installed.output).not.toMatch(/ERESOLVE|EBADENGINE.*provider-auth|npm error/);
    expect(app.having(optionalPeers)).toEqual([]);
  });

  it('B15 B19: compiles with it strictly, without skipping declarations of libraries', async () => {
    expect(await app.compile('tsconfig.json')).toEqual({ code: 0, output: '', stdout: '' });
  });

  it('B15: calls both interfaces, replaces a revoked token, prints no token, and does not boot with wrong options', async () => {
    expect(reportOf(await app.start())).toEqual({
      calls: ['easy sandbox', 'originations sandbox', 'easy sandbox'],
      tokenRequests: 2,
      recovered: 'easy sandbox',
      statuses: [401, 200],
      production: 'easy production',
      printedToken: '[redacted]',
      tokenIsPrinted: false,
      problems: ['PROVIDER_ORIGINATIONS_TOKEN_URL', 'PROVIDER_EASY_SANDBOX_BASE_URL'],
    });
  });
});

describe('a CommonJS application of NestJS 11, made by its `nest new`', () => {
  let app: ForeignApp;

  beforeAll(async () => {
    app = await ForeignApp.install('commonjs-nest-11', directory.path, tarball);
  }, 300_000);

  it('B15: installs the package without its optional peers', async () => {
    expect(app.installed).toMatchObject({ code: 0 });
    expect(app.installed.output).not.toMatch(/ERESOLVE|EBADENGINE.*provider-auth|npm error/);
    expect(app.having(optionalPeers)).toEqual([]);
  });

  it('B15: has the command, and the command reports the missing configuration', async () => {
    const { code, stdout } = await app.doctor('--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, results: [] });
  });

  it('B15: passes its Jest tests with the default settings', async () => {
    const { code, output } = await app.jest();
    expect(output).toMatch(/Tests: +7 passed, 7 total/);
    expect(output).not.toMatch(/did not exit|open handle|Warning/i);
    expect(code).toBe(0);
  });

  it.each([
    ['with its default settings, without skipping declarations of libraries', ['--skipLibCheck', 'false']],
    ['with the module resolution of older applications', OLDER_RESOLUTION],
  ])('B15: compiles %s, and the result runs', async (_, options) => {
    expect(await app.compile('tsconfig.build.json', ...options)).toEqual({ code: 0, output: '', stdout: '' });
    expect(reportOf(await app.start())).toEqual({
      calls: ['easy production', 'originations production', 'easy production'],
      tokenRequests: 2,
      problems: ['interfaces.easy.sandbox.tokenUrl', 'interfaces.easy.sandbox.baseUrl'],
    });
  });

  it('B26: passes the recipes of the manual for tests, in its Jest', async () => {
    await app.writeRecipes('recipes');
    const { code, output } = await app.jest('recipes');
    expect(output).toMatch(/Test Suites: 1 skipped, 5 passed, 5 of 6 total/);
    expect(output).not.toMatch(/did not exit|open handle/i);
    expect(code).toBe(0);
  });
});

/** Reads the report of an application: one line of JSON, and nothing else. */
function reportOf({ code, output }: CommandResult): unknown {
  try {
    if (code === 0) return JSON.parse(output);
  } catch {
    // The output is no report. It explains more than the error of the parser.
  }
  return { code, output };
}
