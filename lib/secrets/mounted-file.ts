import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from '../errors/error-code.js';
import { UnusableValue } from './text-rules.js';

/** A longer file is another file, and is not read into memory. The bundle of all public authorities has about 250 KiB. */
const KINDS = {
  pem: { longest: 1024 * 1024, remedy: 'Name a PEM file.' },
  secret: { longest: 64 * 1024, remedy: 'Name the file that holds the secret and nothing else.' },
};

/**
 * A file that a variable names. Docker, Kubernetes or a vault mounts it, and can change it at any time. Its path is a
 * value of the configuration and is never shown.
 */
export class MountedFile {
  readonly #path: string;
  readonly #kind: keyof typeof KINDS;

  constructor(path: string, kind: keyof typeof KINDS) {
    // Relative to the folder in which the process starts, even if the process changes its folder later.
    this.#path = resolve(path);
    this.#kind = kind;
    Object.freeze(this);
  }

  /** Throws an `UnusableValue`. */
  async read(): Promise<string> {
    const { longest, remedy } = KINDS[this.#kind];
    try {
      const status = await stat(this.#path);
      if (!status.isFile()) throw new UnusableValue(`names something that is not a file. ${remedy}`);
      if (status.size > longest) throw new UnusableValue(`names a file that is far too long. ${remedy}`);
      // For any other encoding, Node first reads the bytes into memory that buffers share (S10).
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof UnusableValue) throw error;
      const code = errorCode(error);
      throw new UnusableValue(
        FLAWS.get(code) ?? 'names a file that cannot be read. Check what is mounted there.',
        code,
      );
    }
  }
}

const MISSING = 'names a file that does not exist. Mount it, or name the right one.';
const FORBIDDEN = 'names a file that this process may not read. Give its user the right to.';
const FLAWS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', MISSING],
  ['ENOTDIR', MISSING],
  ['EACCES', FORBIDDEN],
  ['EPERM', FORBIDDEN],
]);
