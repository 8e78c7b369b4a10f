import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from '../errors/error-code.js';

/** A longer file is another file, and is not read into memory. The bundle of all public authorities has about 250 KiB. */
const LIMITS = {
  pem: {
    bytes: 1024 * 1024,
    noFile: 'names something that is not a file. Name a PEM file.',
    tooLong: 'names a file that is far too long. Name a PEM file.',
  },
  secret: {
    bytes: 64 * 1024,
    noFile: 'names something that is not a file. Name the file that holds the secret.',
    tooLong:
      'names a file that is far too long for a secret. Name the file that holds the secret and nothing else.',
  },
};

/** @param code of Node, if the file could not be read. */
type FileReading = { readonly text: string } | { readonly flaw: string; readonly code?: string | undefined };

/**
 * A file that a variable names. Docker, Kubernetes or a vault mounts it, and can change it at any time. Its path is a
 * value of the configuration and is never shown.
 */
export class MountedFile {
  readonly #path: string;
  readonly #limits: (typeof LIMITS)['pem'];

  constructor(path: string, content: keyof typeof LIMITS) {
    // Relative to the folder in which the process starts, even if the process changes its folder later.
    this.#path = resolve(path);
    this.#limits = LIMITS[content];
    Object.freeze(this);
  }

  async read(): Promise<FileReading> {
    const { bytes, noFile, tooLong } = this.#limits;
    try {
      const status = await stat(this.#path);
      if (!status.isFile()) return { flaw: noFile };
      if (status.size > bytes) return { flaw: tooLong };
      // For any other encoding, Node first reads the bytes into memory that buffers share (S10).
      return { text: await readFile(this.#path, 'utf8') };
    } catch (error) {
      return unreadable(error);
    }
  }
}

function unreadable(error: unknown): FileReading {
  const code = error instanceof Error ? errorCode(error) : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return { code, flaw: 'names a file that does not exist. Mount it, or name the right one.' };
  if (code === 'EACCES' || code === 'EPERM')
    return { code, flaw: 'names a file that this process may not read. Give its user the right to.' };
  return { code, flaw: 'names a file that cannot be read. Check what is mounted there.' };
}
