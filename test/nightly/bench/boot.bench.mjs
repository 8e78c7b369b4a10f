/**
 * B31: the boot of an application with many definitions. Each definition has two interfaces with two environments. Each
 * measurement is one boot in a new process. It prints medians. Ends with 1 if 400 definitions boot too slowly or need too
 * much memory.
 *
 * `--rounds` sets the number of rounds.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, row } from './paired-slices.mjs';

const LIMITS = { definitions: 400, mostMs: 1_500, mostKib: 25 };
const RUN = fileURLToPath(new URL('boot-run.mjs', import.meta.url));
const { values: wanted } = parseArgs({
  options: { rounds: { type: 'string', default: '5' } },
});

const cases = ['code', 'variables'].flatMap((way) =>
  [100, LIMITS.definitions].map((definitions) => ({ way, definitions, taken: [] })),
);
for (let round = 0; round < Number(wanted.rounds); round += 1)
  for (const { way, definitions, taken } of cases)
    taken.push(
      JSON.parse(
        execFileSync(process.execPath, ['--expose-gc', RUN, String(definitions), way], { encoding: 'utf8' }),
      ),
    );

console.log('| options | definitions | ms | CPU ms | KiB for each pair |');
console.log('|---|---|---|---|---|');
const rows = cases.map(({ way, definitions, taken }) => {
  const of = (value) => median(taken.map(value));
  return {
    way,
    definitions,
    ms: of(({ ms }) => ms),
    cpuMs: of(({ cpuMs }) => cpuMs),
    kibOfPair: of(({ kibOfPair }) => kibOfPair),
  };
});
for (const { way, definitions, ms, cpuMs, kibOfPair } of rows) {
  console.log(row([way, definitions, ms.toFixed(0), cpuMs.toFixed(0), kibOfPair.toFixed(1)]));
  // On a busy machine a process waits for others, so its wall time is longer. Its CPU time contains other threads, such as garbage collection.
  const isMissed = Math.min(ms, cpuMs) > LIMITS.mostMs || kibOfPair > LIMITS.mostKib;
  if (definitions === LIMITS.definitions && isMissed) process.exitCode = 1;
}
