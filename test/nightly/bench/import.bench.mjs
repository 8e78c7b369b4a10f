/**
 * B14: the time that importing `.` adds to an application that has loaded @nestjs/axios. Each measurement runs in a new
 * process, which first loads the other packages and then measures one import. It prints medians.
 *
 * The limit applies to an application that has also loaded @nestjs/config, because importing @nestjs/config alone takes
 * longer than the limit. `providerAuthConfig` needs its `registerAs`. Ends with 1 if `.` adds more than the limit. The other
 * rows show the import together with @nestjs/config, and class-validator, which is loaded at the first boot.
 *
 * `--rounds` sets the number of rounds.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median, row } from './paired-slices.mjs';

const LIMIT_MS = 25;
const { values: wanted } = parseArgs({
  options: { rounds: { type: 'string', default: '15' } },
});
const AXIOS = ['reflect-metadata', '@nestjs/common', '@nestjs/core', '@nestjs/axios'];
const CONFIG = [...AXIOS, '@nestjs/config'];
/** Jest loads CommonJS builds. A CommonJS @nestjs/axios has then loaded the CommonJS build of axios, so it comes first here. */
const COMMON_JS = [...CONFIG, 'axios'];
const OURS = 'nestjs-provider-auth';
const ways = [
  { name: 'this package, with `import`', after: CONFIG, loads: importing, target: OURS, isLimited: true },
  { name: 'this package, with `require`', after: CONFIG, loads: requiring, target: OURS, isLimited: true },
  {
    name: 'this package, its CommonJS build',
    after: COMMON_JS,
    loads: requiring,
    target: resolve('dist/cjs/index.js'),
    isLimited: true,
  },
  { name: 'this package and @nestjs/config, with `import`', after: AXIOS, loads: importing, target: OURS },
  { name: '@nestjs/config alone', after: AXIOS, loads: importing, target: '@nestjs/config' },
  { name: 'class-validator, at boot', after: CONFIG, loads: importing, target: 'class-validator' },
];

const taken = ways.map(() => []);
for (let round = 0; round < Number(wanted.rounds); round += 1)
  for (const [index, { after, loads, target }] of ways.entries())
    taken[index].push(measure(loads(after, target)));

console.log('| loading | ms | CPU ms |');
console.log('|---|---|---|');
for (const [index, { name, isLimited = false }] of ways.entries()) {
  const of = (value) => median(taken[index].map(value));
  const [wall, cpu] = [of(({ wallMs }) => wallMs), of(({ cpuMs }) => cpuMs)];
  console.log(row([name, wall.toFixed(1), cpu.toFixed(1)]));
  // On a busy machine a process waits for others, so its wall time is longer. Its CPU time does not contain this wait.
  if (isLimited && Math.min(wall, cpu) > LIMIT_MS) process.exitCode = 1;
}

function importing(before, target) {
  const all = before.map((name) => `await import('${name}');`).join('');
  return ['--input-type=module', '--eval', all + timed(`await import(${JSON.stringify(target)});`)];
}

function requiring(before, target) {
  const all = before.map((name) => `require('${name}');`).join('');
  return ['--input-type=commonjs', '--eval', all + timed(`require(${JSON.stringify(target)});`)];
}

function timed(code) {
  const figures =
    'JSON.stringify({ wallMs: performance.now() - from, cpuMs: (used.user + used.system) / 1e3 })';
  return `const [from, cpu] = [performance.now(), process.cpuUsage()];${code};const used = process.cpuUsage(cpu);process.stdout.write(${figures});`;
}

function measure(args) {
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}
