import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from './packed-package.js';
import { redisProgram } from './redis-program.js';

/**
 * Runs before the suites that need a Redis. Whatever starts `redis-server` from then on, a test or a sample that a test
 * runs, finds one on the PATH.
 */
export default async function bringRedis(): Promise<() => Promise<void>> {
  const { env } = process;
  const program = await redisProgram({ env, cache: join(ROOT, 'node_modules/.cache/redis-server') });
  const folder = await mkdtemp(join(tmpdir(), 'provider-auth-redis-'));
  await symlink(program, join(folder, 'redis-server'));
  const path = env['PATH'] ?? '';
  env['PATH'] = `${folder}${delimiter}${path}`;
  return async () => {
    env['PATH'] = path;
    await rm(folder, { recursive: true });
  };
}
