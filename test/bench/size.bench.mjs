/**
 * What an application that has NestJS, @nestjs/axios and their peers gains in size: the packed tarball, and each contender,
 * installed into such an application; kibibytes and packages that are there afterwards and were not before.
 *
 *   node test/bench/size.bench.mjs
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { row } from './paired-slices.mjs';

const { devDependencies: has } = JSON.parse(readFileSync('package.json', 'utf8'));
const { dependencies: contenders } = JSON.parse(
  readFileSync(new URL('contenders/package.json', import.meta.url), 'utf8'),
);
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
const folder = mkdtempSync(join(tmpdir(), 'size-'));
try {
  measureAll();
} finally {
  rmSync(folder, { recursive: true });
}

function measureAll() {
  const bare = join(folder, 'bare');
  install(
    bare,
    APPLICATION.map((name) => `${name}@${has[name]}`),
  );
  const before = inventory(bare);
  const [{ filename, size, unpackedSize }] = JSON.parse(
    npm(resolve('.'), ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  );
  const rows = [
    ['nestjs-provider-auth', [join(folder, filename)]],
    ...[
      'axios-auth-refresh',
      'simple-oauth2',
      'openid-client',
      '@badgateway/oauth2-client',
      'google-auth-library',
    ].map((name) => [name, [`${name}@${contenders[name]}`]]),
    [
      'axios-token-interceptor, axios-oauth-client',
      ['axios-token-interceptor', 'axios-oauth-client'].map((name) => `${name}@${contenders[name]}`),
    ],
  ];
  console.log('| added to an application with NestJS and axios | KiB | packages |');
  console.log('|---|---|---|');
  for (const [name, packages] of rows) {
    const application = join(folder, 'application');
    cpSync(bare, application, { recursive: true });
    install(application, packages);
    const after = inventory(application);
    const added = [...after].filter(([path]) => !before.has(path));
    const bytes = added.reduce((sum, [, own]) => sum + own, 0);
    console.log(row([name, (bytes / 1024).toFixed(0), added.length]));
    rmSync(application, { recursive: true });
  }
  console.log(
    `\nThe tarball has ${(size / 1024).toFixed(0)} KiB, unpacked ${(unpackedSize / 1024).toFixed(0)} KiB.`,
  );
}

function install(application, packages) {
  if (!statSync(application, { throwIfNoEntry: false })) execFileSync('mkdir', [application]);
  const manifest = join(application, 'package.json');
  if (!statSync(manifest, { throwIfNoEntry: false })) writeFileSync(manifest, '{"private":true}');
  npm(application, [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    ...packages,
  ]);
}

function npm(cwd, args) {
  return execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** Every installed package, by its place, with the bytes of its own files. */
function inventory(application) {
  const packages = new Map();
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.name.startsWith('@')) visit(path);
      else {
        packages.set(path.slice(application.length), bytesOf(path));
        const nested = join(path, 'node_modules');
        if (statSync(nested, { throwIfNoEntry: false })) visit(nested);
      }
    }
  };
  visit(join(application, 'node_modules'));
  return packages;
}

function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesOf(path);
    return sum + statSync(path).size;
  }, 0);
}
