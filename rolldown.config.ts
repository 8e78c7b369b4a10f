import { chmod, cp, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineConfig, type OutputOptions, type Plugin, type RolldownOptions } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import manifest from './package.json' with { type: 'json' };
import { withoutRuleNumbers } from './test/support/architecture/rule-numbers.mjs';

/**
 * Bundles the modules that TypeScript has compiled into few files, because Node needs more time to find a hundred files than
 * to read them (B14). Shared code is in one file, so that all entries export the same class.
 */
const COMPILED = 'dist/compiled';

const commands = Object.values(manifest.bin);
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.import,
);

/** The page of the command `simulate`: files that a browser loads as they are. */
const PAGE = { from: 'lib/cli/simulate/page', to: 'dist/esm/cli/page' };

const forNode: Plugin = {
  name: 'for-node',
  writeBundle: async () => {
    await Promise.all(commands.map((file) => chmod(file, 0o755)));
    await cp(PAGE.from, PAGE.to, { recursive: true });
  },
};

/** `nest add` requires this file. Two files in the same folder describe it. */
const SCHEMATIC = 'dist/cjs/schematics/nest-add.js';

const forRequire: Plugin = {
  name: 'for-require',
  writeBundle: async () => {
    await writeFile('dist/cjs/package.json', JSON.stringify({ type: 'commonjs' }));
    for (const file of ['collection.json', 'schema.json'])
      await cp(`lib/schematics/${file}`, `dist/cjs/schematics/${file}`);
  },
};

export default defineConfig([build('esm', forNode), build('cjs', forRequire), declarations()]);

function build(format: 'esm' | 'cjs', plugin: Plugin): RolldownOptions {
  return {
    // A command needs no CommonJS build, because no code requires it.
    input: inputOf([...entries, ...(format === 'esm' ? commands : [SCHEMATIC])], '.js'),
    external,
    platform: 'node',
    // Comments with the names of compiled files, which are not in the package, are a twentieth of the tarball.
    experimental: { attachDebugInfo: 'none' },
    output: {
      dir: `dist/${format}`,
      format,
      cleanDir: true,
      exports: 'named',
      // A native import() fails in Jest, because Jest runs this build in separate contexts.
      dynamicImportInCjs: false,
      // Nest shows the names of classes in logs and errors.
      keepNames: true,
      // The declarations contain the documentation. rolldown removes all other comments, so the remaining ones explain little.
      comments: { jsdoc: false },
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: {
        groups: [
          // The main entry with its static imports.
          { name: 'core', test: `${COMPILED}/index.js` },
          // In a separate file this module runs before undici, because a bundle imports our files first (B27).
          { name: 'host-dispatcher', test: `${COMPILED}/undici/host-dispatcher.js` },
          // The simulator in two files that gzip compresses as a pair: see `declarations`.
          { name: 'clients', test: `${COMPILED}/testing/simulator/(?:cert|client|addresses|server)` },
          { name: 'simulator', test: `${COMPILED}/testing/simulator/` },
        ],
      },
    },
    plugins: [plugin],
  };
}

/**
 * Bundles the declarations for both builds, after the code, because the code cleans the folders. The compiler of a user reads
 * ten files rather than a hundred, and gets no declaration that no entry uses (B19).
 */
function declarations(): RolldownOptions {
  const output: OutputOptions = {
    chunkFileNames: 'chunks/[name].js',
    // npm packs the two files of a name one after the other, and gzip finds a repetition within 32 KiB. So the second copy of a file
    // that is shorter takes almost no room. What has an optional peer stays in its entry.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'options.d', test: `${COMPILED}/config/` },
        { name: 'module.d', test: `${COMPILED}/(?:module|catalogue|errors)/` },
        { name: 'scripts.d', test: `${COMPILED}/testing/simulator/(?:scripts|exchange|answer)` },
        { name: 'simulator.d', test: `${COMPILED}/testing/(?!index)` },
        { name: 'requests.d', test: `${COMPILED}/(?:http|net|wire|token|events|secrets|time|logging)/` },
      ],
    },
  };
  return {
    input: inputOf(entries, '.d.ts'),
    external,
    experimental: { attachDebugInfo: 'none' },
    output: [
      { ...output, dir: 'dist/esm' },
      { ...output, dir: 'dist/cjs' },
    ],
    plugins: [
      dts({ dtsInput: true, emitDtsOnly: true }),
      { name: 'for-users', renderChunk: withoutRuleNumbers },
    ],
  };
}

/** The compiled modules of these files, under the names of the files. */
function inputOf(files: readonly string[], extension: string): Record<string, string> {
  const names = files.map((file) => file.replace(/^(?:\.\/)?dist\/\w+\/(.+)\.js$/, '$1'));
  return Object.fromEntries(names.map((name) => [name, resolve(COMPILED, name + extension)]));
}

/** Other packages are not bundled: the output imports them. */
function external(id: string): boolean {
  return !id.startsWith('.') && !id.startsWith('/');
}
