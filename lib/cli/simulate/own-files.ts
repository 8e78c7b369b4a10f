import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { SIMULATED_PLATFORM } from '../../catalogue/wire.js';
import { errorCode } from '../../errors/error-code.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import { Secret } from '../../secrets/secret.js';
import { settledWithin } from '../../time/within.js';
import { safely } from '../../values/safely.js';
import type { Authority } from '../../testing/simulator/certificate-authority.js';
import { CannotRun, SIMULATOR_FOLDER } from '../environment.js';

/**
 * The first line of each file that this command writes. The command replaces only files that begin with this line. A client
 * assertion has no place for it, but names its issuer.
 */
const MARK = '# made by provider-auth simulate\n';

export interface OwnFile {
  readonly path: string;
  readonly option: string;
  readonly content: string;
  readonly mode: number;
}

/** Writes all files. Without `force`, writes none if one of them has another origin. */
export async function writeOwnFiles(files: readonly OwnFile[], force: boolean): Promise<void> {
  for (const { path, option } of files)
    if (!force && (await isForeign(path)))
      throw new CannotRun(
        `${path} exists, and this command did not write it. Name another file with ${option}, or replace the file with --force.`,
      );
  for (const file of files) await write(file);
}

/** A link is not followed, but replaced. Another process sees the old content or the new content, never a part. */
async function write({ path, option, content, mode }: OwnFile): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(temporary, isAssertion(content) ? content : MARK + content, { mode, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw cannotWrite(path, option, error);
  }
}

function cannotWrite(path: string, option: string, error: unknown): CannotRun {
  const code = errorCode(error) ?? 'UNKNOWN';
  return new CannotRun(`${path} cannot be written (${code}). Choose another place with ${option}.`);
}

const ANSWERS_WITHIN_MS = 2_000;

/**
 * Refuses to replace the settings of another simulator that still answers: its application would get the wrong addresses.
 *
 * @param ca that of this folder, which the other simulator has, too.
 */
export async function refuseSettingsInUse(path: string, origin: string, ca: string): Promise<void> {
  const text = (await readText(path)) ?? '';
  for (const other of new Set(text.match(/https:\/\/127\.0\.0\.1:\d+/g))) {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(other).port), ca });
    const answer = settledWithin(ANSWERS_WITHIN_MS, once(socket, 'secureConnect'));
    const answers = await answer.then(Boolean, () => false);
    socket.destroy();
    if (answers && other !== origin)
      throw new CannotRun(
        `${path} belongs to the simulator at ${other}, which still runs. End it, or give this one its own --settings and --port.`,
      );
  }
}

/** The folder of this command, next to the settings or around them. Its `.gitignore` keeps all of it out of version control. */
export function ownFolderOf(settings: string): string {
  const folder = dirname(settings);
  return basename(resolve(folder)) === SIMULATOR_FOLDER ? folder : join(folder, SIMULATOR_FOLDER);
}

export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw cannotWrite(folder, '--settings', error);
  });
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
}

export const CA_FILE = 'ca.pem';

export const CA_KEY_FILE = 'ca-key.pem';

/**
 * The certificate authority of an earlier start, so that applications trust the simulator after a restart. Anything else in its place
 * counts as none.
 */
export async function keptAuthority(folder: string): Promise<Authority | undefined> {
  const [ca = '', caKey = ''] = await Promise.all(
    [CA_FILE, CA_KEY_FILE].map((name) => readText(join(folder, name))),
  );
  const isKept = safely(() => {
    const certificate = new X509Certificate(ca);
    return certificate.ca && certificate.checkPrivateKey(createPrivateKey(caKey));
  }, false);
  if (!isKept || !ca.startsWith(MARK) || !caKey.startsWith(MARK)) return undefined;
  return { ca: ca.slice(MARK.length), caKey: caKey.slice(MARK.length) };
}

/**
 * The key of the control address. It is kept, so that the page has the same address at each start. If the folder cannot be written,
 * or its key is no key, this start has a new one.
 */
export async function keptKey(folder: string): Promise<string> {
  const file = join(folder, 'key');
  const kept = (await readText(file))?.trim();
  if (kept !== undefined && /^[\da-f]{32}$/.test(kept)) return kept;
  const key = randomBytes(16).toString('hex');
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  return key;
}

/** Whether this command did not write what is there. A place that cannot exist is reported when the file is written. */
async function isForeign(path: string): Promise<boolean> {
  const isThere = await lstat(path).catch(() => undefined);
  const text = await readText(path);
  return isThere !== undefined && !(text !== undefined && (text.startsWith(MARK) || isAssertion(text)));
}

function isAssertion(text: string): boolean {
  return claimsOf(new Secret(text))?.iss === SIMULATED_PLATFORM;
}

/** The text of a regular file. Undefined for a link, a folder, or a file that cannot be read. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
