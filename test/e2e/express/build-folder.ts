import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder with one file for each module. The given folder may be a checkout, its `dist`, or `dist/compiled`. */
export function compiledIn(folder: string): string {
  const found = ['dist/compiled', 'compiled', '.']
    .map((place) => resolve(folder, place))
    .find((place) => existsSync(join(place, 'index.js')));
  if (found === undefined) throw new Error(`There is no build in ${folder}. Run "npm run build" there.`);
  return found;
}
