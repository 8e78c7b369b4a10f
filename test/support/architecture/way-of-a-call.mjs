/**
 * Prints the files of `lib` of which a function runs for a warm call, and for a call that gets a 401, on each transport. V8
 * counts the calls of each function. The files of the simulator, which runs in the same process, are left out, and what the
 * simulator runs of other files. CONTRIBUTING.md has a sentence about each file (`test/nightly/http/way-of-a-call.spec.ts`).
 *
 *   npm run build && node test/support/architecture/way-of-a-call.mjs [--json]
 */
import 'reflect-metadata';
import { once } from 'node:events';
import https from 'node:https';
import { Session } from 'node:inspector/promises';
import { setTimeout as passed } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';

const COMPILED = new URL('../../../dist/compiled/', import.meta.url).href;
const { EasyHttpService, ProviderAuthModule } = await import(`${COMPILED}index.js`);
const { ProviderSimulator } = await import(`${COMPILED}testing/index.js`);
const { undiciTransport } = await import(`${COMPILED}undici/index.js`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** How often each function of `lib` runs during some work: its file and place, with the count. */
async function countsOf(work) {
  // Counts start again with each take, and what earlier calls left behind must be over.
  await passed(50);
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const counts = new Map();
  for (const { url, functions } of result) {
    const file = url.startsWith(COMPILED) ? url.slice(COMPILED.length).replace(/\.js$/, '.ts') : 'testing/';
    if (file.startsWith('testing/')) continue;
    for (const { ranges } of functions) counts.set(`${file} ${ranges[0].startOffset}`, ranges[0].count);
  }
  return counts;
}

async function filesOf(work, ofSimulator) {
  const counts = [...(await countsOf(work))].filter(
    ([place, count]) => count > (ofSimulator.get(place) ?? 0),
  );
  return [...new Set(counts.map(([place]) => place.split(' ')[0]))].toSorted((one, other) =>
    one.localeCompare(other),
  );
}

/** A call without the library. */
async function plainCall({ ca, tokenRequests, baseUrl }) {
  const headers = { authorization: `Bearer ${tokenRequests.at(-1).token}` };
  const request = https.get(`${baseUrl}/payments/1`, { ca, agent: false, headers });
  const [answer] = await once(request, 'response');
  await answer.resume().toArray();
}

/** Each kind of call is measured after all modules have run once. */
async function measure(transport) {
  const provider = await ProviderSimulator.start();
  const http = transport === 'undici' ? { transport: undiciTransport() } : {};
  const module = ProviderAuthModule.forRoot(provider.options({ http }));
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const call = () => app.get(EasyHttpService).axiosRef.get('/payments/1');
  await call();
  const { ca, tokenRequests } = provider;
  const ofSimulator = await countsOf(() =>
    plainCall({ ca, tokenRequests, baseUrl: provider.baseUrl('easy', 'sandbox') }),
  );
  const warm = await filesOf(call, ofSimulator);
  provider.api.next().unauthorized();
  const refused = await filesOf(call, ofSimulator);
  await app.close();
  await provider.close();
  return { warm, refused };
}

const ways = { default: await measure('default'), undici: await measure('undici') };
if (process.argv.includes('--json')) console.log(JSON.stringify(ways));
else
  for (const [transport, files] of Object.entries(ways))
    for (const [kind, list] of Object.entries(files))
      console.log(`${transport}, ${kind}: ${list.length} files\n  ${list.join('\n  ')}\n`);
