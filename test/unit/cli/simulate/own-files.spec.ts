import fs, {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promised from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CannotRun } from '../../../../lib/cli/environment.js';
import {
  authorityKeeper,
  CA_FILE,
  keptKey,
  makeFolder,
  makeOwnFolder,
  OWN_FOLDER,
  type OwnFile,
  ownFolderOf,
  writeOwnFile,
} from '../../../../lib/cli/simulate/own-files.js';
import {
  type AuthorityPems,
  issueServerCertificate,
} from '../../../../lib/testing/simulator/certificate-authority.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { CONTROL_KEY as KEY } from '../../../support/application/shown-session.js';
import { EXPIRED_AUTHORITY } from '../../../support/application/simulator.js';
import { emptyFolder } from '../../../support/application/simulate.js';
import { signedAssertion } from '../../../support/secrets/signed-assertion.js';

const MARK = '# made by provider-auth simulate\n';
const PLATFORM = 'https://platform.simulator.invalid';

const fileAt = (path: string, others: Partial<OwnFile> = {}): OwnFile => ({
  path,
  option: '--settings',
  content: 'NEW=1\n',
  mode: 0o600,
  ...others,
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Functions of the file system, for one test. */
function replaceInSystem(functions: Partial<Record<'open' | 'rename' | 'rm' | 'writeFile', unknown>>): void {
  replaceBuiltIn(promised, functions as Partial<typeof promised>);
}

const failing = (code?: string) => () => Promise.reject(Object.assign(new Error('of the system'), { code }));

describe('a file that provider-auth simulate writes', () => {
  it('B25: begins with its mark, has its mode, and nothing else is left in the folder', async () => {
    const folder = emptyFolder();
    await writeOwnFile(fileAt(join(folder, '.env')), false);
    expect(readdirSync(folder)).toEqual(['.env']);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(`${MARK}NEW=1\n`);
    expect(modeOf(join(folder, '.env'))).toBe(0o600);
    await writeOwnFile(fileAt(join(folder, 'ca.pem'), { mode: 0o644 }), false);
    expect(modeOf(join(folder, 'ca.pem'))).toBe(0o644 & ~process.umask());
  });

  it('B25: replaces an older one', async () => {
    const path = join(emptyFolder(), '.env');
    writeFileSync(path, `${MARK}OLD=1\n`);
    await writeOwnFile(fileAt(path), false);
    expect(readFileSync(path, 'utf8')).toBe(`${MARK}NEW=1\n`);
  });

  it.each([
    ['without the mark', 'OLD=1\n'],
    ['with the mark in another line', `OLD=1\n${MARK}`],
    ['whose first line only begins like the mark', `${MARK.trimEnd()}s\n`],
    ['that is empty', ''],
  ])('B25: replaces no file %s, except with --force', async (_, content) => {
    const folder = emptyFolder();
    const path = join(folder, '.env');
    writeFileSync(path, content, { mode: 0o644 });
    const refused = writeOwnFile(fileAt(path), false);
    await expect(refused).rejects.toThrow(CannotRun);
    await expect(refused).rejects.toThrow(
      `${path} exists, and this command did not write it. Name another file with --settings, or replace the file with --force.`,
    );
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(readdirSync(folder)).toEqual(['.env']);
    await writeOwnFile(fileAt(path), true);
    expect(readFileSync(path, 'utf8')).toBe(`${MARK}NEW=1\n`);
    expect(modeOf(path)).toBe(0o600);
  });

  it.each<[what: string, make: (path: string) => void]>([
    ['a link to a file with the mark', (path) => symlinkSync('target', path)],
    ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ])('B25: %s is not followed, and --force replaces the link itself', async (_, make) => {
    const folder = emptyFolder();
    const [path, target] = [join(folder, '.env'), join(folder, 'target')];
    writeFileSync(target, `${MARK}OLD=1\n`);
    make(path);
    const before = readlinkSync(path);
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow('this command did not write it');
    expect(readlinkSync(path)).toBe(before);
    await writeOwnFile(fileAt(path), true);
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(`${MARK}OLD=1\n`);
    expect(readdirSync(folder).toSorted()).toEqual(['.env', 'target']);
  });

  it('B25: is never read through a link that came after the check', async () => {
    const path = join(emptyFolder(), '.env');
    writeFileSync(path, MARK);
    const opened: unknown[][] = [];
    replaceInSystem({
      open: (...args: unknown[]) => {
        opened.push(args);
        return Promise.reject(new Error('ELOOP'));
      },
    });
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow('this command did not write it');
    expect(opened).toEqual([[path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW]]);
  });

  it.each<[what: string, make: (path: string) => void]>([
    ['a link', (path) => symlinkSync('target', path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('B25: is not %s, which is never opened', async (_, make) => {
    const path = join(emptyFolder(), '.env');
    make(path);
    const open = vi.fn<() => Promise<never>>(failing('EIO'));
    replaceInSystem({ open });
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow('this command did not write it');
    expect(open).not.toHaveBeenCalled();
  });

  it('B25: is closed again after it was read', async () => {
    const path = join(emptyFolder(), '.env');
    writeFileSync(path, MARK);
    const close = vi.fn<() => Promise<void>>(() => Promise.resolve());
    replaceInSystem({ open: () => Promise.resolve({ readFile: failing('EIO'), close }) });
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow('this command did not write it');
    expect(close).toHaveBeenCalledOnce();
  });

  it('B25: appears as a whole: it is written under another, hidden name, and then renamed', async () => {
    const folder = emptyFolder();
    const path = join(folder, 'ca.pem');
    const { rename, writeFile } = promised;
    const renamed: unknown[][] = [];
    const flags: unknown[] = [];
    replaceInSystem({
      writeFile: (...args: Parameters<typeof writeFile>) => {
        flags.push(args[2]);
        return writeFile(...args);
      },
      rename: async (from: string, to: string) => {
        renamed.push([relative(folder, from), relative(folder, to), readFileSync(from, 'utf8')]);
        await rename(from, to);
      },
    });
    await writeOwnFile(fileAt(path), false);
    await writeOwnFile(fileAt(path), false);
    const temporary = expect.stringMatching(/^\.ca\.pem\.[\da-f]{12}$/);
    expect(renamed).toEqual([
      [temporary, 'ca.pem', `${MARK}NEW=1\n`],
      [temporary, 'ca.pem', `${MARK}NEW=1\n`],
    ]);
    expect(renamed[0]?.[0]).not.toBe(renamed[1]?.[0]);
    // Never into a file that another program has put there.
    expect(flags).toEqual([
      { mode: 0o600, flag: 'wx' },
      { mode: 0o600, flag: 'wx' },
    ]);
  });

  it('B25: that cannot be written leaves nothing behind', async () => {
    const folder = emptyFolder();
    const path = join(folder, '.env');
    replaceInSystem({ rename: failing('EBUSY') });
    const refused = writeOwnFile(fileAt(path), false);
    await expect(refused).rejects.toThrow(CannotRun);
    await expect(refused).rejects.toThrow(
      `${path} cannot be written (EBUSY). Choose another place with --settings.`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('B25: reports a failed write even if the temporary file cannot be removed', async () => {
    const path = join(emptyFolder(), '.env');
    replaceInSystem({ rename: failing(), rm: failing('EACCES') });
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow(
      `${path} cannot be written (UNKNOWN). Choose another place with --settings.`,
    );
  });

  it.each([
    ['there is no such folder', 'missing/.env', 'ENOENT'],
    ['a file is where its folder should be', 'a-file/.env', 'ENOTDIR'],
  ])('B25: cannot be written if %s', async (_, name, code) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a-file'), '');
    await expect(writeOwnFile(fileAt(join(folder, name), { option: '--ca' }), false)).rejects.toThrow(
      `${join(folder, name)} cannot be written (${code}). Choose another place with --ca.`,
    );
  });

  it('B25 B32: a client assertion has no mark, and its issuer says who wrote it', async () => {
    const path = join(emptyFolder(), 'assertion');
    const [older, newer] = await Promise.all([
      signedAssertion({ iss: PLATFORM, sub: 'older' }),
      signedAssertion({ iss: PLATFORM, sub: 'newer' }),
    ]);
    await writeOwnFile(fileAt(path, { content: older }), false);
    expect(readFileSync(path, 'utf8')).toBe(older);
    await writeOwnFile(fileAt(path, { content: newer }), false);
    expect(readFileSync(path, 'utf8')).toBe(newer);
  });

  it('B25 B32: the assertion of another platform is replaced only with --force', async () => {
    const path = join(emptyFolder(), 'assertion');
    const foreign = await signedAssertion({ iss: 'https://platform.example' });
    writeFileSync(path, foreign);
    await expect(writeOwnFile(fileAt(path), false)).rejects.toThrow('this command did not write it');
    expect(readFileSync(path, 'utf8')).toBe(foreign);
  });
});

describe('the folder of provider-auth simulate', () => {
  it.each([
    ['.env', '.provider-simulator'],
    ['app/.env', 'app/.provider-simulator'],
    ['.provider-simulator/.env', '.provider-simulator'],
    ['app/.provider-simulator/.env', 'app/.provider-simulator'],
  ])('B37: of the settings in %s is %s', (settings, folder) => {
    expect(ownFolderOf(settings)).toBe(folder);
  });

  it('B37: is not made in itself, if the command runs in it', () => {
    vi.spyOn(process, 'cwd').mockReturnValue(`/app/${OWN_FOLDER}`);
    expect(ownFolderOf('.env')).toBe('.');
  });

  it('B37: is private, and Git ignores all of it', async () => {
    const folder = join(emptyFolder(), 'app', OWN_FOLDER);
    await makeOwnFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['.gitignore']);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('B37: keeps a .gitignore that you have changed', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.gitignore'), '.env\n');
    await makeOwnFolder(folder);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.env\n');
  });

  it.each<[by: string, make: (folder: string) => Promise<void>, option: string]>([
    ['of the command', makeOwnFolder, '--settings'],
    ['of an authority', (folder) => makeFolder(folder, '--keep-ca'), '--keep-ca'],
  ])('B25: a folder %s that cannot be made is named', async (_, make, option) => {
    const file = join(emptyFolder(), 'a-file');
    writeFileSync(file, '');
    await expect(make(join(file, 'own'))).rejects.toThrow(CannotRun);
    await expect(make(join(file, 'own'))).rejects.toThrow(
      `${join(file, 'own')} cannot be written (ENOTDIR). Choose another place with ${option}.`,
    );
  });
});

/** The certificate authority of a new simulator. */
async function newAuthority(): Promise<AuthorityPems> {
  let authority: AuthorityPems | undefined;
  await issueServerCertificate('trusted', {
    load: () => Promise.resolve(undefined),
    save: (pems) => Promise.resolve(void (authority = pems)),
  });
  if (authority === undefined) throw new Error('No authority was made.');
  return authority;
}

/** Keeps an authority in a new folder, as the command does. */
async function keepAuthority({ certificate, key }: AuthorityPems) {
  const folder = emptyFolder();
  const keeper = authorityKeeper(folder, () => undefined);
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write(CA_FILE, MARK + certificate);
  write('ca-key.pem', MARK + key);
  return { keeper, write };
}

describe('the certificate authority that provider-auth simulate keeps', () => {
  it('B25: is saved in two files, and only the certificate may be read by others', async () => {
    const folder = emptyFolder();
    const saved: OwnFile[] = [];
    await authorityKeeper(folder, (file) => saved.push(file)).save({ certificate: 'of all', key: 'of one' });
    expect(saved).toEqual([
      { path: join(folder, 'ca-key.pem'), option: '--keep-ca', content: 'of one', mode: 0o600 },
      { path: join(folder, 'ca.pem'), option: '--keep-ca', content: 'of all', mode: 0o644 },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('B25: is the same at the next start', async () => {
    const authority = await newAuthority();
    const { keeper } = await keepAuthority(authority);
    expect(await keeper.load()).toEqual({ certificate: authority.certificate, key: MARK + authority.key });
  });

  it('B25: finds no authority in an empty folder', async () => {
    expect(await authorityKeeper(emptyFolder(), () => undefined).load()).toBeUndefined();
  });

  it.each<
    [what: string, change: (write: (name: string, content: string) => void, own: AuthorityPems) => unknown]
  >([
    ['its certificate has no mark', (write, { certificate }) => write(CA_FILE, certificate)],
    ['its key has no mark', (write, { key }) => write('ca-key.pem', key)],
    ['the certificate file holds no certificate', (write) => write(CA_FILE, `${MARK}no certificate`)],
    ['the key file holds no key', (write) => write('ca-key.pem', `${MARK}no key`)],
    [
      'its key is of another authority',
      async (write) => write('ca-key.pem', MARK + (await newAuthority()).key),
    ],
    [
      'its certificate is of a server',
      async (write) => {
        const { cert, key } = await issueServerCertificate('trusted', EXPIRED_AUTHORITY);
        write(CA_FILE, MARK + cert);
        write('ca-key.pem', MARK + key);
      },
    ],
  ])('B25: finds no authority if %s', async (_, change) => {
    const authority = await newAuthority();
    const { keeper, write } = await keepAuthority(authority);
    await change(write, authority);
    expect(await keeper.load()).toBeUndefined();
  });
});

describe('the key in the control address', () => {
  it('B25: is the same at each start, and only its owner can read it', async () => {
    const folder = emptyFolder();
    const first = await keptKey(folder);
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(readFileSync(join(folder, 'key'), 'utf8')).toBe(`${first}\n`);
    expect(modeOf(join(folder, 'key'))).toBe(0o600);
    expect(await keptKey(folder)).toBe(first);
    expect(await keptKey(emptyFolder())).not.toBe(first);
  });

  it.each([`${KEY}\n`, KEY, `\n ${KEY} \n`])('B25: is read from %j', async (text) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'key'), text);
    expect(await keptKey(folder)).toBe(KEY);
  });

  it.each(['', 'no key', `${KEY}0`, `x${KEY}`, KEY.toUpperCase()])(
    'B25: is another one at this start if the file holds %j, and the file stays',
    async (text) => {
      const folder = emptyFolder();
      writeFileSync(join(folder, 'key'), text);
      const key = await keptKey(folder);
      expect(key).toMatch(/^[\da-f]{32}$/);
      expect(key).not.toBe(KEY);
      expect(readFileSync(join(folder, 'key'), 'utf8')).toBe(text);
    },
  );

  it('B25: works for this start if it cannot be kept', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'key'));
    expect(await keptKey(folder)).toMatch(/^[\da-f]{32}$/);
    expect(await keptKey(join(folder, 'missing'))).toMatch(/^[\da-f]{32}$/);
  });
});
