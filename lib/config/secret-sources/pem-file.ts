import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { flawOfReading } from './secret-file.js';

/** The bundle of all public authorities has about 250 KiB. A longer file is another file. */
const LONGEST_PEM_FILE = 1024 * 1024;

/** The content of a PEM file, or what is wrong with the file. */
export type PemReading = { readonly text: string } | { readonly flaw: string };

/** A file that holds certificates or a key. The file is read when the application starts. */
export class PemFile {
  readonly #file: string;

  constructor(file: string) {
    // Relative to where the process was started, also if it moves later.
    this.#file = resolve(file);
    Object.freeze(this);
  }

  read(): PemReading {
    try {
      const status = statSync(this.#file);
      if (!status.isFile()) return { flaw: 'names something that is not a file. Name a PEM file.' };
      if (status.size > LONGEST_PEM_FILE)
        return { flaw: 'names a file that is far too long. Name a PEM file.' };
      return { text: readFileSync(this.#file, 'latin1') };
    } catch (error) {
      return { flaw: flawOfReading(error) };
    }
  }
}
