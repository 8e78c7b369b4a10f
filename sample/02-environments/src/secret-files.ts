import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of secret files, like the folders that Docker, Kubernetes or the agent of a vault mount. */
export class SecretFiles {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<SecretFiles> {
    return new SecretFiles(await mkdtemp(join(tmpdir(), 'secrets-')));
  }

  /** Writes a new file and renames it, so a reader sees the old secret or the new secret, but never half of a secret. */
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
