/**
 * Compares other clients: how many token requests they send, and how long their callers wait. The counts do not depend on
 * the machine. The waits stand beside those of plain axios with a standing token, from the same run. The program first
 * installs the contenders into a separate folder.
 *
 *   npm run bench:contenders                          all
 *   npm run bench:contenders -- --only openid         the contenders with this text in their name
 *   BENCH_MANY=1000 npm run bench:contenders          fewer callers
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contenderVersions, installContenders } from './installed-contenders.mjs';
import { library } from './library.mjs';
import { row } from './paired-slices.mjs';

const { values: wanted } = parseArgs({
  options: { only: { type: 'string' } },
});
const MANY = Number(process.env.BENCH_MANY ?? 10_000);
/** A contender that needs longer for a scenario is stopped. Its row then says so. */
const TIME_LIMIT_MS = 20_000;
const PARALLEL_TIME_LIMIT_MS = 40_000;

const CONTENDERS = [
  ['this module', 'provider-auth', 'open'],
  ['this module, renewing ahead', 'provider-auth', 'openAhead'],
  ['an interceptor written by hand, with care', 'hand-written', 'open'],
  ['axios-auth-refresh', 'axios-auth-refresh', 'open'],
  ['axios-token-interceptor', 'axios-token-interceptor', 'open'],
  ['simple-oauth2', 'simple-oauth2', 'open'],
  ['openid-client', 'openid-client', 'open'],
  ['@badgateway/oauth2-client', 'badgateway', 'open'],
  ['google-auth-library', 'google-auth-library', 'open'],
].filter(([name]) => wanted.only === undefined || name.includes(wanted.only));

installContenders();
const certificates = mkdtempSync(join(tmpdir(), 'contenders-'));
const { ca, cert, key } = await (
  await library('compiled/testing/simulator/certificate-authority.js')
).issueServerCertificate('trusted');
writeFileSync(join(certificates, 'ca.pem'), ca);
try {
  await measureAll();
} finally {
  rmSync(certificates, { recursive: true });
}

async function measureAll() {
  const figures = new Map(CONTENDERS.map(([name]) => [name, {}]));
  const measure = async (scenario, contender, limitMs) => {
    Object.assign(figures.get(contender[0]), await run(scenario, contender, limitMs));
  };
  // The outage scenario takes long and uses little CPU time, so all contenders run it at the same time.
  await Promise.all(CONTENDERS.map((contender) => measure('outage', contender, PARALLEL_TIME_LIMIT_MS)));
  for (const contender of CONTENDERS) await measure('spread', contender, TIME_LIMIT_MS);
  const baseline = await run('rollover', ['', 'plain-axios', 'open'], PARALLEL_TIME_LIMIT_MS);
  for (const contender of CONTENDERS) await measure('rollover', contender, PARALLEL_TIME_LIMIT_MS);
  for (const contender of CONTENDERS) await measure('many', contender, TIME_LIMIT_MS * 2);
  print(figures, baseline);
}

/** The figures of one contender in one scenario. Figures that it did not finish are missing. */
function run(scenario, [, module, entry], limitMs) {
  const script = new URL('contender-run.mjs', import.meta.url);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(certificates, 'ca.pem') };
  const child = fork(script, [module, entry, scenario], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send({ cert, key });
  const figures = {};
  child.on('message', (some) => Object.assign(figures, some));
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(figures);
    });
  });
}

function print(figures, baseline) {
  const many = whole(MANY);
  console.log(`Contenders, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${versions()}`);
  console.log(
    `\n| token requests of | ${many} cold callers | ${many} refusals at once | 200 refusals over 1 s | outage of 5 s, 250 callers | served again after |`,
  );
  console.log('|---|---|---|---|---|---|');
  for (const [name, of] of figures) {
    console.log(
      row([
        name,
        requests(of, 'cold'),
        requests(of, 'refused'),
        requests(of, 'spread'),
        of.outage ?? '–',
        of.recoveryMs === undefined ? 'not in 8 s' : `${of.recoveryMs.toFixed(0)} ms`,
      ]),
    );
  }
  console.log(
    `\n| a token every 2 s, which takes 200 ms; 100 calls/s for 6 s | token requests | failed | median ms | p99 ms | max ms |`,
  );
  console.log('|---|---|---|---|---|---|');
  for (const [name, of] of [['plain axios, a standing token', baseline], ...figures]) {
    const { rollover, rolloverFailed, p50, p99, max } = of;
    console.log(row([name, rollover ?? '–', rolloverFailed ?? '–', ms(p50), ms(p99), ms(max)]));
  }
}

/** Token requests, and the calls that failed, if any. */
function requests(figures, count) {
  const [done, failed, soFar] = [figures[count], figures[`${count}Failed`], figures[`${count}SoFar`]];
  if (done === undefined) return soFar === undefined ? 'not begun' : `${whole(soFar)}, **not done**`;
  return failed > 0 ? `${whole(done)}, **${whole(failed)} calls failed**` : whole(done);
}

function whole(count) {
  return count.toLocaleString('en');
}

function ms(value) {
  return value === undefined ? '–' : value.toFixed(0);
}

function versions() {
  return Object.entries(contenderVersions())
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
