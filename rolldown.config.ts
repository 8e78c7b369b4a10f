import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown';
import ts from 'typescript';
import manifest from './package.json' with { type: 'json' };

/**
 * What TypeScript has compiled, module by module, becomes few files: finding and reading a hundred of them takes Node
 * longer than all that is in them (B14). What entries have in common stands once, so that a class is the same in all.
 */
const COMPILED = 'dist/compiled';

const commands = Object.values(manifest.bin);
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.import,
);

const forNode: Plugin = {
  name: 'for-node',
  writeBundle: () => Promise.all(commands.map((file) => chmod(file, 0o755))).then(() => undefined),
};

const forRequire: Plugin = {
  name: 'for-require',
  writeBundle: () => writeFile('dist/cjs/package.json', JSON.stringify({ type: 'commonjs' })),
};

export default defineConfig([build('esm', forNode), build('cjs', forRequire)]);

function build(format: 'esm' | 'cjs', plugin: Plugin): RolldownOptions {
  const directory = `dist/${format}`;
  return {
    // Nobody requires a command.
    input: Object.fromEntries([...entries, ...(format === 'esm' ? commands : [])].map(nameAndModule)),
    // Everything that is not ours is imported when we are.
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'node',
    output: {
      dir: directory,
      format,
      cleanDir: true,
      exports: 'named',
      // A native import() fails in Jest, which runs this build in contexts of its own.
      dynamicImportInCjs: false,
      // Nest tells of classes by their names.
      keepNames: true,
      // The declarations hold the documentation. rolldown drops all other comments, so what is left of them explains little.
      comments: { jsdoc: false },
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: {
        groups: [
          // The main entry, with all that it imports at once.
          { name: 'core', test: `${COMPILED}/index.js` },
          // A file imports other files of ours first: this module is evaluated before undici is (B27).
          { name: 'global-dispatcher', test: `${COMPILED}/undici/pool/global-dispatcher.js` },
        ],
      },
    },
    plugins: [declarationsIn(directory), plugin],
  };
}

function nameAndModule(file: string): [name: string, module: string] {
  const module = relative('dist/esm', file);
  return [module.replace(/\.js$/, ''), resolve(COMPILED, module)];
}

/**
 * The declarations stay as they are, a file a module: no process waits for them. Those that no entry leads to describe the
 * inside, and are left out (B19).
 */
function declarationsIn(directory: string): Plugin {
  return {
    name: 'declarations',
    writeBundle: async () => {
      const roots = entries.map((file) => relative('dist/esm', file).replace(/\.js$/, '.d.ts'));
      await Promise.all(
        (await reachedFrom(roots)).map(async (file) => {
          const target = join(directory, file);
          await mkdir(dirname(target), { recursive: true });
          await copyFile(join(COMPILED, file), target);
        }),
      );
    },
  };
}

/** These declarations and all that they import, directly or not. A file that is missing fails the build. */
async function reachedFrom(roots: readonly string[]): Promise<string[]> {
  const reached = new Set(roots);
  for (const file of reached) {
    const { importedFiles } = ts.preProcessFile(await readFile(join(COMPILED, file), 'utf8'));
    for (const { fileName } of importedFiles) {
      if (fileName.startsWith('.')) reached.add(join(dirname(file), fileName.replace(/\.js$/, '.d.ts')));
    }
  }
  return [...reached];
}
