/**
 * B19: what the package adds to an application that has NestJS, @nestjs/axios and their peers. The program installs the
 * packed tarball into such an application and compares the installed packages. Then it shows what each entry adds.
 *
 *   npm run size                    packages, installed KiB, tarball KiB, entries
 *   npm run size -- --contenders    also the same installation of other clients
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reachedFrom } from '../../support/package/module-graph.ts';
import { addedTo, bareApplication, install, inventory, pack } from './installation.mjs';
import { contenderVersions } from './installed-contenders.mjs';
import { row } from './paired-slices.mjs';

const { values: wanted } = parseArgs({
  options: { contenders: { type: 'boolean', default: false } },
});
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object');

const folder = mkdtempSync(join(tmpdir(), 'size-'));
try {
  const bare = join(folder, 'bare');
  bareApplication(bare);
  showOurs(bare);
  await showEntries();
  if (wanted.contenders) showContenders(bare);
} finally {
  rmSync(folder, { recursive: true });
}

function showOurs(bare) {
  const { tarball, bytes } = pack(folder);
  const added = addedBy(bare, [tarball]);
  console.log('Added to an application with NestJS, @nestjs/axios and their peers:\n');
  table(
    ['package', 'KiB installed'],
    [
      ...added.map((one) => [`${one.name} ${one.version}`, kib(one.bytes)]),
      [`${added.length} packages`, kib(sumOf(added))],
    ],
  );
  console.log(`\nThe tarball is ${kib(bytes)} KiB.\n`);
}

async function showEntries() {
  const rows = [];
  const ofMain = new Set();
  for (const [subpath, target] of entries) {
    const code = await reachedFrom(resolve(target.import));
    const types = await reachedFrom(resolve(target.types.import));
    const own = code.files.filter((file) => !ofMain.has(file));
    if (subpath === '.') for (const file of code.files) ofMain.add(file);
    rows.push([`\`${subpath}\``, kib(sizeOf(own)), kib(sizeOf(types.files))]);
  }
  console.log(
    'Code that each entry loads, in one of the two builds. For other entries than `.`, without the code of `.`:\n',
  );
  table(['entry', 'KiB of code', 'KiB of declarations'], rows);
}

function showContenders(bare) {
  const versions = contenderVersions();
  const contenders = [
    ['axios-auth-refresh'],
    ['simple-oauth2'],
    ['openid-client'],
    ['@badgateway/oauth2-client'],
    ['google-auth-library'],
    ['axios-token-interceptor', 'axios-oauth-client'],
  ];
  console.log('\nOther clients, added to the same application:\n');
  const sizes = contenders.map((names) => {
    const packages = names.map((name) => `${name}@${versions[name]}`);
    const added = addedBy(bare, packages);
    return [packages.join(', '), kib(sumOf(added)), added.length];
  });
  table(['packages', 'KiB installed', 'packages added'], sizes);
}

/** The packages that an installation adds to a copy of the application. */
function addedBy(bare, packages) {
  const application = join(folder, 'application');
  cpSync(bare, application, { recursive: true });
  install(application, packages);
  const added = addedTo(inventory(bare), inventory(application));
  rmSync(application, { recursive: true });
  return added;
}

/** Prints a table with names on the left and figures on the right. */
function table(head, rows) {
  const cells = [head, ...rows].map((line) => line.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  const line = ([name, ...figures]) =>
    row([name.padEnd(widths[0]), ...figures.map((figure, index) => figure.padStart(widths[index + 1]))]);
  const [first, ...others] = cells.map(line);
  const rule = row(
    widths.map((width, column) => '-'.repeat(width - Number(column > 0)) + (column > 0 ? ':' : '')),
  );
  for (const one of [first, rule, ...others]) console.log(one);
}

function sizeOf(files) {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

function sumOf(packages) {
  return packages.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Rounded up: an entry with half a KiB of declarations has some. */
function kib(bytes) {
  return String(Math.ceil(bytes / 1024));
}
