/**
 * Calls two providers with random faults, on axios and on undici, and checks whether the faults allow the outcome of
 * each call. Ends with 1 if a fault does not allow an outcome, or if memory or sockets grow.
 *
 *   npm run soak                                 ten minutes
 *   npm run soak -- --seconds 60 --seed 42       one minute with a given seed
 */
import { parseArgs } from 'node:util';
import { Soak } from './soak.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    rate: { type: 'string', default: '100' },
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
process.exitCode = report.wrong.length === 0 ? 0 : 1;
