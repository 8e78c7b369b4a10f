import { join } from 'node:path';
import { unpackDebian } from '../run/debian-package.js';

/**
 * Fetches Debian's Redis once and unpacks it into a folder. `redis-tools` holds the program, and `redis-server` a link to it.
 *
 * @returns the file to start
 */
export async function debianRedis(home: string): Promise<string> {
  await unpackDebian(
    { packages: ['redis-server', 'redis-tools'], programs: ['redis-server'], needsLibraries: true },
    home,
  );
  return join(home, 'redis-server');
}

/** The same with Debian's Valkey. Debian 12 has it only in its backports. */
export async function debianValkey(home: string): Promise<string> {
  await unpackDebian(
    { packages: ['valkey-server', 'valkey-tools'], programs: ['valkey-server'], needsLibraries: true },
    home,
  );
  return join(home, 'valkey-server');
}
