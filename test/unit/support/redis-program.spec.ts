import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redisProgram } from '../../support/fleet/redis-program.js';

/** A folder with programs of these names; those whose name ends with `!` do not run. */
async function folderWith(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-program-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) {
    const file = join(folder, name.replace('!', ''));
    await writeFile(file, `#!/bin/sh\nexit ${name.endsWith('!') ? 1 : 0}\n`);
    await chmod(file, 0o755);
  }
  return folder;
}

const cache = '/cache-of-the-test';
const fetch = (folder: string) => Promise.resolve(`${folder}/redis-server`);
const failing = () => Promise.reject(new Error('there is no apt-get here'));

describe('the Redis of the tests', () => {
  it('B20: is the program that PROVIDER_AUTH_REDIS_SERVER names', async () => {
    const named = join(await folderWith('my-redis'), 'my-redis');
    const env = { PROVIDER_AUTH_REDIS_SERVER: named, PATH: await folderWith('redis-server') };
    expect(await redisProgram({ env, cache, fetch })).toBe(named);
  });

  it('B20: is nothing else when the named program does not run', async () => {
    const named = join(await folderWith('my-redis!'), 'my-redis');
    const env = { PROVIDER_AUTH_REDIS_SERVER: named, PATH: await folderWith('redis-server') };
    await expect(redisProgram({ env, cache, fetch })).rejects.toThrow(
      `PROVIDER_AUTH_REDIS_SERVER names ${named}, which does not run.`,
    );
  });

  it.each([
    [['valkey-server', 'redis-server'], 'redis-server'],
    [['valkey-server'], 'valkey-server'],
    [['redis-server!', 'valkey-server'], 'valkey-server'],
  ])('B20: with %j on the PATH is %s', async (names, taken) => {
    const folder = await folderWith(...names);
    const env = { PATH: `${await folderWith('other')}:${folder}` };
    expect(await redisProgram({ env, cache, fetch })).toBe(join(folder, taken));
  });

  it("B20: is Debian's, fetched into the cache, when the machine has none", async () => {
    const env = { PATH: await folderWith('other') };
    expect(await redisProgram({ env, cache, fetch })).toBe(`${cache}/redis-server`);
  });

  it('B20: without any, fails with one sentence that says what to install and where to name a program', async () => {
    const env = { PATH: await folderWith('other') };
    await expect(redisProgram({ env, cache, fetch: failing })).rejects.toThrow(
      /^The tests need a Redis: install redis-server or valkey-server, or name such a program in PROVIDER_AUTH_REDIS_SERVER; none is on the PATH, .*there is no apt-get here\)\.$/,
    );
  });
});
