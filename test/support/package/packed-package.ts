import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../run/run-command.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

type CodeConditions = Record<'module-sync' | 'import' | 'default', string>;

/** The parts of package.json that the tests use. */
export interface Manifest {
  name: string;
  version: string;
  files: string[];
  scripts: Record<string, string>;
  type: string;
  engines: { node: string };
  main: string;
  module: string;
  types: string;
  bin?: Record<string, string>;
  schematics: string;
  exports: Record<string, string | (CodeConditions & { types: { import: string; default: string } })>;
  typesVersions: Record<'*', Record<string, [string]>>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
}

export const manifest: Manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** The entries with code and their subpaths: `.`, `./testing`, … */
export const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [{ subpath, ...target }],
);

export const optionalPeers = Object.keys(manifest.peerDependenciesMeta);
export const requiredPeers = Object.keys(manifest.peerDependencies).filter(
  (name) => !optionalPeers.includes(name),
);

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Makes a directory outside of the repository. Node then finds no packages of the repository in parent folders. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'provider-auth-package-')));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export interface Packed {
  tarball: string;
  files: string[];
}

/** In this variable the setup of the suite (`package.setup.ts`) stores what it has packed for all specs. */
export const PACKED_VARIABLE = 'TEST_PACKED_PACKAGE';

/** The package as `npm publish` packs it. If the setup has packed it for this run, returns that tarball. Otherwise packs into the folder. */
export async function pack(into: string): Promise<Packed> {
  const packedBefore = process.env[PACKED_VARIABLE];
  if (packedBefore !== undefined) return JSON.parse(packedBefore);
  // Without scripts, because `prepack` would build dist again while another process uses it.
  const packed = await runCommand('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', into], {
    cwd: ROOT,
  });
  if (packed.code !== 0) throw new Error(`npm pack failed:\n${packed.output}`);
  const [result]: { filename: string; files: { path: string }[] }[] = JSON.parse(packed.stdout);
  if (result === undefined) throw new Error(`npm pack packed nothing:\n${packed.output}`);
  return { tarball: join(into, result.filename), files: result.files.map(({ path }) => path) };
}

/** Unpacks a tarball into `directory/node_modules`, and links only these packages next to it. */
export async function install(
  tarball: string,
  directory: string,
  packages: readonly string[],
): Promise<void> {
  const home = join(directory, 'node_modules', manifest.name);
  await mkdir(home, { recursive: true });
  const unpacked = await runCommand('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'], {
    cwd: directory,
  });
  if (unpacked.code !== 0) throw new Error(`The tarball cannot be unpacked:\n${unpacked.output}`);
  for (const name of packages) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
}

/** A temporary directory with the packed package, and links to these packages next to it. */
export async function installedWith(packages: readonly string[]): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory();
  const { tarball } = await pack(directory.path);
  await install(tarball, directory.path, packages);
  return directory;
}
