import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from '../package/packed-package.js';
import { NO_REDIS_VARIABLE, REDIS_SERVER, redisProgram } from '../fleet/redis-program.js';

/**
 * Runs before the suites that need Redis, and puts it on the PATH as `redis-server` for tests and for samples that tests run.
 * If there is no Redis, each test that needs it fails and says why. No test is skipped.
 */
export default async function bringRedis(): Promise<() => Promise<void>> {
  const { env } = process;
  const { PATH: path = '' } = env;
  const folder = await mkdtemp(join(tmpdir(), 'provider-auth-redis-'));
  try {
    const program = await redisProgram(env, join(ROOT, 'node_modules/.cache', REDIS_SERVER));
    await symlink(program, join(folder, REDIS_SERVER));
    env['PATH'] = `${folder}${delimiter}${path}`;
  } catch (error) {
    env[NO_REDIS_VARIABLE] = error instanceof Error ? error.message : String(error);
  }
  return async () => {
    env['PATH'] = path;
    delete env[NO_REDIS_VARIABLE];
    await rm(folder, { recursive: true });
  };
}
