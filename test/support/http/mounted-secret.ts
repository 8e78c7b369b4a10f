import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { givenFolder } from '../run/given-folder.js';

/**
 * Files that are replaced as Kubernetes replaces those of a mounted secret: each file is a link into `..data`, which is a link to
 * a folder. A change makes another folder, and renames another link over `..data`.
 */
export class MountedSecret<Name extends string> {
  readonly files: Readonly<Record<Name, string>>;
  readonly #folder = givenFolder();
  #folders = 0;

  constructor(contents: Readonly<Record<Name, string>>) {
    this.replace(contents);
    const links = (Object.keys(contents) as Name[]).map((name) => {
      const link = join(this.#folder, name);
      symlinkSync(join('..data', name), link);
      return [name, link] as const;
    });
    this.files = Object.fromEntries(links) as Record<Name, string>;
  }

  /** A file that is left out is absent afterwards. */
  replace(contents: Partial<Readonly<Record<Name, string>>>): void {
    this.#folders += 1;
    const folder = `..${this.#folders}`;
    mkdirSync(join(this.#folder, folder));
    for (const [name, content] of Object.entries<string | undefined>(contents))
      writeFileSync(join(this.#folder, folder, name), content ?? '');
    symlinkSync(folder, join(this.#folder, '..data_tmp'));
    renameSync(join(this.#folder, '..data_tmp'), join(this.#folder, '..data'));
  }
}

/** For the rest of the test, this much more time has passed by the monotonic clock. Timers do not fire earlier. */
export function letTimePass(ms: number): void {
  const passedMs = systemClock.monotonic() - performance.now() + ms;
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => performance.now() + passedMs);
}
