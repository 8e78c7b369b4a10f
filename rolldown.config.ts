import { chmod, copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown';
import ts from 'typescript';
import manifest from './package.json' with { type: 'json' };

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

const forRequire: Plugin = {
  name: 'for-require',
  writeBundle: () => writeFile('dist/cjs/package.json', JSON.stringify({ type: 'commonjs' })),
};

export default defineConfig([build('esm', forNode), build('cjs', forRequire)]);

function build(format: 'esm' | 'cjs', plugin: Plugin): RolldownOptions {
  const directory = `dist/${format}`;
  return {
    // A command needs no CommonJS build, because no code requires it.
    input: Object.fromEntries([...entries, ...(format === 'esm' ? commands : [])].map(nameAndModule)),
    // Other packages are not bundled: the output imports them.
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'node',
    output: {
      dir: directory,
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
 * Copies the declarations unchanged, one file for each module, because no process loads them. Leaves out declarations that no
 * entry uses, directly or indirectly (B19).
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

/** Returns these declarations and all that they import, directly or indirectly. If a file is missing, the build fails. */
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
