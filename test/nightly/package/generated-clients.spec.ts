import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocksOf, codeWithBlock } from '../../support/package/code-blocks.js';
import {
  installedWith,
  manifest,
  optionalPeers,
  requiredPeers,
  ROOT,
  type TemporaryDirectory,
} from '../../support/package/packed-package.js';
import { runNode } from '../../support/run/run-command.js';

const PAGE = 'docs/generated-clients.md';
const APP = join(ROOT, 'test/package/apps/generated-clients');
const SAMPLE = join(ROOT, 'sample/06-generated-clients');

/** The lines that `generate.mjs` adds to each file. */
const HEADER = /^\/\/ @ts-nocheck\n\/\/ Generator: (\S+@([\d.]+))\n\/\/ Command: \S/;

const blocks = await codeBlocksOf(PAGE);
const cases = (await readdir(join(APP, 'cases'))).map((file) => file.replace(/\.ts$/, ''));

let directory: TemporaryDirectory;

beforeAll(async () => {
  const packages = [...requiredPeers, ...optionalPeers, ...Object.keys(manifest.dependencies)];
  directory = await installedWith([...packages, '@types/node', 'openapi-fetch']);
  await makeApplication(directory.path);
}, 240_000);

afterAll(() => directory.remove());

/** The clients, and the blocks of the page in their cases. */
async function makeApplication(folder: string): Promise<void> {
  await cp(APP, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const part of ['generated', 'openapi-generator', 'orval-send.ts'])
    await cp(join(SAMPLE, 'src', part), join(folder, 'src', part), { recursive: true });
  await checkTypesOf(join(folder, 'src/generated'));
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
  it('B21: each file says its command and its generator, and the page names the version', async () => {
    const folder = join(SAMPLE, 'src/generated');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(10);
    const script = await readFile(join(SAMPLE, 'generate.mjs'), 'utf8');
    const page = await readFile(join(ROOT, PAGE), 'utf8');
    for (const file of files) {
      const [, generator = '', version = ''] = HEADER.exec(await readFile(join(folder, file), 'utf8')) ?? [];
      expect({ file, found: script.includes(`'${generator}'`) }).toEqual({ file, found: true });
      expect({ file, found: page.includes(` ${version}`) }).toEqual({ file, found: true });
    }
    expect(page).toContain(`openapi-fetch ${manifest.devDependencies['openapi-fetch']}`);
  });
});
