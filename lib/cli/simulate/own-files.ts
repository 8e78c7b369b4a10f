import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SIMULATED_PLATFORM } from '../../catalogue/wire.js';
import { errorCode } from '../../errors/error-code.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import { Secret } from '../../secrets/secret.js';
import type { AuthorityKeeper, AuthorityPems } from '../../testing/simulator/certificate-authority.js';
import { CannotRun } from '../environment.js';
import { newKey } from './control-server.js';

/**
 * The first line of each file that this command writes. The command replaces only files that begin with this line. A client
 * assertion has no place for it, but names its issuer.
 */
const MARK = '# made by provider-auth simulate';

interface OwnFile {
  readonly path: string;
  /** The option that chooses another path. */
  readonly option: string;
  readonly content: string;
  readonly mode: number;
}

/**
 * Writes a file. A file of other origin is replaced only with `force`. A link is not followed: with `force` the link itself
 * is replaced. Another process sees the old content or the new content, never a part.
 */
export async function writeOwnFile({ path, option, content, mode }: OwnFile, force: boolean): Promise<void> {
  if (!force && !(await isAbsent(path)) && !(await isOwn(path)))
    throw new CannotRun(
      `${path} exists, and this command did not write it. Name another file with ${option}, or replace the file with --force.`,
    );
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, isAssertion(content) ? content : `${MARK}\n${content}`, { mode, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw cannotWrite(path, option, error);
  }
}

/** Keeps the certificate authority in a folder, so that applications trust the simulator after a restart. */
export function authorityKeeper(folder: string): AuthorityKeeper {
  const certificateFile = join(folder, 'authority.pem');
  const keyFile = join(folder, 'authority-key.pem');
  return {
    async load(): Promise<AuthorityPems | undefined> {
      if ((await isAbsent(certificateFile)) && (await isAbsent(keyFile))) return undefined;
      const [certificate, key] = await Promise.all([readText(certificateFile), readText(keyFile)]);
      if (certificate === undefined || key === undefined || !belongTogether(certificate, key))
        throw new CannotRun(
          `${folder} holds no certificate authority of this command. Choose another folder with --keep-ca, or delete ` +
            `${basename(certificateFile)} and ${basename(keyFile)} in it.`,
        );
      return { certificate, key };
    },
    async save({ certificate, key }): Promise<void> {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(keyFile, key, { mode: 0o600, flag: 'wx' });
        await writeFile(certificateFile, certificate, { mode: 0o644, flag: 'wx' });
      } catch (error) {
        throw cannotWrite(folder, '--keep-ca', error);
      }
    },
  };
}

/** Where the key of the control address is kept, below the folder of the settings. */
const KEY_FOLDER = '.provider-simulator';

/**
 * The key of the control address. It is kept, so that the page has the same address at each start. If the folder cannot be written,
 * or its key is no key, this start has a new one.
 */
export async function keptKey(folder: string): Promise<string> {
  const own = basename(resolve(folder)) === KEY_FOLDER ? folder : join(folder, KEY_FOLDER);
  const file = join(own, 'key');
  const kept = (await readText(file))?.trim();
  if (kept !== undefined && /^[\da-f]{32}$/.test(kept)) return kept;
  const key = newKey();
  try {
    await mkdir(own, { recursive: true, mode: 0o700 });
    await writeFile(join(own, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    // The address works for this start.
  }
  return key;
}

function belongTogether(certificate: string, key: string): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    return parsed.ca && parsed.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

async function isAbsent(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    // A place that cannot exist is reported when the file is written.
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
  }
}

async function isOwn(path: string): Promise<boolean> {
  const text = await readText(path);
  return text !== undefined && (text.startsWith(`${MARK}\n`) || isAssertion(text));
}

function isAssertion(text: string): boolean {
  return claimsOf(new Secret(text))?.iss === SIMULATED_PLATFORM;
}

/** The text of a regular file. Undefined for a link, a folder, or a file that cannot be read. */
async function readText(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function cannotWrite(path: string, option: string, error: unknown): CannotRun {
  const code = errorCode(error) ?? 'UNKNOWN';
  return new CannotRun(`${path} cannot be written (${code}). Choose another place with ${option}.`);
}
