import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** What a file imports, as it says it: statically, dynamically, by `require`, or for types alone. */
export async function importsOf(file: string): Promise<string[]> {
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith('.') || specifier.startsWith('/');
}

/** The package that a specifier leads to; nothing for a file or for a part of Node. */
export function packageOf(specifier: string): string | undefined {
  if (isRelative(specifier) || specifier.startsWith('node:')) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The packages that a file leads to, by itself or by way of other files. */
export async function packagesReachedFrom(entry: string): Promise<string[]> {
  return (await reachedFrom(entry)).packages;
}

/** What a file leads to, by itself or by way of other files: those files, the file itself included, and packages. */
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
