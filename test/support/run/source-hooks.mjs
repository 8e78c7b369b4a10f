import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const TSCONFIG = new URL('../../../tsconfig.json', import.meta.url);
/** Suites start dozens of processes. The cache lets each file be compiled once for all of them. */
const CACHE = new URL('../../../node_modules/.cache/run-source/', import.meta.url);

/** In the sources, an import of `./x.js` means `./x.ts`. */
export function resolve(specifier, context, next) {
  const fromSource = context.parentURL?.endsWith('.ts') && specifier.startsWith('.');
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const [text, settings, own] = await Promise.all([
    readFile(fileURLToPath(url), 'utf8'),
    readFile(TSCONFIG, 'utf8'),
    readFile(new URL(import.meta.url), 'utf8'),
  ]);
  const key = createHash('sha256')
    .update(JSON.stringify([url, text, settings, own]))
    .digest('hex');
  const cached = new URL(`${key}.js`, CACHE);
  const source = await readFile(cached, 'utf8').catch(() => translated(fileURLToPath(url), text, cached));
  return { format: 'module', source, shortCircuit: true };
}

/** Loads the compiler only if it is needed, because loading takes longer than most processes run. */
async function translated(fileName, text, cached) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(fileURLToPath(TSCONFIG), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, module: 'esnext', moduleResolution: 'bundler' },
    '.',
  );
  const { outputText } = ts.transpileModule(text, { fileName, compilerOptions: options });
  await mkdir(CACHE, { recursive: true });
  // Writes a draft and renames it, so that no other process reads an incomplete file.
  const draft = new URL(`${randomUUID()}.tmp`, CACHE);
  await writeFile(draft, outputText);
  await rename(draft, cached);
  return outputText;
}
