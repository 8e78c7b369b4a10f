import 'reflect-metadata';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import axios from 'axios';
import {
  EasyHttpService,
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { undiciTransport } from 'nestjs-provider-auth/undici';

const CALLS = 40;

const [transport, owner, route] = process.argv.slice(2);
const { NODE_EXTRA_CA_CERTS, PROXY_PORT, PROVIDER_EASY_SANDBOX_BASE_URL: baseURL } = process.env;
const ca = readFileSync(NODE_EXTRA_CA_CERTS, 'utf8');
const HTTPS_PROXY = `http://127.0.0.1:${PROXY_PORT}`;

function httpOptions() {
  const hasOwnTunnel = owner === 'agent with proxyEnv';
  const agent = { ca, keepAlive: true, ...(hasOwnTunnel && { proxyEnv: { HTTPS_PROXY } }) };
  return {
    timeoutMs: 60_000,
    ...(owner !== 'own' && { httpsAgent: new Agent(agent) }),
    ...(route === 'proxy' &&
      !hasOwnTunnel && { proxy: { protocol: 'http', host: '127.0.0.1', port: Number(PROXY_PORT) } }),
    ...(transport.startsWith('default, ') && { maxRedirects: 3 }),
    ...(transport === 'undici' && { transport: undiciTransport() }),
  };
}

/** What the module is compared with. */
async function plainAxios() {
  const token = await app.get(getTokenProviderToken('easy')).getToken();
  return axios.create({
    baseURL,
    ...httpOptions(),
    maxRedirects: 0,
    headers: { authorization: `Bearer ${token.reveal()}` },
  });
}

/** Requests of Node's client and of undici, and the answers that the application got. */
const seen = { requests: [], answers: [] };
const CHANNELS = {
  'http.client.request.start': ({ request }) => seen.requests.push(new WeakRef(request)),
  'undici:request:create': ({ request }) => seen.requests.push(new WeakRef(request)),
};

async function call(axios, path) {
  const { data } = await axios.get(path);
  return new WeakRef(data);
}

async function inMemory(refs) {
  for (let turn = 0; turn < 10; turn += 1) {
    await setImmediate();
    globalThis.gc();
  }
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

const app = await NestFactory.createApplicationContext(
  ProviderAuthModule.forRootAsync({
    imports: [ConfigModule.forFeature(providerAuthConfig)],
    inject: [providerAuthConfig.KEY],
    useFactory: (options) => ({ ...options, http: httpOptions() }),
  }),
  { logger: false, abortOnError: false },
);
const axiosRef = transport === 'plain axios' ? await plainAxios() : app.get(EasyHttpService).axiosRef;
for (const [channel, note] of Object.entries(CHANNELS)) subscribe(channel, note);
seen.answers.push(...(await Promise.all(Array.from({ length: CALLS }, () => call(axiosRef, '/large')))));
for (const [channel, note] of Object.entries(CHANNELS)) unsubscribe(channel, note);
if (seen.requests.length < CALLS) throw new Error(`There were ${seen.requests.length} requests.`);
await inMemory([]);
await Promise.all(Array.from({ length: CALLS }, () => call(axiosRef, '/small')));
const requests = await inMemory(seen.requests);
const answers = await inMemory(seen.answers);
const heapMb = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
console.log(JSON.stringify({ requests, answers, heapMb }));
await app.close();
