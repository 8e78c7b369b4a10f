import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** The specifiers that a file imports: statically, dynamically, with `require`, or only for types. */
export async function importsOf(file: string): Promise<string[]> {
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.') || specifier.startsWith('/');
}

/** The package of a specifier, or `undefined` for a file or a module of Node. */
export function packageOf(specifier: string): string | undefined {
  if (isRelative(specifier) || specifier.startsWith('node:')) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The packages that a file imports, directly or through other files. */
export async function packagesReachedFrom(entry: string): Promise<string[]> {
  return (await reachedFrom(entry)).packages;
}

/** The files and packages that a file imports, directly or through other files. The files include the file itself. */
export async function reachedFrom(entry: string): Promise<{ files: string[]; packages: string[] }> {
  const extension = entry.endsWith('.d.ts') ? '.d.ts' : '.js';
  const packages = new Set<string>();
  const files = new Set([entry]);
  for (const file of files) {
    for (const specifier of await importsOf(file)) {
      const name = packageOf(specifier);
      if (name !== undefined) packages.add(name);
      else if (isRelative(specifier)) files.add(join(file, '..', specifier.replace(/\.js$/, extension)));
    }
  }
  return { files: [...files], packages: [...packages].toSorted() };
}
