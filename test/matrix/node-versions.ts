import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/run/run-command.js';
import type { UndiciMajor } from './dependency-sets.js';

/** A Node that we claim: a major, or the lower edge of one. */
interface ClaimedNode {
  readonly range: string;
  /** The newest that is run there. */
  readonly undici: UndiciMajor;
  /** Whether this Node's own `fetch` does not work well with undici 8, so that the library warns of the pair (B27). */
  readonly warnsOfUndici8?: true;
}

export interface NodeRow extends ClaimedNode {
  /** Undefined where this Node cannot be had, so that none of its cells can be run. */
  readonly binary: string | undefined;
  /** Exact where the binary runs. */
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

/** Node's own binaries, as the registry has them for this platform, in a folder of their own. */
export async function installNodes(directory: string): Promise<NodeRow[]> {
  await mkdir(directory, { recursive: true });
  const names = CLAIMED.map(({ range }) => [
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
    console.log(`Only Node ${process.version} will be run, npm has no other for it:\n${output}`);
  return Promise.all(
    CLAIMED.map((claimed) =>
      rowOf(claimed, join(directory, 'node_modules', `node-${claimed.range}`, 'bin', EXECUTABLE)),
    ),
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
