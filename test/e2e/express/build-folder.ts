import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The folder with one file for each module. The given folder may be a checkout, its `dist`, or `dist/compiled`. */
export function compiledIn(folder: string): string {
  const found = ['dist/compiled', 'compiled', '.']
    .map((place) => resolve(folder, place))
    .find((place) => existsSync(join(place, 'index.js')));
  if (found === undefined) throw new Error(`There is no build in ${folder}. Run "npm run build" there.`);
  return found;
}

/** The commit that the folder has checked out. */
export async function commitOf(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder });
  return stdout.trim();
}
