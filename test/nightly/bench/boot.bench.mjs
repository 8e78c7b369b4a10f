/**
 * B31: the boot of an application with many definitions, each with two interfaces in two environments. A boot has its own process. Prints
 * medians, and ends with 1 if 400 definitions boot too slowly or need too much memory.
 */
import { execFileSync } from 'node:child_process';
import { NestFactory } from '@nestjs/core';
import { library } from './library.mjs';
import { median, row } from './paired-slices.mjs';

const LIMITS = { definitions: 400, mostMs: 1_500, mostKib: 25 };
const PAIRS = ['stock', 'orders'].flatMap((of) => ['test', 'live'].map((environment) => [of, environment]));

const [, file, ...ofBoot] = process.argv;
if (ofBoot.length === 0) measure();
else await boot(Number(ofBoot[0]), ofBoot[1]);

function measure() {
  const cases = ['code', 'variables'].flatMap((from) =>
    [100, LIMITS.definitions].map((definitions) => ({ from, definitions, boots: [] })),
  );
  for (let round = 0; round < 5; round += 1)
    for (const { from, definitions, boots } of cases) {
      const command = ['--expose-gc', file, String(definitions), from];
      boots.push(JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })));
    }
  console.log(row(['options from', 'definitions', 'ms', 'CPU ms', 'KiB for each pair']));
  console.log(row(['---', '---:', '---:', '---:', '---:']));
  for (const { from, definitions, boots } of cases) {
    const [ms, cpuMs, kib] = ['ms', 'cpuMs', 'kibOfPair'].map((name) =>
      median(boots.map((one) => one[name])),
    );
    console.log(row([from, definitions, ms.toFixed(0), cpuMs.toFixed(0), kib.toFixed(1)]));
    // On a busy machine a process waits for others, so its wall time is longer. Its CPU time has other threads, such as the collector.
    const isMissed = Math.min(ms, cpuMs) > LIMITS.mostMs || kib > LIMITS.mostKib;
    if (definitions === LIMITS.definitions && isMissed) process.exitCode = 1;
  }
}

async function boot(count, way) {
  const { defineProvider } = await library('esm/index.js');
  const names = Array.from({ length: count }, (_, index) => `partner${index}x`);
  if (way === 'variables') for (const name of names) setVariables(name);
  const imports = names.map((name) => {
    const interfaces = { stock: { scope: 'stock.read' }, orders: {} };
    const { Module: One, config } = defineProvider({ name, environments: ['test', 'live'], interfaces });
    return way === 'variables' ? One.forRootAsync(config.asProvider()) : One.forRoot(optionsOf(name));
  });
  const application = { module: class {}, imports };
  const before = heapKiB();
  const [from, used] = [performance.now(), process.cpuUsage()];
  const app = await NestFactory.createApplicationContext(application, { logger: false });
  const [ms, { user, system }] = [performance.now() - from, process.cpuUsage(used)];
  const kibOfPair = (heapKiB() - before) / (count * PAIRS.length);
  process.stdout.write(JSON.stringify({ ms, cpuMs: (user + system) / 1e3, kibOfPair }));
  await app.close();
}

function settingsOf(name, of, environment) {
  const id = `${name}-${of}-${environment}`;
  const url = `https://${name}.example/${of}/${environment}`;
  return {
    baseUrl: `${url}/api`,
    tokenUrl: `${url}/token`,
    clientId: `id-of-${id}`,
    clientSecret: `secret-of-${id}`,
  };
}

function optionsOf(name) {
  const interfaces = { stock: {}, orders: {} };
  for (const [of, environment] of PAIRS) interfaces[of][environment] = settingsOf(name, of, environment);
  return { environment: 'test', interfaces };
}

function setVariables(name) {
  process.env[`${name}_environment`.toUpperCase()] = 'test';
  for (const [of, environment] of PAIRS)
    for (const [member, value] of Object.entries(settingsOf(name, of, environment))) {
      const words = member.replace(/[A-Z]/, '_$&');
      process.env[`${name}_${of}_${environment}_${words}`.toUpperCase()] = value;
    }
}

function heapKiB() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024;
}
