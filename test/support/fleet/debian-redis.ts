import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../run/run-command.js';

/** `redis-tools` holds the program, and `redis-server` a link to it. */
const PACKAGES = ['redis-server', 'redis-tools'];

/** The packages bring libraries that the machine may lack, so the program is started with these in its search path. */
const SCRIPT = `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
for folder in "$root"/usr/lib/*-linux-* "$root"/lib/*-linux-*; do
  LD_LIBRARY_PATH=$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
export LD_LIBRARY_PATH
exec "$root/usr/bin/redis-server" "$@"
`;

/**
 * Fetches Debian's Redis and unpacks it into a folder: any user can do that, and nothing is installed. Once it is there,
 * nothing is fetched again.
 *
 * @returns the file to start
 */
export async function debianRedis(home: string): Promise<string> {
  const server = join(home, 'redis-server');
  if (await isRunnable(server)) return server;
  await mkdir(dirname(home), { recursive: true });
  const work = await mkdtemp(`${home}-`);
  try {
    const unpacked = await unpackedIn(work);
    await rm(home, { recursive: true, force: true });
    await rename(unpacked, home).catch(async (error: unknown) => {
      // Another run was faster.
      if (!(await isRunnable(server))) throw error;
    });
    return server;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Whether this is a program that prints its version. */
export async function isRunnable(server: string): Promise<boolean> {
  return (await runCommand(server, ['--version'], { cwd: '/' })).code === 0;
}

async function unpackedIn(work: string): Promise<string> {
  const reasons: string[] = [];
  // The machine's own package lists may be missing, as in a fresh container, or name versions that are gone.
  for (const lists of ['of the machine', 'of this run'] as const) {
    const folder = join(work, lists.replaceAll(' ', '-'));
    const root = join(folder, 'root');
    await mkdir(root, { recursive: true });
    const { code, output } = await download(folder, lists === 'of this run');
    for (const file of await packagesIn(folder))
      await runCommand('dpkg', ['-x', file, root], { cwd: folder });
    const server = join(folder, 'redis-server');
    await writeFile(server, SCRIPT);
    await chmod(server, 0o755);
    await rm(join(folder, 'apt'), { recursive: true, force: true });
    if (await isRunnable(server)) return folder;
    reasons.push(`${reasonIn(output)} (apt-get ended with ${code})`);
  }
  throw new Error(reasons.at(-1));
}

/** What `apt-get install` would install, in the folder's cache and nowhere else. */
async function download(folder: string, withOwnLists: boolean) {
  const settings = [
    // Only root may take the locks, and no one else writes to these folders.
    'Debug::NoLocking=true',
    'APT::Sandbox::User=root',
    `Dir::Cache=${join(folder, 'apt/cache')}`,
    ...(withOwnLists ? [`Dir::State=${join(folder, 'apt/state')}`] : []),
  ];
  const options = settings.flatMap((setting) => ['-o', setting]);
  await mkdir(join(folder, 'apt/cache/archives/partial'), { recursive: true });
  await mkdir(join(folder, 'apt/state/lists/partial'), { recursive: true });
  const apt = (...args: string[]) =>
    runCommand('apt-get', [...options, ...args], {
      cwd: folder,
      env: { LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: 180_000,
    });
  // A list of a third party may be out of reach: whether Debian's are enough is seen below.
  if (withOwnLists) await apt('update');
  return apt('install', '--download-only', '--reinstall', '--no-install-recommends', '--yes', ...PACKAGES);
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
