import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installNodes } from '../matrix/node-versions.js';
import { codeBlocksOf, codeWithBlock } from '../../support/package/code-blocks.js';
import {
  installedWith,
  manifest,
  optionalPeers,
  requiredPeers,
  ROOT,
  type TemporaryDirectory,
} from '../../support/package/packed-package.js';
import { runCommand, runNode } from '../../support/run/run-command.js';

const PAGE = 'docs/generated-clients.md';
const APP = join(ROOT, 'test/package/apps/generated-clients');
const SAMPLE = join(ROOT, 'sample/06-generated-clients');

const blocks = await codeBlocksOf(PAGE);
const cases = (await readdir(join(APP, 'cases'))).map((file) => file.replace(/\.ts$/, ''));

let directory: TemporaryDirectory;

beforeAll(async () => {
  const packages = [...requiredPeers, ...optionalPeers, ...Object.keys(manifest.dependencies)];
  directory = await installedWith([...packages, '@types/node', 'openapi-fetch']);
  await makeApplication(directory.path);
}, 900_000);

afterAll(() => directory.remove());

/** Generated clients, and the blocks of the page in their cases. */
async function makeApplication(folder: string): Promise<void> {
  await cp(APP, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const part of ['openapi-generator', 'orval-send.ts'])
    await cp(join(SAMPLE, 'src', part), join(folder, 'src', part), { recursive: true });
  // Two generators need a later Node than this test.
  const [node] = await installNodes(join(folder, 'node'), [{ range: '22', undici: 7 }]);
  if (node?.binary === undefined) throw new Error('npm could not install Node 22.');
  const generated = join(folder, 'src/generated');
  const env = { PATH: `${dirname(node.binary)}:${process.env['PATH']}` };
  const { code, output } = await runCommand(node.binary, [join(SAMPLE, 'generate.mjs'), generated], {
    cwd: folder,
    env,
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(output);
  await checkTypesOf(generated);
  for (const { name = '', text } of blocks) {
    const file = join(folder, 'cases', `${name}.ts`);
    await writeFile(file, await codeWithBlock(file, text));
  }
}

/** Removes the line that keeps the strict options of this repository away from generated code. */
async function checkTypesOf(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll('// @ts-nocheck\n', ''));
  }
}

describe('the page of generated clients', () => {
  it('B21: has a case for each block', () => {
    expect(blocks.map(({ name = '' }) => name).toSorted()).toEqual(cases.toSorted());
  });

  it('B21: each client compiles as an application of `nest new` does, and each block calls through a revoked token', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await runNode([tsc, '-p', 'tsconfig.json'], {
      cwd: directory.path,
      timeoutMs: 180_000,
    });
    expect(compiled.output).toBe('');
    const { stdout, output, code } = await runNode([join(directory.path, 'dist/main.js')], {
      cwd: directory.path,
    });
    expect({ code, output }).toMatchObject({ code: 0 });
    const expected = cases.map((name) => [name, { path: '/payments/1', statuses: [401, 200] }]);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
  });
});

describe('the generated clients', () => {
  it('B21: the committed clients are those of `generate.mjs`, and the page names the versions', async () => {
    const folder = join(SAMPLE, 'src/generated');
    const page = await readFile(join(ROOT, PAGE), 'utf8');
    for (const file of ['openapi-fetch/schema.ts', 'orval-axios/payments.ts']) {
      const fresh = await readFile(join(directory.path, 'src/generated', file), 'utf8');
      expect(await readFile(join(folder, file), 'utf8')).toBe(`// @ts-nocheck\n${fresh}`);
    }
    const script = await readFile(join(SAMPLE, 'generate.mjs'), 'utf8');
    for (const [, version = ''] of script.matchAll(/\[\s*'\S+@(\d+\.\d+\.\d+)',/g))
      expect(page).toContain(version);
    expect(page).toContain(`openapi-fetch ${manifest.devDependencies['openapi-fetch']}`);
  });
});
