import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Packages that each NestJS application with API calls has. */
const APPLICATION = [
  '@nestjs/axios',
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  'axios',
  'class-validator',
  'reflect-metadata',
  'rxjs',
];

/** Creates a folder with such an application, in the versions of this repository. */
export function bareApplication(folder) {
  const { devDependencies: versions } = JSON.parse(readFileSync('package.json', 'utf8'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  install(
    folder,
    APPLICATION.map((name) => `${name}@${versions[name]}`),
  );
}

export function install(application, packages) {
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  npm(application, ['install', ...quietly, ...packages]);
}

/** Packs the build as `npm publish` does. */
export function pack(folder) {
  const [packed] = JSON.parse(
    npm(resolve('.'), ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  );
  return { tarball: join(folder, packed.filename), bytes: packed.size };
}

/** Each installed package by its folder: its name, its version, and the bytes of its files without nested packages. */
export function inventory(application) {
  const packages = new Map();
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.name.startsWith('@')) visit(path);
      else {
        const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
        packages.set(path.slice(application.length), { name, version, bytes: bytesOf(path) });
        const nested = join(path, 'node_modules');
        if (statSync(nested, { throwIfNoEntry: false })) visit(nested);
      }
    }
  };
  visit(join(application, 'node_modules'));
  return packages;
}

/** The packages that are only in the second inventory, the largest first. */
export function addedTo(before, after) {
  const added = [...after].filter(([place]) => !before.has(place)).map(([, found]) => found);
  return added.toSorted((one, other) => other.bytes - one.bytes);
}

function npm(cwd, args) {
  return execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesOf(path);
    return sum + statSync(path).size;
  }, 0);
}
