import { table, whole } from '../markdown.js';
import type { Shown } from './shown.js';

export interface SizeFigures {
  readonly packages: readonly { readonly name: string; readonly version: string; readonly kib: number }[];
  readonly tarballKib: number;
  readonly entries: readonly {
    readonly entry: string;
    readonly codeKib: number;
    readonly declarationsKib: number;
    readonly importMs: number;
  }[];
  /** Only measured with `--contenders`. */
  readonly contenders: readonly {
    readonly packages: readonly string[];
    readonly kib: number;
    readonly added: number;
  }[];
}

export const size: Shown<SizeFigures> = {
  blocks({ figures: { packages, tarballKib, entries, contenders } }) {
    const all = packages.reduce((sum, { kib }) => sum + kib, 0);
    return {
      installed: table(
        ['installed into the same application', 'packages', 'KiB'],
        [
          ['this module', packages.length, whole(all)],
          ...packages.map(({ name, version, kib }) => [`– of these ${name} ${version}`, 1, whole(kib)]),
          ...contenders.map(({ packages: names, kib, added }) => [names.join(', '), added, whole(kib)]),
        ],
      ),
      tarball: `The tarball is ${whole(tarballKib)} KiB.`,
      entries: table(
        ['entry', 'KiB of code', 'KiB of declarations', 'ms to import'],
        entries.map(({ entry, codeKib, declarationsKib, importMs }) => [
          `\`${entry}\``,
          whole(codeKib),
          whole(declarationsKib),
          importMs.toFixed(1),
        ]),
      ),
    };
  },
};
