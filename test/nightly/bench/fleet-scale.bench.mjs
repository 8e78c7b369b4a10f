/**
 * What Redis sees when the token of a whole fleet is refused and each process needs another token: real processes and a real Redis.
 *
 *   npm run bench:fleet                  measures fleets of 64 and 256 processes
 *   npm run bench:fleet -- --sizes 64    measures these sizes only
 */
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { ProviderSimulator } from '../../../lib/testing/index.ts';
import { RedisTokenStore } from '../../../lib/redis/index.ts';
import { buildWorker, startMembers } from '../../support/fleet/fleet-member.ts';
import { settingsFor } from '../../support/fleet/fleet-node.ts';
import { RedisServer } from '../../support/fleet/redis-server.ts';

const { values: wanted } = parseArgs({
  options: { sizes: { type: 'string', default: '64,256' } },
});

const ENDPOINT_MS = 100;

Logger.overrideLogger(false);
console.log({ endpointMs: ENDPOINT_MS, scriptMs: await measureScript() });
const { file, remove } = await buildWorker();
try {
  for (const size of wanted.sizes.split(',').map(Number)) await measure(size, file);
} finally {
  await remove();
}

/** How long Redis executes the claim of a process that waits. The fastest of many batches, because a busy machine makes it longer. */
async function measureScript() {
  const redis = await RedisServer.start();
  const admin = await redis.connected();
  const store = new RedisTokenStore(admin, { timeoutMs: 10_000 });
  const name = 'calibration';
  await store.claim({ name, lease: { owner: 'x'.repeat(150), ms: 60_000 } });
  try {
    let fastest = Infinity;
    for (let batch = 0; batch < 50; batch += 1) {
      await admin.config('RESETSTAT');
      const lease = { owner: 'y'.repeat(150), ms: 2_000 };
      await Promise.all(Array.from({ length: 100 }, () => store.claim({ name, lease })));
      const { calls, usec } = evalsIn(await admin.info('commandstats'));
      fastest = Math.min(fastest, usec / calls);
    }
    return Math.round(fastest) / 1_000;
  } finally {
    await redis.close();
  }
}

function evalsIn(info) {
  const [, calls, usec] = /cmdstat_eval:calls=(\d+),usec=(\d+)/.exec(info) ?? [];
  return { calls: Number(calls), usec: Number(usec) };
}

/** A refused token in a fleet of real processes that have shared a token before. */
async function measure(size, file) {
  const provider = await ProviderSimulator.start({ lifetimeSeconds: 3_600, latencyMs: ENDPOINT_MS });
  const redis = await RedisServer.start();
  const admin = await redis.connected();
  const settings = { ...settingsFor(provider), redisPort: redis.port, token: { timeoutMs: 30_000 } };
  let workers = [];
  try {
    workers = await startMembers(file, size, () => settings);
    await Promise.all(workers.map((worker) => worker.ask('get')));
    await admin.config('RESETSTAT');
    provider.token.revokeAll();
    const requestsBefore = provider.tokenRequests.length;
    const tokens = await Promise.all(workers.map((worker) => worker.ask('get', 'renew')));
    // No caller waits for the publication.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const info = await admin.info('everything');
    const { calls } = evalsIn(info);
    const figures = {
      size,
      commands: calls,
      bytesToRedis: Number(/total_net_input_bytes:(\d+)/.exec(info)[1]),
      bytesFromRedis: Number(/total_net_output_bytes:(\d+)/.exec(info)[1]),
      // All commands but one publication are looks.
      looks: (calls - 1) / size,
      tokenRequests: provider.tokenRequests.length - requestsBefore,
      longestWaitMs: Math.round(Math.max(...tokens.map(({ tookMs }) => tookMs))),
    };
    console.log(figures);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await redis.close();
    await provider.close();
  }
}
