import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { isRunnable, unpackDebian } from '../run/debian-package.js';

/** Names a Redis for the tests that is not on the PATH. */
const REDIS_VARIABLE = 'PROVIDER_AUTH_REDIS_SERVER';

/** The program that the tests start: `npm run nightly` repeats specs with Valkey. */
export const REDIS_SERVER = process.env['TEST_REDIS_SERVER'] ?? 'redis-server';

/** Where the setup says why there is no such program, for the tests that need it. */
export const NO_REDIS_VARIABLE = 'TEST_NO_REDIS';

/** Valkey in place of Redis, unless the run is about one of them. */
const FITTING = REDIS_SERVER === 'redis-server' ? [REDIS_SERVER, 'valkey-server'] : [REDIS_SERVER];

/**
 * The program to start where a test needs Redis.
 *
 * @param cache where Debian's package is unpacked if the machine has none. Debian 12 has Valkey only in its backports.
 */
export async function redisProgram(env: NodeJS.ProcessEnv, cache: string): Promise<string> {
  const { [REDIS_VARIABLE]: given } = env;
  const named = given && REDIS_SERVER === 'redis-server' ? resolve(given) : undefined;
  if (named) {
    if (await isRunnable(named)) return named;
    throw new Error(`${REDIS_VARIABLE} names ${named}, which does not run.`);
  }
  for (const name of FITTING) {
    const found = await onPath(name, env['PATH'] ?? '');
    if (found !== undefined) return found;
  }
  try {
    // The tools hold the program, and the server a link to it.
    const packages = [REDIS_SERVER, REDIS_SERVER.replace('server', 'tools')];
    await unpackDebian({ packages, programs: [REDIS_SERVER], needsLibraries: true }, cache);
    return join(cache, REDIS_SERVER);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The tests need Redis: install ${FITTING.join(' or ')}, or name such a program in ${REDIS_VARIABLE}; ` +
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
