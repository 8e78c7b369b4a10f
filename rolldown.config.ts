import { chmod, cp, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown';
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
      chunkFileNames: 'chunks/[name].js',
      // The main entry, with all that it imports at once.
      codeSplitting: { groups: [{ name: 'core', test: `${COMPILED}/index.js` }] },
    },
    plugins: [declarationsIn(directory), plugin],
  };
}

function nameAndModule(file: string): [name: string, module: string] {
  const module = relative('dist/esm', file);
  return [module.replace(/\.js$/, ''), resolve(COMPILED, module)];
}

/** The declarations stay as they are, a file a module: no process waits for them. */
function declarationsIn(directory: string): Plugin {
  return {
    name: 'declarations',
    writeBundle: () =>
      cp(COMPILED, directory, { recursive: true, filter: (source) => !source.endsWith('.js') }),
  };
}
