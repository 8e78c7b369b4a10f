/**
 * B14: how much faster the undici transport is. It compares plain axios with a static header with the client of the module
 * on undici, in turns (A B A B …), so that other load of the machine affects both. It prints medians of the ratios of
 * neighbouring slices.
 *
 *   node test/bench/undici.bench.mjs [dist] [share of the requests] [pairs]
 */
import { fork } from 'node:child_process';
import http2 from 'node:http2';
import https, { Agent } from 'node:https';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { median } from './paired-slices.mjs';

const [dist = 'dist', share = '1', pairs = '9', role = 'client'] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const ANSWER = JSON.stringify({ id: 'pay_1', amount: 1250, currency: 'EUR', state: 'captured' });

await (role === 'client' ? measureAll() : serve(role === 'h2'));

/** The server runs in its own process, so that the measured CPU time is only that of the client. */
async function serve(allowH2) {
  const { issueServerCertificate } = await load('compiled/testing/simulator/certificate-authority.js');
  const { ca, cert, key } = await issueServerCertificate('trusted');
  const token = JSON.stringify({
    access_token: 'canary-of-the-bench',
    token_type: 'Bearer',
    expires_in: 3600,
  });
  const answer = (request, response) => {
    const body = request.url.endsWith('/token') ? token : ANSWER;
    request.resume().once('end', () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
  const server = allowH2
    ? http2.createSecureServer({ cert, key, allowHTTP1: true }, answer)
    : https.createServer({ cert, key }, answer);
  // A client waits while the other one runs. Its connections must stay open meanwhile.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send({ ca, port: server.address().port }));
  process.once('disconnect', () => process.exit());
}

async function measureAll() {
  console.log(
    '| protocol | callers | plain axios req/s | undici transport req/s | ratio | CPU µs, axios | CPU µs, ours | ratio |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [protocol, name] of [
    ['h1', 'HTTP/1.1'],
    ['h2', 'HTTP/2'],
  ]) {
    const server = fork(fileURLToPath(import.meta.url), [dist, share, pairs, protocol]);
    const { ca, port } = await new Promise((ready) => server.once('message', ready));
    const { plain, ours, close } = await clients(ca, port, protocol === 'h2');
    for (const callers of [1, 32, 256])
      console.log(`| ${name} | ${callers} | ${await compare(plain, ours, callers)} |`);
    await close();
    server.disconnect();
  }
}

async function clients(ca, port, allowH2) {
  await import('reflect-metadata');
  const [{ default: axios }, { NestFactory }, { Module }] = await Promise.all([
    import('axios'),
    import('@nestjs/core'),
    import('@nestjs/common'),
  ]);
  const [{ EasyHttpService, ProviderAuthModule }, { undiciTransport }] = await Promise.all([
    load('esm/index.js'),
    load('esm/undici/index.js'),
  ]);
  const origin = `https://127.0.0.1:${port}`;
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const plain = axios.create({
    baseURL: `${origin}/v1`,
    httpsAgent,
    headers: { Authorization: 'Bearer canary' },
  });
  const sandbox = {
    tokenUrl: `${origin}/auth/v0/connect/token`,
    baseUrl: `${origin}/v1`,
    clientId: 'bench',
    clientSecret: 'canary-of-the-bench',
  };
  const transport = undiciTransport({ allowH2, connect: { ca } });
  class Bench {}
  Module({
    imports: [
      ProviderAuthModule.forRoot({
        environment: 'sandbox',
        interfaces: { easy: { sandbox } },
        http: { transport, httpsAgent },
      }),
    ],
  })(Bench);
  const application = await NestFactory.createApplicationContext(Bench, { logger: false });
  const ours = application.get(EasyHttpService).axiosRef;
  const close = async () => {
    httpsAgent.destroy();
    await application.close();
  };
  return { plain, ours, close };
}

async function compare(plain, ours, callers) {
  const requests = Math.round(Number(share) * (callers === 1 ? 400 : 1_200));
  // Warm-up: after these slices, all code is compiled.
  for (const client of [plain, ours, plain, ours]) await slice(client, callers, requests);
  const measured = [];
  for (let pair = 0; pair < Number(pairs); pair += 1) {
    measured.push([await slice(plain, callers, requests), await slice(ours, callers, requests)]);
  }
  const of = (value) => median(measured.map(value));
  return [
    of(([axios]) => axios.rate).toFixed(0),
    of(([, undici]) => undici.rate).toFixed(0),
    of(([axios, undici]) => undici.rate / axios.rate).toFixed(2),
    of(([axios]) => axios.cpu).toFixed(0),
    of(([, undici]) => undici.cpu).toFixed(0),
    of(([axios, undici]) => undici.cpu / axios.cpu).toFixed(2),
  ].join(' | ');
}

async function slice(client, callers, requests) {
  let left = requests;
  const caller = async () => {
    while (left-- > 0) {
      const { data } = await client.get('/payments/pay_1');
      if (data.id !== 'pay_1') throw new Error('The response is not the expected one.');
    }
  };
  const [cpu, from] = [process.cpuUsage(), performance.now()];
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (requests * 1000) / (performance.now() - from), cpu: (user + system) / requests };
}
