import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { debianRedis, debianValkey } from '../../support/fleet/debian-redis.js';
import { freePort } from '../../support/run/free-port.js';
import { runCommand } from '../../support/run/run-command.js';

describe.each([
  { name: 'redis-server', fetch: debianRedis, shown: 'redis_version' },
  { name: 'valkey-server', fetch: debianValkey, shown: 'server_name:valkey' },
])('$name from Debian', ({ name, fetch, shown }) => {
  it('B20, B22: is fetched and started without being installed, and is fetched only once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'debian-redis-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const before = await installed();

    const program = await fetch(join(folder, name));
    const { mtimeMs } = await stat(program);
    expect(await fetch(join(folder, name))).toBe(program);
    expect((await stat(program)).mtimeMs).toBe(mtimeMs);
    expect(await installed()).toBe(before);

    const port = await freePort();
    const server = spawn(program, ['--port', String(port), '--save', '', '--dir', folder]);
    const redis = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    expect(await redis.info('server')).toContain(shown);
    redis.disconnect();
    // The script replaces itself by the program, so a signal reaches the server itself.
    server.kill('SIGKILL');
    expect(await once(server, 'exit')).toEqual([null, 'SIGKILL']);
  }, 300_000);
});

/** The list of installed Debian packages. */
async function installed(): Promise<string> {
  const { output } = await runCommand('dpkg-query', ['--show'], { cwd: '/' });
  return output;
}
