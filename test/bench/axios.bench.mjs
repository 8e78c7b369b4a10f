/**
 * B14: calls over loopback HTTPS with keep-alive, on the adapter of axios. It compares plain axios with a static header
 * with our `axiosRef`, and a plain `HttpService` with ours, all with their default settings. A third comparison turns
 * redirects off in plain axios too, so the rest of the difference is the cost of the authorized request. It prints
 * requests per second and CPU time, and medians of the ratios of paired slices.
 *
 *   node test/bench/axios.bench.mjs [dist] [share of the requests] [pairs]
 */
import 'reflect-metadata';
import { Agent } from 'node:https';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { create } from 'axios';
import { firstValueFrom } from 'rxjs';
import { sandboxAt, startServer } from './bench-server.mjs';
import { figuresOf, row, sliceOfCallers } from './paired-slices.mjs';

const [dist = 'dist', share = '1', pairs = '9'] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const TOKEN = 'bench'.repeat(160);
const LEAST = 0.97;
/** The rule compares default settings. The other rows show the noise, and the cost of the authorized request. */
const LIMITED = new Set(['axiosRef', 'HttpService']);

const get = (client) => () => client.get('/payments/pay_1');
const observe = (service) => () => firstValueFrom(service.get('/payments/pay_1'));

await measureAll();

async function measureAll() {
  const server = await startServer(dist, TOKEN);
  const { ca, origin } = server;
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const application = await start(origin, httpsAgent);
  const { EasyHttpService } = await load('esm/index.js');
  const ours = application.get(EasyHttpService);

  const own = new Agent({ ca, keepAlive: true });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const plain = create({ baseURL: `${origin}/v1`, httpsAgent: own, headers });
  const direct = create({ baseURL: `${origin}/v1`, httpsAgent: own, headers, maxRedirects: 0 });
  const rows = [
    ['plain axios against itself', get(plain), get(plain)],
    ['axiosRef', get(plain), get(ours.axiosRef)],
    ['axiosRef, plain axios without redirects too', get(direct), get(ours.axiosRef)],
    ['HttpService', observe(new HttpService(plain)), observe(ours)],
  ];

  console.log('| over HTTPS, axios’ adapter | callers | plain req/s | ours req/s | ratio | CPU ratio |');
  console.log('|---|---|---|---|---|---|');
  for (const [name, baseline, contender] of rows) {
    for (const callers of [1, 32, 256]) {
      const figures = await compare(baseline, contender, callers);
      console.log(row([name, callers, ...figures]));
      if (LIMITED.has(name) && Number(figures[2]) < LEAST) process.exitCode = 1;
    }
  }
  httpsAgent.destroy();
  own.destroy();
  await application.close();
  server.close();
}

async function start(origin, httpsAgent) {
  const { ProviderAuthModule } = await load('esm/index.js');
  const sandbox = sandboxAt(origin);
  const options = { environment: 'sandbox', interfaces: { easy: { sandbox } }, http: { httpsAgent } };
  class Bench {}
  Module({ imports: [ProviderAuthModule.forRoot(options)] })(Bench);
  return NestFactory.createApplicationContext(Bench, { logger: false });
}

function compare(baseline, contender, callers) {
  const requests = Math.round(Number(share) * (callers === 1 ? 300 : 1_000));
  const slice = (call) => sliceOfCallers(callers, requests, async () => (await call()).data);
  return figuresOf(slice, baseline, contender, Number(pairs));
}
