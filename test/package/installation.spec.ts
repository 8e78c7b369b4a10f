import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SETTINGS, SimulationProcess } from '../support/application/simulate.js';
import { manifest, pack, requiredPeers, temporaryDirectory } from '../support/package/packed-package.js';
import { type CommandResult, runCommand } from '../support/run/run-command.js';

interface InstalledManifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

const directory = await temporaryDirectory();
afterAll(() => directory.remove());
const { tarball } = await pack(directory.path);
await writeFile(join(directory.path, 'package.json'), '{"private":true}');
/** The folders of all packages, before and after npm installed the package next to its peers. */
const before = await install(requiredPeers.map((name) => `${name}@${manifest.devDependencies[name]}`));
const after = await install([tarball]);

it('B19: adds no other package, because axios already depends on the only dependency', () => {
  expect(after.filter((place) => !before.includes(place))).toEqual([`node_modules/${manifest.name}`]);
  expect(before.filter((place) => !after.includes(place))).toEqual([]);
});

it('B19: adds at most one package with any axios, because it has no dependencies', async () => {
  const names = Object.keys(manifest.dependencies);
  expect(names).toEqual(['proxy-from-env']);
  for (const name of names) {
    const { dependencies = {}, optionalDependencies = {} } = await installedManifest(name);
    expect({ ...dependencies, ...optionalDependencies }).toEqual({});
  }
});

it('B19: runs no script during the installation', async () => {
  const { scripts = {} } = await installedManifest(manifest.name);
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
});

it('B19: has no missing and no extraneous package in `npm ls --omit=dev --all`', async () => {
  const { code, output } = await runCommand('npm', ['ls', '--omit=dev', '--all'], { cwd: directory.path });
  expect(output).not.toMatch(/missing|invalid|extraneous/);
  expect(output).not.toMatch(/@peculiar|jose|asn1js|tsyringe/);
  expect(code).toBe(0);
});

it('B37: has a command with the name of the package, so that npx runs this package from any folder', async () => {
  expect(Object.keys(manifest.bin ?? {})).toEqual([manifest.name, 'provider-auth']);
  expect(new Set(Object.values(manifest.bin ?? {})).size).toBe(1);
  const { code, stdout } = await npx('--version');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${manifest.version}\n` });
});

it('B37: npx passes --settings on, even if the file does not exist yet', async () => {
  const { code, output } = await npx('doctor', '--settings', 'new.env');
  expect(output).toContain('There is no file new.env. Name an existing file with --settings');
  expect(code).toBe(2);
});

it('B37: npx runs the doctor with the settings of the simulator, and with nothing else', async () => {
  await SimulationProcess.start(['--port', '0'], { folder: directory.path });
  const { code, output } = await npx('doctor', '--settings', SETTINGS);
  expect(output).toContain('4 of 4 give a token and reach their API.');
  expect(code).toBe(0);
});

/** Runs the command as the pages print it. npx asks the registry for nothing. */
function npx(...args: string[]): Promise<CommandResult> {
  return runCommand('npx', [manifest.name, ...args], {
    cwd: directory.path,
    env: { npm_config_yes: 'false' },
  });
}

async function install(packages: readonly string[]): Promise<string[]> {
  const { code, output } = await runCommand(
    'npm',
    ['install', ...packages, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: directory.path, timeoutMs: 240_000 },
  );
  if (code !== 0) throw new Error(`npm install failed:\n${output}`);
  const lock = await readFile(join(directory.path, 'node_modules/.package-lock.json'), 'utf8');
  const { packages: places }: { packages: Record<string, unknown> } = JSON.parse(lock);
  return Object.keys(places).toSorted();
}

async function installedManifest(name: string): Promise<InstalledManifest> {
  return JSON.parse(await readFile(join(directory.path, 'node_modules', name, 'package.json'), 'utf8'));
}
