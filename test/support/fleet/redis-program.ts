import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { isRunnable, unpackDebian } from '../run/debian-package.js';

/** Names a Redis for the tests that is not on the PATH. */
const REDIS_VARIABLE = 'PROVIDER_AUTH_REDIS_SERVER';

/** Where the setup says why there is no Redis, for the tests that need one. */
export const NO_REDIS_VARIABLE = 'TEST_NO_REDIS';

/** The same for Valkey. */
export const NO_VALKEY_VARIABLE = 'TEST_NO_VALKEY';

/**
 * Fetches Debian's package of a server once, and unpacks it into a folder: its tools hold the program, and its server a link to it.
 * Debian 12 has Valkey only in its backports.
 *
 * @returns the file to start
 */
export async function fromDebian(name: 'redis' | 'valkey', home: string): Promise<string> {
  const program = `${name}-server`;
  const packages = [program, `${name}-tools`];
  await unpackDebian({ packages, programs: [program], needsLibraries: true }, home);
  return join(home, program);
}

/**
 * The program to start where a test needs a Redis.
 *
 * @param cache where Debian's Redis is unpacked if the machine has none.
 */
export async function redisProgram(env: NodeJS.ProcessEnv, cache: string): Promise<string> {
  const named = env[REDIS_VARIABLE] && resolve(env[REDIS_VARIABLE]);
  if (named) {
    if (await isRunnable(named)) return named;
    throw new Error(`${REDIS_VARIABLE} names ${named}, which does not run.`);
  }
  for (const name of ['redis-server', 'valkey-server']) {
    const found = await onPath(name, env['PATH'] ?? '');
    if (found !== undefined) return found;
  }
  try {
    return await fromDebian('redis', cache);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The tests need a Redis: install redis-server or valkey-server, or name such a program in ${REDIS_VARIABLE}; ` +
        `none is on the PATH, and Debian's package could not be fetched (${reason}).`,
      { cause: error },
    );
  }
}

async function onPath(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere && (await isRunnable(file))) return file;
  }
  return undefined;
}
