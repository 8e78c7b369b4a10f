import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { debianRedis } from '../support/fleet/debian-redis.js';
import { freePort } from '../support/fleet/redis-server.js';
import { runCommand } from '../support/run/run-command.js';

describe('Redis from Debian', () => {
  it('B20: is fetched and started without being installed, and is fetched only once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'debian-redis-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const before = await installed();

    const program = await debianRedis(join(folder, 'redis-server'));
    const { mtimeMs } = await stat(program);
    expect(await debianRedis(join(folder, 'redis-server'))).toBe(program);
    expect((await stat(program)).mtimeMs).toBe(mtimeMs);
    expect(await installed()).toBe(before);

    const port = await freePort();
    const server = spawn(program, ['--port', String(port), '--save', '', '--dir', folder]);
    const redis = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    expect(await redis.ping()).toBe('PONG');
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
