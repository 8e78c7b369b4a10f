import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../support/run/run-command.js';
import type { UndiciMajor } from './dependency-sets.js';

/** A Node that package.json claims: a major version, or the lowest version of a range. */
interface ClaimedNode {
  readonly range: string;
  /** The newest major version of undici that runs on this Node. */
  readonly undici: UndiciMajor;
  /** Whether the `fetch` of this Node does not work well with undici 8. The library then logs a warning (B27). */
  readonly warnsOfUndici8?: true;
}

export interface NodeRow extends ClaimedNode {
  /** Undefined if this Node is not available. None of its cells can then run. */
  readonly binary: string | undefined;
  /** The exact version if the binary runs, otherwise the claimed range. */
  readonly version: string;
}

const CLAIMED: readonly ClaimedNode[] = [
  { range: '20.19.0', undici: 7 },
  { range: '20', undici: 7 },
  { range: '22.12.0', undici: 7 },
  { range: '22', undici: 7 },
  { range: '22', undici: 8, warnsOfUndici8: true },
  { range: '24.0.0', undici: 7 },
  { range: '24.0.0', undici: 8, warnsOfUndici8: true },
  { range: '24', undici: 8 },
  { range: '26', undici: 8 },
];

const PLATFORM = process.platform === 'win32' ? 'win' : process.platform;
const EXECUTABLE = process.platform === 'win32' ? 'node.exe' : 'node';

/** Installs the official Node binaries for this platform from the npm registry into a separate folder. */
export async function installNodes(
  directory: string,
  claimed: readonly ClaimedNode[] = CLAIMED,
): Promise<NodeRow[]> {
  await mkdir(directory, { recursive: true });
  const names = claimed.map(({ range }) => [
    `node-${range}`,
    `npm:node-${PLATFORM}-${process.arch}@${range}`,
  ]);
  const manifest = { private: true, dependencies: Object.fromEntries(names) };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const { code, output } = await runCommand(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: directory, timeoutMs: 600_000 },
  );
  if (code !== 0)
    console.log(
      `Only Node ${process.version} will run, because npm could not install the others:\n${output}`,
    );
  return Promise.all(
    claimed.map((one) => rowOf(one, join(directory, 'node_modules', `node-${one.range}`, 'bin', EXECUTABLE))),
  );
}

async function rowOf(claimed: ClaimedNode, installed: string): Promise<NodeRow> {
  for (const binary of [installed, process.execPath]) {
    const { code, stdout } = await runCommand(binary, ['--version'], { cwd: process.cwd() });
    const version = stdout.trim().replace(/^v/, '');
    const isMeant = version === claimed.range || version.startsWith(`${claimed.range}.`);
    if (code === 0 && isMeant) return { ...claimed, binary, version };
  }
  return { ...claimed, binary: undefined, version: claimed.range };
}
