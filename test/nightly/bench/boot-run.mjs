/** One boot of an application with many definitions, in its own process. `boot.bench.mjs` starts it with `--expose-gc`. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { library } from './library.mjs';

const { defineProvider } = await library('esm/index.js');
const [count, way] = [Number(process.argv[2]), process.argv[3]];
const ENVIRONMENTS = ['test', 'live'];
const INTERFACES = ['stock', 'orders'];
const VARIABLES = {
  baseUrl: 'BASE_URL',
  tokenUrl: 'TOKEN_URL',
  clientId: 'CLIENT_ID',
  clientSecret: 'CLIENT_SECRET',
};

const names = Array.from({ length: count }, (_, index) => `partner${index}x`);
if (way === 'variables') for (const name of names) setVariables(name);
const imports = names.map((name) => {
  const { Module: Registered, config } = defineProvider({
    name,
    environments: ENVIRONMENTS,
    interfaces: { stock: { scope: 'stock.read' }, orders: {} },
  });
  return way === 'variables'
    ? Registered.forRootAsync(config.asProvider())
    : Registered.forRoot(optionsOf(name));
});
class Application {}
Module({ imports })(Application);

const before = heapKiB();
const [from, used] = [performance.now(), process.cpuUsage()];
const app = await NestFactory.createApplicationContext(Application, { logger: false });
const [ms, cpu] = [performance.now() - from, process.cpuUsage(used)];
const kib = heapKiB() - before;
process.stdout.write(
  JSON.stringify({
    ms,
    cpuMs: (cpu.user + cpu.system) / 1e3,
    kibOfPair: kib / (count * ENVIRONMENTS.length * INTERFACES.length),
  }),
);
await app.close();

function settingsOf(name, of, environment) {
  return {
    baseUrl: `https://api.${name}.example/${of}/${environment}`,
    tokenUrl: `https://login.${name}.example/${of}/${environment}`,
    clientId: `id-of-${name}-${of}-${environment}`,
    clientSecret: `secret-of-${name}-${of}-${environment}`,
  };
}

function optionsOf(name) {
  const environmentsOf = (of) =>
    Object.fromEntries(ENVIRONMENTS.map((environment) => [environment, settingsOf(name, of, environment)]));
  return {
    environment: 'test',
    interfaces: Object.fromEntries(INTERFACES.map((of) => [of, environmentsOf(of)])),
  };
}

function setVariables(name) {
  process.env[`${name}_environment`.toUpperCase()] = 'test';
  for (const of of INTERFACES)
    for (const environment of ENVIRONMENTS)
      for (const [member, value] of Object.entries(settingsOf(name, of, environment)))
        process.env[`${name}_${of}_${environment}_${VARIABLES[member]}`.toUpperCase()] = value;
}

function heapKiB() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024;
}
