import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of secret files, as Docker, Kubernetes or a vault's agent mounts one. */
export class SecretFiles {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<SecretFiles> {
    return new SecretFiles(await mkdtemp(join(tmpdir(), 'secrets-')));
  }

  /** Whole or not at all: written beside it, then renamed into place. */
  async write(name: string, secret: string): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(`${file}.new`, secret, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return file;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
