/**
 * B33: the cost of `for` with known members, and of a call through it, compared with the same call without it, over loopback HTTPS.
 * Both are measured in turns, and it prints medians. Ends with 1 if one of them costs more than the contract allows.
 *
 * No page shows these figures. `--rounds` sets the number of rounds, `--dist` names another build.
 */
import { parseArgs } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { startServer } from './bench-server.mjs';
import { median, pairedSlices, row, timed } from './paired-slices.mjs';
import { data, ourApplications, PATH, TOKEN } from './request-clients.mjs';
import { measureInTurns } from './rounds.mjs';

const LIMITS = { forUs: 5, cpuRatio: 1.05 };
const TARGET = { account: 'merchant-42' };
const FOR_CALLS = 20_000;
const CALLERS = 32;

const { values: wanted } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    rounds: { type: 'string', default: '41' },
  },
});
const rounds = Number(wanted.rounds);
await import('reflect-metadata');
const server = await startServer(wanted.dist, TOKEN);
const { byDefault, onUndici, close } = await ourApplications({ ...server, dist: wanted.dist });

const slice = (work) =>
  timed(FOR_CALLS, () => {
    for (let left = FOR_CALLS; left > 0; left -= 1) work();
  });

/** Microseconds of one `for()`, without the loop around it. */
async function costOfFor(client) {
  const turns = await pairedSlices(
    slice,
    () => client,
    () => client.for(TARGET),
    rounds,
  );
  return median(turns.map(([without, through]) => through.cpuUs - without.cpuUs));
}

const calls = {
  axiosRef: (client) => data(client.axiosRef.get(PATH)),
  HttpService: (client) => data(firstValueFrom(client.get(PATH))),
  fetch: async (client) => (await client.fetch(PATH)).json(),
};
const forUs = await costOfFor(byDefault);
console.log(`for() with known members: ${forUs.toFixed(2)} µs (at most ${LIMITS.forUs})\n`);
console.log(`| a call of ${CALLERS} callers | CPU µs without for() | CPU µs through it | ratio |`);
console.log('|---|---|---|---|');
const rows = [];
for (const [transport, pair] of Object.entries({ 'by default': byDefault, 'on undici': onUndici })) {
  const account = pair.for(TARGET);
  for (const [style, call] of Object.entries(calls)) {
    const clients = {
      pair: { call: () => call(pair), against: 'pair' },
      account: { call: () => call(account), against: 'pair' },
    };
    const [without, through] = await measureInTurns(clients, { callers: CALLERS, rounds, sliceMs: 100 });
    const figures = { pairUs: without.cpuUs, accountUs: through.cpuUs, cpuRatio: through.cpuRatio };
    rows.push(figures);
    const { pairUs, accountUs, cpuRatio } = figures;
    console.log(row([`${style} ${transport}`, pairUs.toFixed(0), accountUs.toFixed(0), cpuRatio.toFixed(3)]));
  }
}
await close();
server.close();
const isMissed = forUs > LIMITS.forUs || rows.some(({ cpuRatio }) => cpuRatio > LIMITS.cpuRatio);
process.exitCode = isMissed ? 1 : 0;
