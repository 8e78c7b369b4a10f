import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { RedisServer } from './redis-server.js';

const PROCESSES = 8;
const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));

interface Report {
  readonly from: 'memory' | 'store' | 'miss';
  readonly status: number;
}

function nextMessage(worker: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    worker.once('message', resolve);
  });
}

async function ended(worker: ChildProcess): Promise<void> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
}

async function run(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'));
  const provider = await ProviderSimulator.start({ latencyMs: 50 });
  const redis = await RedisServer.start();
  const workers: ChildProcess[] = [];
  try {
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, provider.ca);
    const env = { ...process.env, ...provider.env(), REDIS_URL: redis.url, NODE_EXTRA_CA_CERTS: ca };

    console.log(`A provider at ${provider.origin}, a Redis at ${redis.url}, and ${PROCESSES} processes.`);
    for (let count = 0; count < PROCESSES; count += 1) workers.push(fork(WORKER, { env }));
    await Promise.all(workers.map(nextMessage));

    console.log('All processes are ready. Each makes its first call to the API at the same moment:\n');
    const messages = workers.map(nextMessage);
    for (const worker of workers) worker.send('go');
    const reports = (await Promise.all(messages)) as Report[];
    for (const [index, { from, status }] of reports.entries()) {
      const how = from === 'miss' ? 'fetched a token and shared it' : 'read the token of another process';
      console.log(`  process ${index + 1}   ${how.padEnd(42)} API: ${status}`);
    }

    const requests = provider.tokenRequests.length;
    const fetched = reports.filter(({ from }) => from === 'miss').length;
    console.log(
      `\n${requests} token request for ${PROCESSES} processes: ${fetched} fetched, ${PROCESSES - fetched} read.`,
    );
    return requests === 1 && fetched === 1 && reports.every(({ status }) => status === 200);
  } finally {
    for (const worker of workers) if (worker.connected) worker.send('end');
    await Promise.all(workers.map(ended));
    await redis.stop();
    await provider.close();
    await rm(folder, { recursive: true });
  }
}

if (RedisServer.isInstalled()) {
  process.exitCode = (await run()) ? 0 : 1;
} else {
  console.error(
    'This sample needs redis-server. Install it (Debian: apt-get install redis-server) and start again.',
  );
  process.exitCode = 2;
}
