/** Counts the answers of 40 calls that idle connections keep in memory (B38), on this Node and on 24. Ends with 1 if ours keep some. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../support/run/run-command.ts';
import { installNodes } from '../matrix/node-versions.ts';
import { row } from './paired-slices.mjs';

const PROGRAM = 'test/package/apps/idle-connections/main.mjs';
const NODES = [process.versions.node, '24'].map((range) => ({ range, undici: 7 }));

const home = mkdtempSync(join(tmpdir(), 'idle-connections-'));
try {
  console.log(row(['Node', 'client', 'answers in memory', 'heap, MB']));
  console.log(row(['---:', '---', '---:', '---:']));
  for (const { binary, version } of await installNodes(home, NODES)) {
    if (binary === undefined) throw new Error(`npm cannot install Node ${version} here.`);
    const { code, output, stdout } = await runCommand(binary, [PROGRAM], { cwd: '.', timeoutMs: 600_000 });
    if (stdout === '') throw new Error(output);
    for (const [way, { answers, heapMb }] of Object.entries(JSON.parse(stdout)))
      console.log(row([version, way, `${answers} of 40`, heapMb]));
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(home, { recursive: true });
}
