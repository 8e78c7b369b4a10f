import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from '../../errors/error-code.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import {
  checkedSecret,
  clientSecretOf,
  type SecretKind,
  type SecretPlace,
  unreadableSecret,
  withoutFinalNewline,
} from './secret-sources.js';
import type { Flaw } from '../rules/text-rules.js';

/** A longer file does not contain a secret, and is not read into memory. */
const LONGEST_SECRET_FILE = 64 * 1024;

/** A file with the secret. Docker, Kubernetes or a vault mounts the file, and can change it at any time (B8). */
export class SecretFile implements SecretSource {
  readonly #file: string;
  readonly #place: SecretPlace;
  readonly #kind: SecretKind;
  #lastRead: ClientCredential | undefined;

  constructor(file: string, place: SecretPlace, kind: SecretKind = clientSecretOf(undefined)) {
    // Relative to the folder in which the process starts, also if the process changes its folder later.
    this.#file = resolve(file);
    this.#place = place;
    this.#kind = kind;
    Object.freeze(this);
  }

  /** What is wrong with the file at boot. The path of the file is a value of the configuration and is not shown. */
  flaw(): Flaw {
    try {
      const flaw = flawOfStat(statSync(this.#file));
      if (flaw !== undefined) return flaw;
      const secret = withoutFinalNewline(readFileSync(this.#file, 'utf8'));
      const reading = this.#kind.read(secret);
      if ('flaw' in reading) return `names a file whose content ${reading.flaw}`;
      if (!this.#kind.expires) this.#lastRead = reading.credential;
      return undefined;
    } catch (error) {
      return flawOfReading(error);
    }
  }

  get atBoot(): ClientCredential | undefined {
    return this.#lastRead;
  }

  async read(): Promise<ClientCredential> {
    const content = await this.#content();
    const credential = checkedSecret(content, this.#place, 'its file has content which', this.#kind);
    // A secret that was replaced must not stay in memory (B32).
    if (this.#lastRead) this.#lastRead = credential;
    return credential;
  }

  async #content(): Promise<string> {
    let flaw: Flaw;
    let code: string | undefined;
    try {
      flaw = flawOfStat(await stat(this.#file));
      if (flaw === undefined) return await readFile(this.#file, 'utf8');
    } catch (error) {
      flaw = flawOfReading(error);
      code = errorCode(error);
    }
    throw unreadableSecret(this.#place, flaw, code);
  }
}

/** Checks a file at boot. A function is called for token requests only, so its values are checked later. */
export function flawOfSource(value: unknown, rule: (value: unknown) => Flaw): Flaw {
  if (typeof value === 'function') return undefined;
  return value instanceof SecretFile ? value.flaw() : rule(value);
}

function flawOfStat(status: { isFile(): boolean; size: number }): Flaw {
  if (!status.isFile()) return 'names something that is not a file. Name the file that holds the secret.';
  return status.size > LONGEST_SECRET_FILE
    ? 'names a file that is far too long for a secret. Name the file that holds the secret and nothing else.'
    : undefined;
}

export function flawOfReading(error: unknown): string {
  const code = error instanceof Error ? errorCode(error) : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return 'names a file that does not exist. Mount it, or name the right one.';
  if (code === 'EACCES' || code === 'EPERM')
    return 'names a file that this process may not read. Give its user the right to.';
  return 'names a file that cannot be read. Check what is mounted there.';
}
