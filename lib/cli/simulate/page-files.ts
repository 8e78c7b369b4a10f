import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotRun } from '../environment.js';

export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/** The files of the page. Any other file of the folder is not served. */
export const PAGE_FILES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/** Reads the page at the start, so that the simulator later reads no file. */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = Object.entries(PAGE_FILES).map(async ([name, type]) => {
    try {
      return [name, { type, content: await readFile(join(folder, name)) }] as const;
    } catch {
      throw new CannotRun(
        `The file ${name} of the page is missing. Reinstall the package, or use --no-page.`,
      );
    }
  });
  return new Map(await Promise.all(files));
}
