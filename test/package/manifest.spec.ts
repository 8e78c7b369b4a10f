import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importsOf, packageOf } from '../support/package/module-graph.js';
import { entries, manifest, optionalPeers, requiredPeers, ROOT } from '../support/package/packed-package.js';

/** Every import of a package in lib: the file, relative to lib, and the package. */
const imports = await importsOfLib();

it('names the supported versions of Node', () => {
  expect(manifest.name).toBe('nestjs-provider-auth');
  expect(manifest.type).toBe('module');
  expect(manifest.engines).toEqual({ node: '^20.19.0 || ^22.12.0 || >=24.0.0' });
});

it('C7: asks for these peers', () => {
  const ranges = requiredPeers.map((name) => [name, manifest.peerDependencies[name]]);
  expect(Object.fromEntries(ranges)).toEqual({
    '@nestjs/axios': '^4.0.0 || ^12.0.0',
    '@nestjs/common': '^11.0.0 || ^12.0.0',
    '@nestjs/config': '^4.0.0 || ^12.0.0',
    '@nestjs/core': '^11.0.0 || ^12.0.0',
    axios: '^1.20.0',
    'class-validator': '^0.14.0 || ^0.15.0',
    'reflect-metadata': '^0.1.13 || ^0.2.0',
    rxjs: '^7.0.0',
  });
});

it.each([...requiredPeers, ...optionalPeers])('B36: has an upper bound for the peer %s', (peer) => {
  expect(manifest.peerDependencies[peer]).toMatch(/^\^[\d.]+( \|\| \^[\d.]+)*$/);
});

it('declares every package that lib imports', () => {
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  expect(imports.filter(({ name }) => !(name in declared))).toEqual([]);
});

it('has only dependencies that lib imports', () => {
  const imported = new Set(imports.map(({ name }) => name));
  expect(Object.keys(manifest.dependencies).filter((name) => !imported.has(name))).toEqual([]);
});

it.each(optionalPeers)('lets no more than one entry import the optional peer %s', (peer) => {
  const importing = imports.filter(({ name }) => name === peer);
  const folders = [...new Set(importing.map(({ file }) => `./${file.split('/')[0]}`))];
  expect(folders.length).toBeLessThanOrEqual(1);
  expect(entries.map(({ subpath }) => subpath)).toEqual(expect.arrayContaining(folders));
});

it.each(entries)(
  'gives $subpath in the build that each kind of import can use',
  ({ subpath, ...conditions }) => {
    const file = subpath === '.' ? 'index' : `${subpath.slice(2)}/index`;
    // Node takes the first condition that it knows. With `module-sync`, require() and import get the same copy.
    expect(Object.entries(conditions)).toEqual([
      ['types', { import: `./dist/esm/${file}.d.ts`, default: `./dist/cjs/${file}.d.ts` }],
      ['module-sync', `./dist/esm/${file}.js`],
      ['import', `./dist/esm/${file}.js`],
      ['default', `./dist/cjs/${file}.js`],
    ]);
    expect(Object.keys(conditions.types)).toEqual(['import', 'default']);
  },
);

async function importsOfLib(): Promise<{ file: string; name: string }[]> {
  const lib = join(ROOT, 'lib');
  const files = (await readdir(lib, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const found = files.map(async (file) => {
    const names = (await importsOf(join(lib, file))).map(packageOf);
    return names.filter((name) => name !== undefined).map((name) => ({ file, name }));
  });
  return (await Promise.all(found)).flat();
}
