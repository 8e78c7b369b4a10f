/**
 * B14: what importing `.` adds to an application that loads @nestjs/axios anyway. Fresh processes in turns, each telling how
 * long its own import took; medians.
 *
 * The limit cannot hold by the letter where @nestjs/config is not loaded either: `providerAuthConfig` is made by its
 * `registerAs`, and loading it takes longer than that by itself. So it is held against what is ours: ends with 1 when
 * `.` adds more to an application that has both. The other rows tell what is paid by one that has less, and what the first
 * boot loads besides.
 *
 *   node test/bench/import.bench.mjs [pairs]
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median, pairedSlices, row } from './paired-slices.mjs';

const LIMIT_MS = 25;
const [pairs = '15'] = process.argv.slice(2);
const AXIOS = ['reflect-metadata', '@nestjs/common', '@nestjs/core', '@nestjs/axios'];
const CONFIG = [...AXIOS, '@nestjs/config'];
const esm = `await import(${JSON.stringify(pathToFileURL(resolve('dist/esm/index.js')).href)});`;
const cjs = `require(${JSON.stringify(resolve('dist/cjs/index.js'))});`;
const ways = [
  ['`import`, beside @nestjs/axios and @nestjs/config', importing(CONFIG), esm, true],
  ['`import`, beside @nestjs/axios', importing(AXIOS), esm, false],
  ['@nestjs/config, beside @nestjs/axios', importing(AXIOS), `await import('@nestjs/config');`, false],
  ['class-validator, at boot', importing(CONFIG), `await import('class-validator');`, false],
  ['`require` of the CommonJS build, beside both', requiring(CONFIG), cjs, true],
];

console.log('| loading | without ms | with ms | added ms | added CPU ms |');
console.log('|---|---|---|---|---|');
for (const [name, program, ours, isLimited] of ways) {
  const slice = (code) => () => told(program(code));
  const measured = await pairedSlices((run) => run(), slice(''), slice(ours), Number(pairs), 1);
  const of = (value) => median(measured.map(value));
  const wall = of(([without, having]) => having.wallMs - without.wallMs);
  const cpu = of(([without, having]) => having.cpuMs - without.cpuMs);
  const [without, having] = [of(([one]) => one.wallMs), of(([, other]) => other.wallMs)];
  console.log(row([name, without.toFixed(0), having.toFixed(0), wall.toFixed(1), cpu.toFixed(1)]));
  // A process that has to wait for others takes longer; its CPU time tells whose time it was.
  if (isLimited && Math.min(wall, cpu) > LIMIT_MS) process.exitCode = 1;
}

function importing(names) {
  const loads = names.map((name) => `await import('${name}');`).join('');
  return (ours) => ['--input-type=module', '--eval', timed(loads + ours)];
}

function requiring(names) {
  const loads = names.map((name) => `require('${name}');`).join('');
  return (ours) => ['--input-type=commonjs', '--eval', timed(loads + ours)];
}

function timed(code) {
  const figures =
    'JSON.stringify({ wallMs: performance.now() - from, cpuMs: (used.user + used.system) / 1e3 })';
  return `const [from, cpu] = [performance.now(), process.cpuUsage()];${code};const used = process.cpuUsage(cpu);process.stdout.write(${figures});`;
}

function told(args) {
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}
