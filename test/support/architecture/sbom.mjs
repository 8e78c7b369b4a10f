/**
 * Prints what an installation of this package brings (its production tree), as CycloneDX in JSON. The release publishes this
 * text beside the tarball.
 *
 * `npm sbom` cannot read this repository itself: it refuses the samples, because they are workspaces without a version. So this
 * program reads a copy of `package.json` without tests, samples and peers, with the versions of `package-lock.json`.
 *
 *   npm run -s sbom > sbom.cdx.json
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('../../../', import.meta.url);
const KEPT = [
  'name',
  'version',
  'description',
  'license',
  'author',
  'homepage',
  'repository',
  'dependencies',
];

const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const parent = mkdtempSync(join(tmpdir(), 'sbom-'));
// npm takes the name of the component from the folder.
const folder = join(parent, manifest.name);
try {
  mkdirSync(folder);
  const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(kept));
  copyFileSync(new URL('package-lock.json', ROOT), join(folder, 'package-lock.json'));
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
  process.stdout.write(npm('sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'));
} finally {
  rmSync(parent, { recursive: true });
}

function npm(...args) {
  return execFileSync('npm', [...args, '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}
