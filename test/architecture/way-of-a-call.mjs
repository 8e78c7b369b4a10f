/**
 * Shows the way of one call to the wire: the files of which a function runs, for a warm call, for a cold call and for a call
 * that gets a 401, on each transport. It counts the files of `lib`, and all files with those of axios and undici: a sender in
 * `lib` may replace files of a library. The way must stay short, so that a reader can follow it. Ends with 1 if a warm call
 * runs functions of more files than its limit. V8 counts the calls of each function; `testing/` is left out, because the
 * simulator runs in the same process.
 *
 *   node test/architecture/way-of-a-call.mjs [folder of the build]
 */
import 'reflect-metadata';
import { once } from 'node:events';
import https from 'node:https';
import { Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';

/** The most files that a warm call may run: of `lib`, and with the files of the libraries. */
const LIMITS = { axios: { own: 27, all: 31 }, undici: { own: 24, all: 38 } };

const LIBRARY = /\/node_modules\/((axios|@nestjs\/axios|follow-redirects|proxy-from-env|undici)\/.*)/;

const [dist = 'dist'] = process.argv.slice(2);
const root = pathToFileURL(`${resolve(dist, 'compiled')}/`).href;
const { EasyHttpService, getTokenProviderToken, ProviderAuthModule } = await import(`${root}index.js`);
const { ProviderSimulator } = await import(`${root}testing/index.js`);
const { undiciTransport } = await import(`${root}undici/index.js`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** How often each function runs during some work, by file and by the place of the function. */
async function countsOf(work) {
  // Counts start again with each take, and what earlier calls left behind must be over.
  await setTimeout(50);
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const counts = new Map();
  for (const { url, functions } of result) {
    const file = url.startsWith(root) ? url.slice(root.length) : LIBRARY.exec(url)?.[0];
    if (file === undefined || file.startsWith('testing/')) continue;
    const called = functions.flatMap(({ ranges: [range] }) =>
      range ? [[range.startOffset, range.count]] : [],
    );
    counts.set(file.replace(/\.js$/, '.ts'), new Map(called));
  }
  return counts;
}

/** The files of which functions run during some work, and how many functions of each, without what the simulator runs for it. */
async function filesOf(work, ofSimulator) {
  const files = new Map();
  for (const [file, counts] of await countsOf(work)) {
    const others = ofSimulator.get(file);
    const called = [...counts].filter(([place, count]) => count > (others?.get(place) ?? 0)).length;
    if (called > 0) files.set(file, called);
  }
  return files;
}

/** A call without the library. */
async function plainCall(provider, token) {
  const { ca } = provider;
  const address = `${provider.baseUrl('easy', 'sandbox')}/payments/1`;
  const request = https.get(address, { ca, agent: false, headers: { authorization: `Bearer ${token}` } });
  const [answer] = await once(request, 'response');
  await answer.resume().toArray();
}

/** An application on one transport; each kind of call is measured after all modules have run once. */
async function measure(transport) {
  const provider = await ProviderSimulator.start();
  const http = transport === 'undici' ? { transport: undiciTransport({ connect: { ca: provider.ca } }) } : {};
  const app = await NestFactory.createApplicationContext(
    ProviderAuthModule.forRoot(provider.options({ http })),
    { logger: false },
  );
  const easy = app.get(EasyHttpService);
  const tokens = app.get(getTokenProviderToken('easy'));
  const call = () => firstValueFrom(easy.get('/payments/1'));
  const ways = new Map();
  ways.set('cold', await filesOf(call, new Map()));
  const token = (await tokens.getToken()).reveal();
  const ofSimulator = await countsOf(() => plainCall(provider, token));
  ways.set('warm', await filesOf(call, ofSimulator));
  provider.api.next().unauthorized();
  ways.set('401', await filesOf(call, ofSimulator));
  await app.close();
  await provider.close();
  return ways;
}

const report = [];
for (const transport of Object.keys(LIMITS)) {
  for (const [kind, files] of await measure(transport)) {
    const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
    const own = [...files.keys()].filter((file) => !LIBRARY.test(file));
    report.push({ transport, kind, files, own, functions });
  }
}

console.log('| transport | call | files of lib | all files | functions |');
console.log('|---|---|---|---|---|');
for (const { transport, kind, files, own, functions } of report) {
  console.log(`| ${transport} | ${kind} | ${own.length} | ${files.size} | ${functions} |`);
}
for (const { transport, kind, files, own } of report) {
  console.log(`\n${transport}, ${kind}:`);
  for (const file of [...files.keys()].toSorted((one, other) => one.localeCompare(other)))
    console.log(`  ${file} (${files.get(file)})`);
  const limit = LIMITS[transport];
  if (kind === 'warm' && (own.length > limit.own || files.size > limit.all)) {
    console.log(`  ${own.length} and ${files.size} files are more than ${limit.own} and ${limit.all}.`);
    process.exitCode = 1;
  }
}
console.log(`\nMeasured in ${fileURLToPath(root)} with Node ${process.versions.node}.`);
