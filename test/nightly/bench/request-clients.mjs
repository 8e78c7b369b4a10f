/** The clients that `requests.bench.mjs` compares. Each sends the same token to the same server. */
import https, { Agent } from 'node:https';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxAt } from './bench-server.mjs';

export const TOKEN = 'bench'.repeat(160);
export const PATH = '/payments/pay_1';
const PARAMS = { params: { expand: 'customer', limit: 20 } };
const HEADERS = { headers: { Accept: 'application/json', 'X-Request-Id': 'bench' } };
const BODY = { amount: 1250, currency: 'EUR', reference: 'order 1', capture: true };

/**
 * The clients by their names.
 *
 * @returns {Promise<{ clients: object, close: () => Promise<void> }>}
 */
export async function requestClients({ ca, origin, dist, hasContenders }) {
  // Loads the undici of Node before the undici of the package. So the global `fetch` keeps its own pools.
  await fetch('data:,');
  await import('reflect-metadata');
  const [{ default: axios }, { HttpService }, undici, { firstValueFrom }] = await Promise.all([
    import('axios'),
    import('@nestjs/axios'),
    import('undici'),
    import('rxjs'),
  ]);
  const url = `${origin}/v1${PATH}`;
  const headers = { Authorization: `Bearer ${TOKEN}` };
  // What axios adds to each request, so that `node:https` writes as much.
  const headersOfAxios = {
    ...headers,
    Accept: 'application/json, text/plain, */*',
    'User-Agent': `axios/${axios.VERSION}`,
    'Accept-Encoding': 'gzip, compress, deflate, br',
  };
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const plain = axios.create({ baseURL: `${origin}/v1`, httpsAgent, headers });
  const plainService = new HttpService(plain);
  const pool = new undici.Pool(origin, { connections: null, allowH2: false, connect: { ca } });
  const applications = await ourApplications({ ca, origin, dist });
  const { onUndici, onUndiciIntercepted, byDefault, byDefaultIntercepted } = applications;

  const calls = {
    'plain axios': () => data(plain.get(PATH)),
    'axiosRef on undici': () => data(onUndici.axiosRef.get(PATH)),
    'HttpService on undici': () => data(firstValueFrom(onUndici.get(PATH))),
    'axiosRef on undici, interceptors': () => data(onUndiciIntercepted.axiosRef.get(PATH)),
    'fetch on undici': () => json(onUndici.fetch(PATH)),
    'undici request': () =>
      pool.request({ path: `/v1${PATH}`, method: 'GET', headers }).then(({ body }) => body.json()),
    'undici dispatch': () => dispatched(pool, `/v1${PATH}`, headers),
    'plain axios again': () => data(plain.get(PATH)),
    'axiosRef by default': () => data(byDefault.axiosRef.get(PATH)),
    'axiosRef by default, interceptors': () => data(byDefaultIntercepted.axiosRef.get(PATH)),
    'plain HttpService': () => data(firstValueFrom(plainService.get(PATH))),
    'HttpService by default': () => data(firstValueFrom(byDefault.get(PATH))),
    'global fetch': () => json(fetch(url, { headers })),
    'fetch by default': () => json(byDefault.fetch(PATH)),
    'node:https': () => byHttps(url, httpsAgent, headersOfAxios),
    'plain axios, params': () => data(plain.get(PATH, PARAMS)),
    'axiosRef on undici, params': () => data(onUndici.axiosRef.get(PATH, PARAMS)),
    'axiosRef by default, params': () => data(byDefault.axiosRef.get(PATH, PARAMS)),
    'plain axios, JSON body': () => data(plain.post(PATH, BODY)),
    'axiosRef on undici, JSON body': () => data(onUndici.axiosRef.post(PATH, BODY)),
    'axiosRef by default, JSON body': () => data(byDefault.axiosRef.post(PATH, BODY)),
    'plain axios, own headers': () => data(plain.get(PATH, HEADERS)),
    'axiosRef on undici, own headers': () => data(onUndici.axiosRef.get(PATH, HEADERS)),
    'axiosRef by default, own headers': () => data(byDefault.axiosRef.get(PATH, HEADERS)),
  };
  if (hasContenders) {
    const { restPipeline } = await import('./contenders/core-rest-pipeline.mjs');
    calls['@azure/core-rest-pipeline'] = restPipeline({ agent: httpsAgent, token: TOKEN, url });
  }
  const clients = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      { call, against: baselineOf(name), limit: limitOf(name) },
    ]),
  );
  const close = async () => {
    httpsAgent.destroy();
    await pool.close();
    await applications.close();
  };
  return { clients, close };
}

export async function data(call) {
  return (await call).data;
}

async function json(call) {
  return (await call).json();
}

/**
 * Clients that an application could use together. Each group gets its own process: an application has one or two of these
 * clients, and V8 makes slow code for what 25 clients share.
 */
export const GROUPS = {
  'by default': (name) => !Object.entries(GROUPS).some(([group, has]) => group !== 'by default' && has(name)),
  undici: (name) => /^undici | on undici/.test(name) && !GROUPS.fetch(name),
  fetch: (name) => name.includes('fetch'),
  others: (name) => name.startsWith('@') || name === 'plain axios again',
};

/** Each client is compared with plain code that makes the same call. */
function baselineOf(name) {
  if (name === 'HttpService by default') return 'plain HttpService';
  if (name.startsWith('fetch')) return 'global fetch';
  const [part] = /, (params|JSON body|own headers)$/.exec(name) ?? [''];
  return `plain axios${part}`;
}

/** What B16 measures a client against: the same work without us, or a way of calling with less on top. */
function limitOf(name) {
  if (name === 'axiosRef on undici') return 'undici request';
  if (name === 'axiosRef by default') return 'node:https';
  const [, transport] =
    /^(?:HttpService|fetch|axiosRef)( on undici| by default)(?:, interceptors)?$/.exec(name) ?? [];
  return transport === undefined || name === 'fetch by default' ? undefined : `axiosRef${transport}`;
}

/** Applications with this package, with and without interceptors, on undici and by default. */
export async function ourApplications({ ca, origin, dist }) {
  const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
  const [{ NestFactory }, { Module }, { EasyHttpService, ProviderAuthModule }, { undiciTransport }] =
    await Promise.all([
      import('@nestjs/core'),
      import('@nestjs/common'),
      load('esm/index.js'),
      load('esm/undici/index.js'),
    ]);
  const opened = [];
  const application = async (http) => {
    class Bench {}
    const sandbox = { ...sandboxAt(origin), tls: { ca } };
    const { clientId, clientSecret } = sandbox;
    const accounts = () => ({ clientId, clientSecret });
    const options = { environment: 'sandbox', interfaces: { easy: { sandbox } }, http, accounts };
    Module({ imports: [ProviderAuthModule.forRoot(options)] })(Bench);
    const nest = await NestFactory.createApplicationContext(Bench, { logger: false });
    opened.push(nest);
    return nest.get(EasyHttpService);
  };
  const overUndici = () => application({ transport: undiciTransport() });
  return {
    onUndici: await overUndici(),
    onUndiciIntercepted: intercepted(await overUndici()),
    byDefault: await application({}),
    byDefaultIntercepted: intercepted(await application({})),
    close: () => Promise.all(opened.map((nest) => nest.close())),
  };
}

/** One synchronous request interceptor that sets a header, and one response interceptor, as B16 says. */
function intercepted(service) {
  service.axiosRef.interceptors.request.use(setHeader, null, { synchronous: true });
  service.axiosRef.interceptors.response.use((response) => response);
  return service;
}

function setHeader(config) {
  config.headers.set('X-Request-Id', 'bench');
  return config;
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

function byHttps(url, agent, headers) {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => resolve(JSON.parse(Buffer.concat(chunks))));
      response.once('error', reject);
    });
    request.once('error', reject);
    request.end();
  });
}
