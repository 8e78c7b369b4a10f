import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const { config } = ts.readConfigFile(fileURLToPath(new URL('../../tsconfig.json', import.meta.url)), (path) =>
  ts.sys.readFile(path),
);
const { options } = ts.convertCompilerOptionsFromJson(
  { ...config.compilerOptions, module: 'esnext', moduleResolution: 'bundler' },
  '.',
);

/** Inside the sources `./x.js` means `./x.ts`. */
export function resolve(specifier, context, next) {
  const fromSource = context.parentURL?.endsWith('.ts') && specifier.startsWith('.');
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const fileName = fileURLToPath(url);
  const { outputText } = ts.transpileModule(await readFile(fileName, 'utf8'), {
    fileName,
    compilerOptions: options,
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}
