/**
 * Runs what takes too long for `npm test`, part by part, and ends with `N passed, N failed`. A part without tests counts as one. The exit
 * code is 1 if anything failed.
 *
 *   npm run nightly                   all parts, in about two hours without `mutate`
 *   npm run nightly -- specs redis    these parts
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

interface Step {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs specs of `npm test` again. `test/support` and a few specs read the variable. */
function again(variable: string, value: string, specs: string): Step {
  const projects = 'unit rules fleet nightly nightly-fleet'.split(' ').map((name) => `--project ${name}`);
  return { command: `npx vitest run ${projects.join(' ')} ${specs}`, env: { [variable]: value } };
}

const { version: lowestAxios } = createRequire(import.meta.url)('axios-lowest/package.json') as {
  version: string;
};

const RANDOM = [
  ...['accounts-interleavings', 'objects-of-callers', 'outage-figures'].map(
    (name) => `test/unit/token/${name}.spec.ts`,
  ),
  'test/unit/http/many-accounts.spec.ts',
  'test/unit/config/random-options.spec.ts',
  'test/rules/http/accounts.spec.ts',
  'test/rules/operations/breakages.spec.ts',
  'test/rules/hostile/api-closing.spec.ts',
].join(' ');

const ON_LOWEST_AXIOS = [
  ...['api-redirects', 'api-addresses', 'api-changed-requests', 'api-detours'].map(
    (name) => `test/rules/hostile/${name}`,
  ),
  ...['redirects', 'same-as-axios', 'short-way'].map((name) => `test/rules/http/${name}`),
  ...['connections', 'proxies'].map((name) => `test/rules/tls/${name}`),
  'test/models/',
].join(' ');

const ON_EACH_CLIENT = 'test/fleet/entries test/nightly/fleet/redis-trouble';
const CLIENTS = ['ioredis 5', 'iovalkey', 'node-redis 6', 'node-redis 5', 'node-redis 6, pool', 'a function'];

const PARTS: Readonly<Record<string, readonly Step[]>> = {
  specs: [{ command: "npx vitest run --project 'nightly*'" }],
  random: [
    again('TEST_TIMES', '20', RANDOM),
    again('TEST_TIMES', '50', 'test/models/short-way.spec.ts --testTimeout 3600000'),
    again('TEST_TIMES', '100', 'test/unit/token/fleet/random-schedules.spec.ts'),
  ],
  transports: [again('TEST_AXIOS', lowestAxios, ON_LOWEST_AXIOS)],
  redis: [
    ...CLIENTS.map((client) => again('TEST_REDIS_CLIENT', client, ON_EACH_CLIENT)),
    again('TEST_REDIS_CLIENTS', 'every', 'test/fleet/conformance test/fleet/clients test/fleet/acl'),
    again('TEST_REDIS_SERVER', 'valkey-server', `test/fleet/clients ${ON_EACH_CLIENT}`),
  ],
  planted: [{ command: 'node --import ./test/support/run/register-source.mjs test/nightly/planted.ts' }],
  matrix: [{ command: 'npm run test:matrix --ignore-scripts' }],
  soak: [{ command: 'npm run soak' }],
  bench: [{ command: 'npm run bench' }],
  mutate: [{ command: 'npm run mutate -- --daily' }],
};

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** What the last line of the output counts, or the command itself. A command that failed has at least one failure. */
async function run({ command, env }: Step): Promise<Counts> {
  const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}='${value}' `);
  console.log(`\n$ ${variables.join('')}${command}`);
  const child = spawn(command, {
    shell: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output = (output + text).slice(-10_000);
  });
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1) ?? [];
  if (passed === undefined) return { passed: Number(code === 0), failed: Number(code !== 0) };
  return { passed: Number(passed), failed: Math.max(Number(failed), Number(code !== 0)) };
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in PARTS));
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.`);

const rows: (Counts & { readonly part: string; readonly minutes: string })[] = [];
for (const [part, steps] of Object.entries(PARTS).filter(
  ([name]) => named.length === 0 || named.includes(name),
)) {
  const from = performance.now();
  let [passed, failed] = [0, 0];
  for (const step of steps) {
    const counts = await run(step);
    [passed, failed] = [passed + counts.passed, failed + counts.failed];
  }
  rows.push({ part, passed, failed, minutes: ((performance.now() - from) / 60_000).toFixed(1) });
}
console.log('\n| part | passed | failed | minutes |\n| --- | --: | --: | --: |');
for (const { part, passed, failed, minutes } of rows)
  console.log(`| ${part} | ${passed} | ${failed} | ${minutes} |`);
const sum = (kind: keyof Counts): number => rows.reduce((total, row) => total + row[kind], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
