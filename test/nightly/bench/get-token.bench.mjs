/**
 * B14: the cost of `getToken()` with a cached token, at most 1 µs. It prints the median of many slices, with and without
 * `await`. Ends with 1 if the cost is higher. `--dist` names another build.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './paired-slices.mjs';

const { values: wanted } = parseArgs({
  options: { dist: { type: 'string', default: 'dist' } },
});

const LIMIT_US = 1;
const SLICES = 200;
const CALLS = 20_000;

const load = (file) => import(pathToFileURL(resolve(wanted.dist, file)).href);
const { Tokens } = await load('compiled/token/tokens.js');
const { TroubleReport } = await load('compiled/token/trouble-report.js');
const { AccessToken } = await load('compiled/secrets/access-token.js');
const { Deadline, systemClock } = await load('compiled/time/clock.js');

const HOUR_MS = 3_600_000;
const profile = { interface: 'easy', environment: 'sandbox', active: true };
const provider = new Tokens({
  profile,
  // All options are on that could slow down a call with a cached token.
  settings: { expiryLeewayMs: 60_000, renewAheadMs: 300_000 },
  source: {
    obtain: async () =>
      new AccessToken('token', { deadline: Deadline.after(systemClock, HOUR_MS), lifetimeMs: HOUR_MS }),
  },
  report: new TroubleReport(profile),
  clock: systemClock,
});
await provider.getToken();

function called() {
  for (let call = 0; call < CALLS; call += 1) void provider.getToken();
}

async function awaited() {
  for (let call = 0; call < CALLS; call += 1) await provider.getToken();
}

/** Microseconds of one call. */
async function slice(work) {
  const started = performance.now();
  await work();
  return ((performance.now() - started) * 1_000) / CALLS;
}

const costs = { called: [], awaited: [] };
for (let round = 0; round < SLICES; round += 1) {
  costs.called.push(await slice(called));
  costs.awaited.push(await slice(awaited));
}

const [call, wait] = [median(costs.called), median(costs.awaited)];
const verdict = wait <= LIMIT_US ? 'ok' : 'TOO SLOW';
console.log(
  `warm getToken(): ${call.toFixed(2)} µs a call, ${wait.toFixed(2)} µs awaited (at most ${LIMIT_US}): ${verdict}`,
);
process.exitCode = wait <= LIMIT_US ? 0 : 1;
