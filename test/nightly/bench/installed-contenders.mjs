/** Installs the compared clients, in the versions of `contenders/package-lock.json`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FOLDER = new URL('contenders/', import.meta.url);

export function installContenders() {
  const lock = readFileSync(new URL('package-lock.json', FOLDER), 'utf8');
  const done = new URL('node_modules/.installed-lock', FOLDER);
  if (existsSync(done) && readFileSync(done, 'utf8') === lock) return;
  console.log('Installing the contenders …');
  // Two contenders require a newer Node in `engines`, but they run on Node 20.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: 'inherit',
  });
  writeFileSync(done, lock);
}

/** The exact version of each contender. */
export function contenderVersions() {
  return JSON.parse(readFileSync(new URL('package.json', FOLDER), 'utf8')).dependencies;
}
