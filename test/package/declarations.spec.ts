import { readdir, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  entries,
  installedWith,
  manifest,
  optionalPeers,
  pack,
  requiredPeers,
  ROOT,
  temporaryDirectory,
  type TemporaryDirectory,
} from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  skipLibCheck: false,
  declaration: true,
  noEmit: true,
};

describe.each([
  ['import', 'esm'],
  ['default', 'cjs'],
] as const)('the declarations under `%s`', (reader, build) => {
  let program: ts.Program;

  beforeAll(() => {
    program = ts.createProgram(
      entries.map(({ types }) => join(ROOT, types[reader])),
      { ...STRICT, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    );
  }, 240_000);

  it('B19: are all used by an entry, as the compiler itself reads them', async () => {
    const home = join(ROOT, 'dist', build);
    const shipped = (await readdir(home, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    const read = new Set(program.getSourceFiles().map(({ fileName }) => fileName));
    expect(shipped.length).toBeGreaterThan(entries.length);
    expect(shipped.filter((file) => !read.has(posix.join(home, file)))).toEqual([]);
  });
});

describe('an application with the packed tarball', () => {
  let directory: TemporaryDirectory;

  beforeAll(async () => {
    directory = await installedWith([...requiredPeers, ...optionalPeers]);
  }, 60_000);

  afterAll(() => directory.remove());

  /** The type of an exported definition must have a name for the declarations of the application, too. */
  const definition = `defineProvider({ name: 'warehouse', environments: ['test'], interfaces: { stock: {} } });`;
  const specifiers = entries.map(({ subpath }) => posix.join(manifest.name, subpath));
  const imports = specifiers.map(
    (specifier, index) => `import * as entry${index} from '${specifier}'; void entry${index};`,
  );
  imports.push(`export const warehouse = entry0.${definition}`);
  const requires = specifiers.map(
    (specifier, index) => `import required${index} = require('${specifier}'); void required${index};`,
  );
  requires.push(`export const warehouse = required0.${definition}`);

  /** `npm test` compiles one application for each build. */
  const applications = [
    [
      'moduleResolution node16, imported',
      'node16-imported.mts',
      imports,
      { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
      'esm',
    ],
    [
      // With node16 no CommonJS module can require NestJS 12. foreign-apps.spec.ts requires NestJS 11 with node16.
      'moduleResolution nodenext, required',
      'nodenext-required.cts',
      requires,
      { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
      'cjs',
    ],
  ] as const;

  it.each(applications)(
    'B19: compiles with every entry, without skipping declarations of libraries: %s',
    { timeout: 240_000 },
    async (_, name, lines, options, build) => {
      const file = join(directory.path, name);
      await writeFile(file, lines.join('\n'));
      const program = ts.createProgram([file], { ...STRICT, ...options });
      expect(ts.getPreEmitDiagnostics(program).map(wording)).toEqual([]);
      // The condition selected the declarations of the right build.
      const home = join(directory.path, 'node_modules', manifest.name, 'dist');
      const builds = program
        .getSourceFiles()
        .filter(({ fileName }) => fileName.startsWith(home))
        .map(({ fileName }) => fileName.slice(home.length + 1).split('/')[0]);
      expect([...new Set(builds)]).toEqual([build]);
    },
  );
});

it('the declarations of the tarball are found with any way of module resolution', async () => {
  const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const packed = await temporaryDirectory();
  onTestFinished(() => packed.remove());
  const { tarball } = await pack(packed.path);
  const { code, output } = await runNode([attw, tarball, '--profile', 'strict', '--no-color'], {
    cwd: packed.path,
    timeoutMs: 120_000,
  });
  expect(output).toContain('No problems found');
  expect(code).toBe(0);
});

const lines = [
  "import { EasyHttpService, getProviderFetchToken, InjectProviderFetch, type ProviderFetch } from 'nestjs-provider-auth';",
  'export const asGlobal = (easy: EasyHttpService): typeof globalThis.fetch => easy.fetch;',
  'export async function call(fetch: ProviderFetch): Promise<unknown> {',
  "  const request = new Request(new URL(fetch.baseUrl), { method: 'POST', body: 'text' });",
  "  for (const input of [request, new URL(fetch.baseUrl), '/x']) await fetch(input, { signal: AbortSignal.timeout(1) });",
  '  return (await fetch(request)).json();',
  '}',
  "export const injected = [InjectProviderFetch('easy', 'sandbox'), getProviderFetchToken('easy')];",
];

it.each([
  ['without the types of browsers', ['lib.es2023.d.ts']],
  ['with the types of browsers', ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']],
])('B21: the type of fetch compiles %s', { timeout: 240_000 }, async (_, lib) => {
  const directory = await installedWith([...requiredPeers, ...optionalPeers]);
  try {
    const file = join(directory.path, 'fetch.mts');
    await writeFile(file, lines.join('\n'));
    const node16 = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };
    // The declarations of undici, a peer, do not compile with those of browsers.
    const program = ts.createProgram([file], { ...STRICT, ...node16, lib, skipLibCheck: true });
    expect(ts.getPreEmitDiagnostics(program).map(wording)).toEqual([]);
  } finally {
    await directory.remove();
  }
});

function wording({ file, messageText }: ts.Diagnostic): string {
  return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
