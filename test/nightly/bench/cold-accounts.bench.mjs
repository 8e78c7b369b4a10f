/**
 * B39: accounts that all need a token at the same moment, beside the same token requests by plain axios with a keep-alive agent of
 * 32 connections. Both run in turns, each in a new process, and this program prints medians. Ends with 1 if the module takes more
 * than 1.5 times as long, or stops the event loop 50 ms longer.
 *
 * No page shows these figures. `--accounts` and `--rounds` set how much is measured, `--dist` names another build, and `--before`
 * a build to measure as well.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startServer } from './bench-server.mjs';
import { median, row } from './paired-slices.mjs';

const LIMITS = { ratio: 1.5, stopMs: 50 };
const RUN = fileURLToPath(new URL('cold-run.mjs', import.meta.url));

const { values: wanted } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    before: { type: 'string' },
    accounts: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
  },
});
const server = await startServer(wanted.dist, 'bench'.repeat(160));
const folder = mkdtempSync(join(tmpdir(), 'cold-accounts-'));
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, server.ca);
const ways = {
  'plain axios': ['axios', wanted.dist],
  ours: ['ours', wanted.dist],
  ...(wanted.before && { before: ['ours', wanted.before] }),
};
const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < Number(wanted.rounds); round += 1)
  for (const [name, [way, dist]] of Object.entries(ways)) {
    await server.forgetConnections();
    const url = `${server.origin}/auth/v0/connect/token`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      RUN,
      way,
      url,
      caFile,
      wanted.accounts,
      dist,
    ]);
    const result = { ...JSON.parse(stdout), ...(await server.forgetConnections()) };
    results[name].push(result);
  }
server.close();
rmSync(folder, { recursive: true });

const figures = Object.fromEntries(
  Object.entries(results).map(([name, rounds]) => {
    const of = (member) => median(rounds.map((round) => round[member]));
    return [
      name,
      {
        ms: of('ms'),
        startMs: of('startMs'),
        stopMs: of('longestStopMs'),
        most: of('mostOpen'),
        made: of('made'),
        failed: of('failed'),
      },
    ];
  }),
);
console.log(
  `| ${wanted.accounts} accounts | ms | ms of the tick that starts them | longest stop after it, ms | most connections | connections made | failed |`,
);
console.log('|---|---|---|---|---|---|---|');
for (const [name, { ms, startMs, stopMs, most, made, failed }] of Object.entries(figures))
  console.log(row([name, ms.toFixed(0), startMs.toFixed(0), stopMs.toFixed(0), most, made, failed]));
const { ours, 'plain axios': plain } = figures;
const ratio = ours.ms / plain.ms;
console.log(`\nratio ${ratio.toFixed(2)} (at most ${LIMITS.ratio})`);
process.exitCode =
  ratio > LIMITS.ratio || ours.stopMs > plain.stopMs + LIMITS.stopMs || ours.failed > 0 ? 1 : 0;
