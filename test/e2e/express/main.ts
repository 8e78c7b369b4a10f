/**
 * Makes random calls on the express path and on the general path, and compares the outcomes (B17). Ends with 1 if two
 * outcomes differ. `npm run soak` does the same after its own run.
 *
 *   npm run soak:pairs                               100,000 pairs with a random seed
 *   npm run soak:pairs -- --pairs 1000 --seed 42     fewer pairs with a given seed
 *   npm run soak:pairs -- --transport undici         with one transport
 *   npm run soak:pairs -- --kinds                    also how often each kind of pair occurred, and took the express path
 */
import { parseArgs } from 'node:util';
import type { TransportName } from './clients.js';
import { comparePaths } from './compare-paths.js';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    transport: { type: 'string', multiple: true, default: ['axios', 'undici'] },
    findings: { type: 'string', default: '10' },
    kinds: { type: 'boolean', default: false },
  },
});

const found = await comparePaths({
  pairs: Number(values.pairs),
  seed: Number(values.seed),
  transports: values.transport as TransportName[],
  mostFindings: Number(values.findings),
  printsKinds: values.kinds,
});
process.exitCode = found === 0 ? 0 : 1;
