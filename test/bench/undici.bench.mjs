/**
 * B14 and B16: how much faster the client of the module is than plain axios with a static header, on the undici transport
 * and on the default transport. It measures all clients in turns (A B C A B C …), so that other load of the machine affects
 * all of them, and prints medians of the ratios to the slice of plain axios in the same round. undici's own `request` and
 * `dispatch` and `node:https` show what is possible.
 *
 *   node test/bench/undici.bench.mjs [dist] [share of the requests] [rounds] [protocols] [callers] [rows]
 */
import https, { Agent } from 'node:https';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxAt, startServer } from './bench-server.mjs';
import { median, row, sliceOfCallers } from './paired-slices.mjs';

const [dist = 'dist', share = '1', rounds = '13', protocols = 'h1,h2', callers = '1,32,256', rows = 'all'] =
  process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);

await measureAll();

async function measureAll() {
  for (const protocol of protocols.split(',')) {
    const allowH2 = protocol === 'h2';
    const server = await startServer(dist, 'canary-of-the-bench', { allowH2 });
    const { calls, close } = await clients(server, allowH2);
    for (const count of callers.split(',')) await compare(protocol, calls, Number(count));
    await close();
    server.close();
  }
}

/** A call of each client. The first one is what the others are compared with. */
async function clients({ ca, origin }, allowH2) {
  await import('reflect-metadata');
  const [{ default: axios }, undici, { firstValueFrom }] = await Promise.all([
    import('axios'),
    import('undici'),
    import('rxjs'),
  ]);
  const { undiciTransport } = await load('esm/undici/index.js');
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const headers = { Authorization: 'Bearer canary' };
  const plain = axios.create({ baseURL: `${origin}/v1`, httpsAgent, headers });
  const pool = new undici.Pool(origin, { connections: null, allowH2, connect: { ca } });
  const settings = { origin, ca, allowH2 };
  const onUndici = await application(settings, { transport: undiciTransport({ allowH2, connect: { ca } }) });
  const intercepted = await application(settings, {
    transport: undiciTransport({ allowH2, connect: { ca } }),
  });
  const byDefault = await application(settings, {});
  intercepted.easy.axiosRef.interceptors.request.use(
    (config) => {
      config.headers.set('X-Request-Id', 'bench');
      return config;
    },
    null,
    { synchronous: true },
  );
  intercepted.easy.axiosRef.interceptors.response.use((response) => response);

  const path = '/payments/pay_1';
  const calls = {
    'plain axios': () => plain.get(path).then(dataOf),
    'axiosRef on undici': () => onUndici.easy.axiosRef.get(path).then(dataOf),
    'HttpService on undici': () => firstValueFrom(onUndici.easy.get(path)).then(dataOf),
    'axiosRef on undici with interceptors': () => intercepted.easy.axiosRef.get(path).then(dataOf),
    'axiosRef by default': () => byDefault.easy.axiosRef.get(path).then(dataOf),
    'undici request': () =>
      pool.request({ path: `/v1${path}`, method: 'GET', headers }).then(({ body }) => body.json()),
    'undici dispatch': () => dispatched(pool, `/v1${path}`, headers),
    'node:https': () => byHttps(origin, `/v1${path}`, httpsAgent, headers),
  };
  const close = async () => {
    httpsAgent.destroy();
    await pool.close();
    for (const { close: closeApplication } of [onUndici, intercepted, byDefault]) await closeApplication();
  };
  const chosen = Object.entries(calls).filter(
    ([name], index) => index === 0 || rows === 'all' || rows.split(',').includes(name),
  );
  return { calls: Object.fromEntries(chosen), close };
}

function dataOf({ data }) {
  return data;
}

async function application({ origin, ca }, http) {
  const [{ NestFactory }, { Module }, { EasyHttpService, ProviderAuthModule }] = await Promise.all([
    import('@nestjs/core'),
    import('@nestjs/common'),
    load('esm/index.js'),
  ]);
  const sandbox = { ...sandboxAt(origin), tls: http.transport ? undefined : { ca } };
  const httpsAgent = http.transport ? new Agent({ ca, keepAlive: true }) : undefined;
  class Bench {}
  Module({
    imports: [
      ProviderAuthModule.forRoot({
        environment: 'sandbox',
        interfaces: { easy: { sandbox } },
        http: { ...http, httpsAgent },
      }),
    ],
  })(Bench);
  const nest = await NestFactory.createApplicationContext(Bench, { logger: false });
  const close = async () => {
    httpsAgent?.destroy();
    await nest.close();
  };
  return { easy: nest.get(EasyHttpService), close };
}

function dispatched(pool, path, headers) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    pool.dispatch(
      { path, method: 'GET', headers },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks))),
        onResponseError: (_, error) => reject(new Error('The request failed.', { cause: error })),
      },
    );
  });
}

function byHttps(origin, path, agent, headers) {
  return new Promise((resolve, reject) => {
    const request = https.request(origin + path, { agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => resolve(JSON.parse(Buffer.concat(chunks))));
      response.once('error', reject);
    });
    request.once('error', reject);
    request.end();
  });
}

async function compare(protocol, calls, count) {
  const requests = Math.round(Number(share) * (count === 1 ? 400 : 1_200));
  const names = Object.keys(calls);
  // Warm-up: after these slices, all code is compiled.
  for (let turn = 0; turn < 3; turn += 1)
    for (const name of names) await sliceOfCallers(count, requests, calls[name]);
  const measured = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    const slices = {};
    for (const name of names) slices[name] = await sliceOfCallers(count, requests, calls[name]);
    measured.push(slices);
  }
  const [baseline] = names;
  console.log(`\n${protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1'}, ${count} callers\n`);
  console.log('| client | req/s | ratio | CPU µs | ratio of the CPU |');
  console.log('|---|---|---|---|---|');
  for (const name of names) {
    const of = (value) => median(measured.map(value));
    console.log(
      row([
        name,
        of((slices) => slices[name].rate).toFixed(0),
        of((slices) => slices[name].rate / slices[baseline].rate).toFixed(2),
        of((slices) => slices[name].cpuUs).toFixed(0),
        of((slices) => slices[name].cpuUs / slices[baseline].cpuUs).toFixed(3),
      ]),
    );
  }
}
