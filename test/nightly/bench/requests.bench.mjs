/**
 * B14, B16 and B21: requests per second and CPU time over loopback HTTPS with keep-alive, for our clients and for others. All
 * clients are measured in turns. It prints medians of the ratios within a round. undici's own `request` and `dispatch`, and
 * `node:https`, show what is possible. The program ends with 1 if a goal of these rules is missed.
 *
 *   npm run bench:requests                                  one run
 *   npm run bench:requests -- --runs 3                      the run of the pages: medians of three processes
 *   npm run bench:requests -- --callers 32 --row 'axiosRef on undici' --row node:https --rounds 5
 *
 * `--slice` sets the milliseconds of a slice, `--dist` names another build.
 */
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './bench-server.mjs';
import { GOAL_COLUMNS, goalRows, isMissed } from './goals.mjs';
import { contenderVersions, installContenders } from './installed-contenders.mjs';
import { row } from './paired-slices.mjs';
import { GROUPS, TOKEN } from './request-clients.mjs';
import { medianOfRuns } from './rounds.mjs';

const AZURE = '@azure/core-rest-pipeline';
const { values: wanted } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '13' },
    slice: { type: 'string', default: '100' },
    callers: { type: 'string' },
    row: { type: 'string', multiple: true },
    dist: { type: 'string', default: 'dist' },
  },
});
const isFiltered = [wanted.callers, wanted.row].some((filter) => filter !== undefined);

const hasContenders = areInstalled();
const plan = {
  rounds: Number(wanted.rounds),
  sliceMs: Number(wanted.slice),
  callers: (wanted.callers ?? '1,32,256').split(',').map(Number),
  rows: wanted.row,
  dist: wanted.dist,
  hasContenders,
};

const runs = [];
for (let run = 0; run < Number(wanted.runs); run += 1) runs.push(await measuredOnce());
const medians = medianOfRuns(runs);
console.log(await versions());
print(medians);
const goals = isFiltered ? [] : goalRows(medians);
if (!isFiltered)
  console.log(`\n${[GOAL_COLUMNS, GOAL_COLUMNS.map(() => '---'), ...goals].map(row).join('\n')}`);
if (goals.some(isMissed)) process.exitCode = 1;

/** Without a network, the comparison has a row less. */
function areInstalled() {
  try {
    installContenders();
    return true;
  } catch {
    console.log(`${AZURE} is not measured, because npm cannot install it.`);
    return false;
  }
}

async function measuredOnce() {
  const server = await startServer(wanted.dist, TOKEN);
  const folder = await mkdtemp(join(tmpdir(), 'requests-bench-'));
  try {
    const file = join(folder, 'ca.pem');
    await writeFile(file, server.ca);
    const rows = [];
    for (const group of Object.keys(GROUPS)) rows.push(...(await rowsOfProcess(server, file, group)));
    return rows;
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}

/** The global `fetch` takes a private authority only from a variable, which Node reads when the process starts. */
function rowsOfProcess({ ca, origin }, caFile, group) {
  const child = fork(fileURLToPath(new URL('request-run.mjs', import.meta.url)), {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile },
  });
  child.send({
    ...plan,
    group,
    ca,
    origin,
  });
  return new Promise((resolve, reject) => {
    child.once('message', ({ rows }) => resolve(rows));
    child.once('exit', (code) => reject(new Error(`A run ended with ${code} and without figures.`)));
  });
}

async function versions() {
  const named = await Promise.all(
    ['axios', 'undici', '@nestjs/axios'].map(async (name) => {
      const file = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
      return [name, JSON.parse(await readFile(file, 'utf8')).version];
    }),
  );
  return { ...Object.fromEntries(named), ...(hasContenders && { [AZURE]: contenderVersions()[AZURE] }) };
}

function print(rows) {
  for (const [place, { callers }] of (rows[0]?.at ?? []).entries()) {
    console.log(`\n${callers} callers\n`);
    console.log('| client | compared with | req/s | ratio | CPU µs | ratio of the CPU |');
    console.log('|---|---|---|---|---|---|');
    for (const { client, against, at } of rows) {
      const { rate, ratio, cpuUs, cpuRatio } = at[place];
      console.log(row([client, against, rate, ratio.toFixed(2), cpuUs, cpuRatio.toFixed(3)]));
    }
  }
}
