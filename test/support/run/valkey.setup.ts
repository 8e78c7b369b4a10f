import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fromDebian, NO_VALKEY_VARIABLE } from '../fleet/redis-program.js';
import { ROOT } from '../package/packed-package.js';
import { isRunnable } from './debian-package.js';

/**
 * Runs before the specs that `npm run nightly` repeats with Valkey, and puts `valkey-server` on the PATH: the machine's own,
 * or Debian's package. Without it, each of these specs fails and says why.
 */
export default async function bringValkey(): Promise<(() => Promise<void>) | undefined> {
  const { env } = process;
  const { PATH: path = '' } = env;
  if (await isRunnable('valkey-server')) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'provider-auth-valkey-'));
  try {
    const program = await fromDebian('valkey', join(ROOT, 'node_modules/.cache/valkey-server'));
    await symlink(program, join(folder, 'valkey-server'));
    env['PATH'] = `${folder}${delimiter}${path}`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    env[NO_VALKEY_VARIABLE] = `Install valkey-server: Debian's package could not be fetched (${reason}).`;
  }
  return async () => {
    env['PATH'] = path;
    delete env[NO_VALKEY_VARIABLE];
    await rm(folder, { recursive: true });
  };
}
