/**
 * B23: what Redis sees when the token of a whole fleet is refused and each process needs another token. Small fleets are
 * measured with real processes and a real Redis, large fleets are computed with the real code in virtual time.
 *
 *   npm run bench:fleet                  measures fleets of 64 and 256 processes, and computes
 *   npm run bench:fleet -- --sizes 64    measures these sizes only
 */
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { ProviderSimulator } from '../../../lib/testing/index.ts';
import { RedisTokenStore } from '../../../lib/redis/index.ts';
import { buildWorker, settingsFor, startMembers, TOKEN_SETTINGS } from '../../support/fleet/fleet-member.ts';
import { RedisServer } from '../../support/fleet/redis-server.ts';
import { simulateRenewal } from '../../support/fleet/simulated-fleet.ts';

const { values: wanted } = parseArgs({
  options: { sizes: { type: 'string', default: '64,256' } },
});

const COMPUTED_SIZES = [64, 256, 1_000, 10_000];
const SPREADS_MS = [0, 1_000, 10_000];
const ENDPOINT_MS = 100;
const ROUND_TRIP_MS = 0.5;
/** The default of the option, and a larger one for a large fleet. */
const [TIMEOUT_MS, LONG_TIMEOUT_MS] = [250, 5_000];
const SLOWER = 4;

Logger.overrideLogger(false);
const scriptMs = await measureScript();
console.log({ endpointMs: ENDPOINT_MS, roundTripMs: ROUND_TRIP_MS, timeoutMs: TIMEOUT_MS, scriptMs });
const { file, remove } = await buildWorker();
try {
  for (const size of wanted.sizes.split(',').map(Number)) await measure(size, file);
} finally {
  await remove();
}
await computeAll();
await computeLimit();
await computeRegions();
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
  const settings = { ...settingsFor(provider, redis.port), token: { ...TOKEN_SETTINGS, timeoutMs: 30_000 } };
  let workers = [];
  try {
    workers = await startMembers(file, size, () => settings);
    await Promise.all(workers.map((worker) => worker.ask('get')));
    await admin.config('RESETSTAT');
    provider.token.revokeAll();
    const requestsBefore = provider.tokenRequests.length;
    const tokens = await Promise.all(workers.map((worker) => worker.ask('renew')));
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

async function computeAll() {
  for (const size of COMPUTED_SIZES)
    for (const spreadMs of SPREADS_MS) await compute({ size, spreadMs, timeoutMs: TIMEOUT_MS });
}

/** A Redis that is slower, for example because other applications use it too. */
async function computeLimit() {
  const plan = { size: COMPUTED_SIZES.at(-1), spreadMs: 0 };
  await compute({ ...plan, timeoutMs: TIMEOUT_MS, scriptMs: SLOWER * scriptMs });
  await compute({ ...plan, timeoutMs: LONG_TIMEOUT_MS, scriptMs: SLOWER * scriptMs });
}

/** The same fleet with one Redis, and with one Redis in each of two regions. */
async function computeRegions() {
  const plan = { size: 1_000, spreadMs: 1_000, timeoutMs: TIMEOUT_MS };
  await compute({ ...plan, regions: 1 });
  await compute({ ...plan, regions: 2 });
}

async function compute(plan) {
  const conditions = { endpointMs: ENDPOINT_MS, roundTripMs: ROUND_TRIP_MS, scriptMs };
  const figures = await simulateRenewal({ ...conditions, ...plan });
  console.log({ ...plan, ...figures, longestWaitMs: Math.round(figures.longestWaitMs) });
}
