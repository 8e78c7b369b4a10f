/**
 * B14: calls over loopback HTTPS with keep-alive, on the adapter of axios. It compares plain axios with a static header
 * with our `axiosRef`, and a plain `HttpService` with ours, all with their default settings. A third comparison turns
 * redirects off in plain axios too, so the rest of the difference is the cost of the authorized request. It prints
 * requests per second and CPU time, and medians of the ratios of paired slices.
 *
 *   node test/bench/axios.bench.mjs [dist] [share of the requests] [pairs]
 */
import 'reflect-metadata';
import { fork } from 'node:child_process';
import https, { Agent } from 'node:https';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { create } from 'axios';
import { firstValueFrom } from 'rxjs';
import { median, pairedSlices, row, timed } from './paired-slices.mjs';

const [dist = 'dist', share = '1', pairs = '9', role = 'client'] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const TOKEN = 'bench'.repeat(160);
const LEAST = 0.97;
/** The rule compares default settings. The other rows show the noise, and the cost of the authorized request. */
const LIMITED = new Set(['axiosRef', 'HttpService']);

const get = (client) => () => client.get('/payments/pay_1');
const observe = (service) => () => firstValueFrom(service.get('/payments/pay_1'));

await (role === 'client' ? measureAll() : serve());

/** The server runs in its own process, so that the measured CPU time is only that of the client. */
async function serve() {
  const { issueServerCertificate } = await load('compiled/testing/simulator/certificate-authority.js');
  const { ca, cert, key } = await issueServerCertificate('trusted');
  const payment = JSON.stringify({ id: 'pay_1', amount: 1250, currency: 'EUR', state: 'captured' });
  const token = JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 });
  const server = https.createServer({ cert, key }, (request, response) => {
    const body = request.url.endsWith('/token') ? token : payment;
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    });
  });
  // A client waits while the other one runs. With a short timeout, the server would close connections that are used again.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send({ ca, port: server.address().port }));
  process.once('disconnect', () => process.exit());
}

async function measureAll() {
  const server = fork(fileURLToPath(import.meta.url), [dist, share, pairs, 'server']);
  const { ca, port } = await new Promise((ready) => server.once('message', ready));
  const origin = `https://127.0.0.1:${port}`;
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
  server.disconnect();
}

async function start(origin, httpsAgent) {
  const { ProviderAuthModule } = await load('esm/index.js');
  const sandbox = {
    tokenUrl: `${origin}/auth/v0/connect/token`,
    baseUrl: `${origin}/v1`,
    clientId: 'bench',
    clientSecret: 'canary-of-the-bench',
  };
  const options = { environment: 'sandbox', interfaces: { easy: { sandbox } }, http: { httpsAgent } };
  class Bench {}
  Module({ imports: [ProviderAuthModule.forRoot(options)] })(Bench);
  return NestFactory.createApplicationContext(Bench, { logger: false });
}

async function compare(baseline, contender, callers) {
  const requests = Math.round(Number(share) * (callers === 1 ? 300 : 1_000));
  const slice = (call) =>
    timed(requests, async () => {
      let left = requests;
      const caller = async () => {
        while (left-- > 0)
          if ((await call()).data.id !== 'pay_1') throw new Error('The response is not the expected one.');
      };
      await Promise.all(Array.from({ length: callers }, caller));
    });
  const measured = await pairedSlices(slice, baseline, contender, Number(pairs), 2);
  const of = (value) => median(measured.map(value));
  return [
    of(([before]) => before.rate).toFixed(0),
    of(([, after]) => after.rate).toFixed(0),
    of(([before, after]) => after.rate / before.rate).toFixed(2),
    of(([before, after]) => after.cpuUs / before.cpuUs).toFixed(2),
  ];
}
