import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CommandResult, runCommand } from './run-command.js';

/** Programs of Debian that a test needs. */
export interface DebianPrograms {
  /** The packages that contain the programs. */
  readonly packages: readonly string[];
  /** Whether the programs need libraries of other packages. A program in Go needs none. */
  readonly needsLibraries: boolean;
  /** Names in `/usr/bin`. Each program prints its version if it is started with `--version`. */
  readonly programs: readonly string[];
}

/** The packages bring libraries that the machine may lack, so the program is started with these in its search path. */
const scriptFor = (program: string): string => `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
for folder in "$root"/usr/lib/*-linux-* "$root"/lib/*-linux-*; do
  LD_LIBRARY_PATH=$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
export LD_LIBRARY_PATH
exec "$root/usr/bin/${program}" "$@"
`;

/**
 * Fetches packages of Debian and unpacks them into a folder: any user can do that, and nothing is installed. Once they are
 * there, nothing is fetched again. The folder then has a file to start for each program.
 */
export async function unpackDebian(wanted: DebianPrograms, home: string): Promise<void> {
  if (await allRun(wanted, home)) return;
  await mkdir(dirname(home), { recursive: true });
  const work = await mkdtemp(`${home}-`);
  try {
    const unpacked = await unpackedIn(work, wanted);
    await rm(home, { recursive: true, force: true });
    await rename(unpacked, home).catch(async (error: unknown) => {
      // Another run was faster.
      if (!(await allRun(wanted, home))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Whether this is a program that prints its version. */
export async function isRunnable(program: string): Promise<boolean> {
  return (await runCommand(program, ['--version'], { cwd: '/' })).code === 0;
}

async function allRun({ programs }: DebianPrograms, folder: string): Promise<boolean> {
  const run = await Promise.all(programs.map((program) => isRunnable(join(folder, program))));
  return !run.includes(false);
}

/** The package lists to try, in this order. */
const LISTS = ['of the machine', 'of this run', 'with backports'] as const;

async function unpackedIn(work: string, wanted: DebianPrograms): Promise<string> {
  const reasons: string[] = [];
  // The machine's own package lists may be missing, as in a fresh container, or name versions that are gone.
  for (const lists of LISTS) {
    const folder = join(work, lists.replaceAll(' ', '-'));
    const root = join(folder, 'root');
    await mkdir(root, { recursive: true });
    const { code, output } = await download(folder, wanted, lists);
    for (const file of await packagesIn(folder))
      await runCommand('dpkg', ['-x', file, root], { cwd: folder });
    for (const program of wanted.programs) {
      await writeFile(join(folder, program), scriptFor(program));
      await chmod(join(folder, program), 0o755);
    }
    await rm(join(folder, 'apt'), { recursive: true, force: true });
    if (await allRun(wanted, folder)) return folder;
    reasons.push(`${reasonIn(output)} (apt-get ended with ${code})`);
  }
  throw new Error(reasons.at(-1));
}

/** Downloads the packages into the folder's cache and nowhere else. */
async function download(
  folder: string,
  { packages, needsLibraries }: DebianPrograms,
  lists: (typeof LISTS)[number],
): Promise<CommandResult> {
  const withOwnLists = lists !== 'of the machine';
  const sources = join(folder, 'apt/sources.list');
  const settings = [
    // Only root may take the locks, and no one else writes to these folders.
    'Debug::NoLocking=true',
    'APT::Sandbox::User=root',
    `Dir::Cache=${join(folder, 'apt/cache')}`,
    ...(withOwnLists ? [`Dir::State=${join(folder, 'apt/state')}`] : []),
    ...(lists === 'with backports' ? [`Dir::Etc::sourcelist=${sources}`, 'Dir::Etc::sourceparts=-'] : []),
  ];
  const options = settings.flatMap((setting) => ['-o', setting]);
  await mkdir(join(folder, 'apt/cache/archives/partial'), { recursive: true });
  await mkdir(join(folder, 'apt/state/lists/partial'), { recursive: true });
  if (lists === 'with backports') await writeFile(sources, await debianSources());
  const apt = (...args: string[]) =>
    runCommand('apt-get', [...options, ...args], {
      cwd: join(folder, 'apt/cache/archives'),
      env: { LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: 180_000,
    });
  // A list of a third party may be out of reach: whether Debian's are enough is seen below.
  if (withOwnLists) await apt('update');
  if (!needsLibraries) return apt('download', ...packages);
  return apt('install', '--download-only', '--reinstall', '--no-install-recommends', '--yes', ...packages);
}

/** The sources of this Debian, and its backports. */
async function debianSources(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME=(.+)$/m.exec(release)?.[1] ?? 'stable';
  return [codename, `${codename}-backports`]
    .map((suite) => `deb http://deb.debian.org/debian ${suite} main\n`)
    .join('');
}

async function packagesIn(folder: string): Promise<string[]> {
  const archives = join(folder, 'apt/cache/archives');
  return (await readdir(archives))
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(archives, name));
}

function reasonIn(output: string): string {
  const [reason = 'there is no apt-get here'] = output.split('\n').filter((line) => line.startsWith('E: '));
  return reason.replace(/^E: /, '');
}
