/**
 * Makes random calls on two sides, and compares the outcomes (B17). The sides are the general path and the express path, or
 * another build and the sources of this checkout. Ends with 1 if two outcomes differ. `npm run soak` compares the paths too,
 * after its own run.
 *
 *   npm run soak:pairs                               100,000 pairs of both paths, with a random seed
 *   npm run soak:pairs -- --against ../before        100,000 pairs of both builds for each transport and each axios, and as
 *                                                    many pairs of `fetch`. CONTRIBUTING says how to make the other build
 *   npm run soak:pairs -- --pairs 1000 --seed 42     fewer pairs with a given seed
 *   npm run soak:pairs -- --fetch-pairs 100          fewer pairs of `fetch`
 *   npm run soak:pairs -- --transport undici         with one transport
 *   npm run soak:pairs -- --axios lowest             with one axios: the lowest of our range, or the newest
 *   npm run soak:pairs -- --no-shrink                shows pairs of two builds as they were made, which is quicker
 *   npm run soak:pairs -- --kinds                    also how often each kind of pair of both paths occurred
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compiledIn } from './build-folder.js';
import type { TransportName } from './clients.js';
import type { BuildRow } from './compare-builds.js';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    axios: { type: 'string' },
    pairs: { type: 'string', default: '100000' },
    'fetch-pairs': { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    transport: { type: 'string', multiple: true, default: ['axios', 'undici'] },
    findings: { type: 'string', default: '10' },
    'no-shrink': { type: 'boolean', default: false },
    kinds: { type: 'boolean', default: false },
  },
});

/** The names under which `package.json` installs axios. */
const INSTALLED_AXIOS: Readonly<Record<string, string>> = { newest: 'axios', lowest: 'axios-lowest' };

const { against, axios = against === undefined ? 'newest' : 'both', 'fetch-pairs': fetchPairs } = values;
const settings = {
  pairs: Number(values.pairs),
  seed: Number(values.seed),
  transports: values.transport.map(transportCalled),
  mostFindings: Number(values.findings),
};
const rows = axios === 'both' ? await comparedInProcesses() : await comparedHere(axios);
if (process.send) process.send(rows);
if (rows.some(({ differences }) => differences > 0)) process.exitCode = 1;

/** A process imports only one axios, so each axios has its own process. They run at the same time. */
async function comparedInProcesses(): Promise<BuildRow[]> {
  return (await Promise.all(Object.keys(INSTALLED_AXIOS).map(comparedInProcess))).flat();
}

async function comparedInProcess(axiosName: string): Promise<BuildRow[]> {
  // The last value of an option counts.
  const argv = [...process.argv.slice(2), '--axios', axiosName, '--seed', values.seed];
  const child = fork(fileURLToPath(import.meta.url), argv);
  const sent: BuildRow[] = [];
  child.on('message', (ofChild) => sent.push(...(ofChild as BuildRow[])));
  await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  process.exitCode ||= child.exitCode ?? 1;
  return sent;
}

async function comparedHere(axiosName: string): Promise<BuildRow[]> {
  const installed = INSTALLED_AXIOS[axiosName];
  if (installed === undefined) throw new Error('--axios is lowest, newest or both.');
  // Before anything that imports axios or the library.
  const folder = against && pathToFileURL(`${compiledIn(against)}/`).href;
  register('./build-hooks.mjs', import.meta.url, { data: { folder, axios: installed } });
  if (against === undefined) {
    const { comparePaths } = await import('./compare-paths.js');
    const differences = await comparePaths({ ...settings, printsKinds: values.kinds });
    process.exitCode = differences > 0 ? 1 : 0;
    return [];
  }
  const { compareBuilds } = await import('./compare-builds.js');
  const shrinkingMs = values['no-shrink'] ? 0 : undefined;
  return compareBuilds({ ...settings, against, fetchPairs: Number(fetchPairs ?? values.pairs), shrinkingMs });
}

function transportCalled(name: string): TransportName {
  if (name === 'axios' || name === 'undici') return name;
  throw new Error('--transport is axios or undici.');
}
