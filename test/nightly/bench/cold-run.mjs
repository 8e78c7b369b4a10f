/**
 * One slice of `cold-accounts.bench.mjs`, in its own process: so many accounts that all need a token at the same moment. Prints the
 * milliseconds until the last token, and the longest stop of the event loop after the tick in which the callers start.
 *
 * node cold-run.mjs <ours|axios> <url of the token endpoint> <file with its authority> <accounts> <dist>
 */
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A stop of the event loop is what a timer of this length is late. */
const TICK_MS = 20;

const [way, tokenUrl, caFile, count, dist] = process.argv.slice(2);
const ca = readFileSync(caFile, 'utf8');
const accounts = Array.from({ length: Number(count) }, (_, index) => `merchant-${index}`);

async function ours() {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { ProviderAuthModule, ProviderAuthService } = await import(
    pathToFileURL(resolve(dist, 'compiled/index.js')).href
  );
  const module = ProviderAuthModule.forRoot({
    environment: 'sandbox',
    interfaces: {
      easy: {
        sandbox: {
          tokenUrl,
          baseUrl: `${new URL(tokenUrl).origin}/v1`,
          clientId: 'bench',
          clientSecret: 'canary-of-the-bench',
          tls: { ca },
        },
      },
    },
    accounts: (account) => ({ clientId: account, clientSecret: 'canary-of-the-bench' }),
    token: { maxAccounts: accounts.length },
  });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const tokens = app.get(ProviderAuthService).providers()[0];
  await tokens.getToken();
  return (account) => tokens.for({ account }).getToken();
}

async function plainAxios() {
  const { default: axios } = await import('axios');
  const httpsAgent = new https.Agent({ ca, keepAlive: true, maxSockets: 32 });
  const ask = async (account) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: account,
      client_secret: 'canary-of-the-bench',
    });
    return (await axios.post(tokenUrl, form, { httpsAgent })).data.access_token;
  };
  await ask('first');
  return ask;
}

const ask = await (way === 'ours' ? ours() : plainAxios());
await new Promise((idle) => setTimeout(idle, 200));
const started = performance.now();
const all = Promise.allSettled(accounts.map((account) => ask(account)));
// The rest of the tick, with all that follows in microtasks.
await new Promise(setImmediate);
const startMs = performance.now() - started;
let last = performance.now();
let longestStopMs = 0;
const look = () => {
  const now = performance.now();
  longestStopMs = Math.max(longestStopMs, now - last - TICK_MS);
  last = now;
};
const timer = setInterval(look, TICK_MS);
const results = await all;
look();
clearInterval(timer);
const failed = results.filter(({ status }) => status === 'rejected').length;
console.log(JSON.stringify({ ms: performance.now() - started, startMs, longestStopMs, failed }));
process.exit();
