import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Private keys in files that only this user can read. The folder is made when the first key is written. */
export class KeyFiles {
  #folder: string | undefined;

  write(name: string, key: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'provider-simulator-'));
    const file = join(this.#folder, name);
    writeFileSync(file, key, { mode: 0o600 });
    return file;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
