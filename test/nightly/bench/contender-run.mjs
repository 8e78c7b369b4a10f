/** Runs one contender in one scenario, in its own process with its own provider. Sends its figures to the parent process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { Agent as Dispatcher, setGlobalDispatcher } from 'undici';

/** The most connections to one origin. The limit is the same for all contenders. */
const CONNECTIONS = 256;
const MANY = Number(process.env.BENCH_MANY ?? 10_000);

const [module, entry, scenario] = process.argv.slice(2);
const { cert, key } = await new Promise((resolve) => process.once('message', resolve));

const server = fork(new URL('contender-provider.mjs', import.meta.url), { execArgv: [] });
server.send({ cert, key });
const [{ tokenOrigin, apiOrigin, standingToken }] = await once(server, 'message');
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
setGlobalDispatcher(new Dispatcher({ connections: CONNECTIONS }));

const contender = await (
  await import(`./contenders/${module}.mjs`)
)[entry]({
  tokenUrl: `${tokenOrigin}/auth/v0/connect/token`,
  apiUrl: `${apiOrigin}/v1`,
  clientId: 'bench',
  clientSecret: 'canary-of-the-bench',
  agent,
  standingToken,
});
const scenarios = { many, spread, outage, rollover };
await scenarios[scenario]();
process.exit();

async function command(order) {
  server.send(order);
  const [counts] = await once(server, 'message');
  return counts;
}

function sendFigures(figures) {
  process.send(figures);
}

/** The number of these calls that fail. */
async function failures(calls) {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.filter(({ status }) => status === 'rejected').length;
}

/** Many callers at once without a token, and then as many callers with a revoked token. */
async function many() {
  await command({ set: { tokenDelayMs: 20 } });
  const rush = async (before, count) => {
    const watch = setInterval(
      () => void command({}).then(({ token }) => sendFigures({ [`${count}SoFar`]: token - before })),
      1_000,
    );
    const failed = await failures(Array.from({ length: MANY }, payments));
    clearInterval(watch);
    const { token } = await command({});
    sendFigures({ [count]: token - before, [`${count}Failed`]: failed });
  };
  await rush(0, 'cold');
  const { token } = await command({ revoke: true });
  await rush(token, 'refused');
}

function payments() {
  return contender.call('/payments');
}

/** Refusals of the same token arrive over one second. A new token takes 20 ms. */
async function spread() {
  await command({ set: { tokenDelayMs: 20 } });
  // Some contenders request their first token only after a refusal.
  await failures([contender.call('/payments')]);
  const before = await command({ revoke: true });
  const calls = Array.from({ length: 200 }, (_, index) => contender.call(`/payments?late=${index * 5 + 1}`));
  const failed = await failures(calls);
  sendFigures({ spread: (await command({})).token - before.token, spreadFailed: failed });
}

/** The token endpoint answers 503 for five seconds, with 50 calls per second. Measures when the first call works again. */
async function outage() {
  await command({ set: { tokenStatus: 503 } });
  const started = performance.now();
  const calls = [];
  let errors = 0;
  const served = [];
  while (performance.now() - started < 5_000) {
    calls.push(
      contender.call('/payments').then(
        () => undefined,
        () => (errors += 1),
      ),
    );
    await passed(20);
  }
  const { token } = await command({ set: { tokenStatus: 200 } });
  const repairedAt = performance.now();
  while (served.length === 0 && performance.now() - repairedAt < 8_000) {
    calls.push(
      contender.call('/payments').then(
        () => served.push(performance.now() - repairedAt),
        () => undefined,
      ),
    );
    await passed(20);
  }
  sendFigures({ outage: token, outageErrors: errors, recoveryMs: served[0] });
}

/** Tokens live for two seconds, and each takes 200 ms. Measures the duration of 100 calls per second. */
async function rollover() {
  await command({ set: { tokenDelayMs: 200, lifetimeS: 2 } });
  await failures(Array.from({ length: 20 }, () => contender.call('/payments')));
  const before = await command({});
  const took = [];
  let failed = 0;
  const started = performance.now();
  const calls = [];
  for (let made = 0; made < 600; made += 1) {
    const due = started + made * 10;
    if (due > performance.now()) await passed(due - performance.now());
    const from = performance.now();
    calls.push(
      contender.call('/payments').then(
        () => took.push(performance.now() - from),
        () => (failed += 1),
      ),
    );
  }
  await Promise.all(calls);
  took.sort((one, other) => one - other);
  const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
  const { token } = await command({});
  sendFigures({
    rollover: token - before.token,
    rolloverFailed: failed,
    p50: at(0.5),
    p99: at(0.99),
    max: took.at(-1),
  });
}
