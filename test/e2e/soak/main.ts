/**
 * Calls two providers with random faults, on axios and on undici, and checks whether the faults allow the outcome of
 * each call. Ends with 1 if a fault does not allow an outcome, or if memory or sockets grow.
 *
 * Then it compares the two paths of calls (B17).
 *
 *   npm run soak                                 ten minutes, then 100,000 pairs
 *   npm run soak -- --seconds 60 --seed 42       one minute with a given seed
 *   npm run soak -- --pairs 0                    without the pairs
 */
import { parseArgs } from 'node:util';
import { comparePaths } from '../express/compare-paths.js';
import { Soak } from './soak.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    rate: { type: 'string', default: '100' },
    pairs: { type: 'string', default: '100000' },
  },
});
const plan = {
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  callsPerSecond: Number(values.rate),
};
console.log(`Soaking for ${plan.seconds} s with seed ${plan.seed} …`);
const report = await new Soak(plan).run();
report.conclude();
console.log(`\n${report.toString()}`);
const pairs = Number(values.pairs);
const { seed } = plan;
const differences =
  pairs === 0 ? 0 : await comparePaths({ pairs, seed, transports: ['axios', 'undici'], mostFindings: 10 });
process.exitCode = report.wrong.length + differences === 0 ? 0 : 1;
