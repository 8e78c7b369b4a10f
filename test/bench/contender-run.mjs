/** One contender in one scenario, in a process of its own, with a provider of its own; tells its figures as JSON. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { Agent as Dispatcher, setGlobalDispatcher } from 'undici';

/** So many connections to one origin, whoever makes them. */
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

async function tell(order) {
  server.send(order);
  const [counts] = await once(server, 'message');
  return counts;
}

function say(figures) {
  process.send(figures);
}

/** How many of these calls fail. */
async function failures(calls) {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.filter(({ status }) => status === 'rejected').length;
}

/** Cold callers at once, and then as many whose token has just been revoked. */
async function many() {
  await tell({ set: { tokenDelayMs: 20 } });
  const rush = async (before, told) => {
    const watch = setInterval(
      () => void tell({}).then(({ token }) => say({ [`${told}SoFar`]: token - before })),
      1_000,
    );
    const failed = await failures(Array.from({ length: MANY }, payments));
    clearInterval(watch);
    const { token } = await tell({});
    say({ [told]: token - before, [`${told}Failed`]: failed });
  };
  await rush(0, 'cold');
  const { token } = await tell({ revoke: true });
  await rush(token, 'refused');
}

function payments() {
  return contender.call('/payments');
}

/** The refusals of one token arrive over a second, while another token takes 20 ms. */
async function spread() {
  await tell({ set: { tokenDelayMs: 20 } });
  // Some learn of a token only from a refusal.
  await failures([contender.call('/payments')]);
  const before = await tell({ revoke: true });
  const calls = Array.from({ length: 200 }, (_, index) => contender.call(`/payments?late=${index * 5 + 1}`));
  const failed = await failures(calls);
  say({ spread: (await tell({})).token - before.token, spreadFailed: failed });
}

/** The token endpoint answers 503 for five seconds; 50 calls a second, and when the first works again. */
async function outage() {
  await tell({ set: { tokenStatus: 503 } });
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
  const { token } = await tell({ set: { tokenStatus: 200 } });
  const healed = performance.now();
  while (served.length === 0 && performance.now() - healed < 8_000) {
    calls.push(
      contender.call('/payments').then(
        () => served.push(performance.now() - healed),
        () => undefined,
      ),
    );
    await passed(20);
  }
  say({ outage: token, outageErrors: errors, recoveryMs: served[0] });
}

/** Tokens of two seconds, 200 ms for each; 100 calls a second, and how long they take. */
async function rollover() {
  await tell({ set: { tokenDelayMs: 200, lifetimeS: 2 } });
  await failures(Array.from({ length: 20 }, () => contender.call('/payments')));
  const before = await tell({});
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
  const { token } = await tell({});
  say({
    rollover: token - before.token,
    rolloverFailed: failed,
    p50: at(0.5),
    p99: at(0.99),
    max: took.at(-1),
  });
}
