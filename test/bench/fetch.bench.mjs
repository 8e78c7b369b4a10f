/**
 * B21: our `fetch` compared with the global `fetch` with a static header, over loopback HTTPS with keep-alive, in turns
 * (A B A B …), so that other load of the machine affects both. It prints medians of the ratios of neighbouring slices, on
 * both transports. The program ends with 1 if a ratio is below the promise of the rule.
 *
 *   node test/bench/fetch.bench.mjs [dist] [share of the requests] [pairs]
 */
import 'reflect-metadata';
import { fork } from 'node:child_process';
import { Agent } from 'node:https';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { sandboxAt, startServer } from './bench-server.mjs';
import { figuresOf, row, sliceOfCallers } from './paired-slices.mjs';

const [dist = 'dist', share = '1', pairs = '9', role = 'client'] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const TOKEN = 'bench'.repeat(160);
/** What the rule promises for each transport. */
const LEAST = { axios: 1.0, undici: 1.3 };

await (role === 'client' ? startClient() : measureAll());

/** The global `fetch` takes a private authority only from a variable, which Node reads when the process starts. */
async function startClient() {
  const { mkdtemp, rm, writeFile } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const server = await startServer(dist, TOKEN);
  const { ca, origin } = server;
  const folder = await mkdtemp(resolve(tmpdir(), 'fetch-bench-'));
  await writeFile(resolve(folder, 'ca.pem'), ca);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: resolve(folder, 'ca.pem'), BENCH_ORIGIN: origin };
  const client = fork(fileURLToPath(import.meta.url), [dist, share, pairs, 'measure'], { env });
  client.send({ ca });
  process.exitCode = await new Promise((ended) => client.once('exit', ended));
  server.close();
  await rm(folder, { recursive: true });
}

async function measureAll() {
  const { ca } = await new Promise((ready) => process.once('message', ready));
  const origin = process.env.BENCH_ORIGIN;
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const plain = () => fetch(`${origin}/v1/payments/pay_1`, { headers });
  console.log('| transport | callers | global fetch req/s | our fetch req/s | ratio | CPU ratio |');
  console.log('|---|---|---|---|---|---|');
  for (const transport of Object.keys(LEAST)) {
    const application = await start(origin, ca, transport);
    const { EasyHttpService } = await load('esm/index.js');
    const ours = application.get(EasyHttpService);
    for (const callers of [1, 32, 256]) {
      const figures = await compare(plain, () => ours.fetch('/payments/pay_1'), callers);
      console.log(row([transport, callers, ...figures]));
      if (Number(figures[2]) < LEAST[transport]) process.exitCode = 1;
    }
    await application.close();
  }
  process.disconnect();
}

async function start(origin, ca, transport) {
  const { ProviderAuthModule } = await load('esm/index.js');
  const { undiciTransport } = await load('esm/undici/index.js');
  const sandbox = sandboxAt(origin);
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const http = {
    httpsAgent,
    ...(transport === 'undici' && { transport: undiciTransport({ connect: { ca } }) }),
  };
  class Bench {}
  Module({
    imports: [
      ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox } }, http }),
    ],
  })(Bench);
  return NestFactory.createApplicationContext(Bench, { logger: false });
}

function compare(baseline, contender, callers) {
  const requests = Math.round(Number(share) * (callers === 1 ? 300 : 1_000));
  const slice = (call) => sliceOfCallers(callers, requests, async () => (await call()).json());
  return figuresOf(slice, baseline, contender, Number(pairs));
}
