/**
 * B14: the CPU time that the client adds to a call. The calls use no network. It compares our `axiosRef` with plain axios
 * with a static header, and our `HttpService` with a plain one, and prints medians of paired slices. Ends with 1 if the
 * client adds more than the limit.
 *
 * `--pairs` sets the number of pairs, `--dist` names another build.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HttpService } from '@nestjs/axios';
import { create } from 'axios';
import { firstValueFrom } from 'rxjs';
import { median, pairedSlices, row, timed } from './paired-slices.mjs';

const LIMIT_US = 8;
const CALLS = 1_000;
const TOKEN = 'bench'.repeat(160);

const { values: wanted } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    pairs: { type: 'string', default: '41' },
  },
});
const load = (path) => import(pathToFileURL(resolve(wanted.dist, path)).href);
const { createProviderHttpClient } = await load('compiled/http/provider-http-client.js');
const { EasyHttpService } = await load('compiled/http/provider-http-services.js');
const { Tokens } = await load('compiled/token/tokens.js');
const { TroubleReport } = await load('compiled/token/trouble-report.js');
const { AccessToken } = await load('compiled/secrets/access-token.js');
const { Deadline, systemClock: clock } = await load('compiled/time/clock.js');

const profile = {
  interface: 'easy',
  environment: 'sandbox',
  active: true,
  baseUrl: 'https://api.example.com/v1',
};
const http = { timeoutMs: 30_000, retryUnauthorized: true, maxRedirects: 0 };

async function adapter(config) {
  return {
    data: '{"ok":true}',
    status: 200,
    statusText: 'OK',
    headers: { 'content-type': 'application/json' },
    config,
  };
}

function ours(settings) {
  const lifetimeMs = 3_600_000;
  const tokens = new Tokens({
    profile,
    settings: { expiryLeewayMs: 0, renewAheadMs: 0 },
    source: {
      obtain: async () => new AccessToken(TOKEN, { deadline: Deadline.after(clock, lifetimeMs), lifetimeMs }),
    },
    report: new TroubleReport(profile),
    clock,
  });
  return createProviderHttpClient({ profile, http: { ...http, ...settings }, tokens, clock }).axios;
}

const plain = create({
  baseURL: profile.baseUrl,
  timeout: http.timeoutMs,
  maxRedirects: 0,
  headers: { Authorization: `Bearer ${TOKEN}` },
  adapter,
});
const stubbed = ours({});
stubbed.defaults.adapter = adapter;
const source = {
  send: ({ config }, end) => void adapter(config).then((response) => end({ response })),
  close: async () => {},
};
const asTransport = ours({ transport: { open: () => source } });

const get = (client) => () => client.get('/payments/1');
const observe = (service) => () => firstValueFrom(service.get('/payments/1'));
const rows = [
  ['plain axios against itself', get(plain), get(plain)],
  ['axiosRef, adapter replaced', get(plain), get(stubbed)],
  ['axiosRef, as by default', get(plain), get(asTransport)],
  ['HttpService', observe(new HttpService(plain)), observe(new EasyHttpService(asTransport))],
];

const slice = (call) =>
  timed(CALLS, async () => {
    for (let left = CALLS; left > 0; left -= 1) await call();
  });

console.log('| in process, no network | plain µs | ours µs | added µs |');
console.log('|---|---|---|---|');
for (const [name, baseline, contender] of rows) {
  const measured = await pairedSlices(slice, baseline, contender, Number(wanted.pairs));
  const of = (value) => median(measured.map(value));
  const added = of(([before, after]) => after.cpuUs - before.cpuUs);
  const [plainUs, oursUs] = [of(([before]) => before.cpuUs), of(([, after]) => after.cpuUs)];
  console.log(row([name, ...[plainUs, oursUs, added].map((figure) => figure.toFixed(1))]));
  if (added > LIMIT_US) process.exitCode = 1;
}
