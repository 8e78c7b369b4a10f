import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startSession } from '../../support/application/simulator-session.js';
import { SimulationHere } from '../../support/application/simulate.js';
import { ROOT } from '../../support/package/packed-package.js';

function newFolder(): string {
  const folder = join(ROOT, 'reports', `session-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a spec as a user of the package would, against the build. */
async function run(spec: string): Promise<string> {
  const folder = newFolder();
  writeFileSync(join(folder, 'session.spec.mjs'), spec);
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run', '--root', folder], {
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

async function specOf({ started }: SimulationHere): Promise<string> {
  return (await fetch(`${started['control']}/session.spec.ts`)).text();
}

it('B25: a recorded session is one spec, and it passes', async () => {
  const simulation = await SimulationHere.start();
  await simulation.control('load', { calls: 2 });
  await simulation.control('token', { for: ['originations', 'sandbox'], revokeAll: true });
  await simulation.control('api', { next: 1, status: 404 });
  await simulation.control('load', { calls: 1 });
  await simulation.control('token', { next: 1, unknown: 1 });
  const spec = await specOf(simulation);
  const body = spec.slice(spec.indexOf('};\n') + 3, spec.indexOf('await app.close'));
  expect(body.trim().split(/\n\s*/)).toEqual([
    "for (let count = 0; count < 2; count += 1) expect(await call('originations', 'sandbox', 'GET', '/test-call')).toBe(200);",
    'provider.token.for("originations", "sandbox").revokeAll();',
    'provider.api.next(1).status(404);',
    "expect(await call('originations', 'sandbox', 'GET', '/test-call')).toBe(404);",
  ]);
  const plain = spec.replaceAll(/: (any|string)/g, '');
  expect(await run(plain)).toMatch(/Tests {2}1 passed/);
  expect(await run(plain.replace('toBe(404)', 'toBe(200)'))).toMatch(/Tests {2}1 failed/);
});

it('B25 B24: a recorded session of your own definition is one spec, and it passes', async () => {
  const file = join(newFolder(), 'stock.mjs');
  writeFileSync(
    file,
    `import { defineProvider } from 'nestjs-provider-auth';
     export const stock = defineProvider({
       name: 'stock',
       environments: ['test'],
       interfaces: { items: { scope: 'items.read', clientAuth: 'private_key_jwt', refusedWith: [403] } },
     });`,
  );
  const simulation = await SimulationHere.start(['--provider', file]);
  await simulation.control('load', { calls: 1 });
  await simulation.control('token', { for: ['items', 'test'], revokeAll: true });
  await simulation.control('load', { calls: 1 });
  const spec = await specOf(simulation);
  expect(spec).toContain("expect(await call('items', 'test', 'GET', '/test-call')).toBe(200);");
  expect(spec).not.toContain('ProviderAuthModule');
  const plain = spec.replaceAll(/: (any|string)(\[\])?| as any/g, '');
  expect(await run(plain)).toMatch(/Tests {2}1 passed/);
});

const SOON = { timeout: 25_000, interval: 50 };

const plainOf = (spec: string): string => spec.replaceAll(/: (any|string)(\[\])?| as any/g, '');

it('B25: a fault that was taken back is over in the recorded session, and the others keep their numbers', async () => {
  const simulation = await SimulationHere.start();
  const { control } = simulation.started;
  const statusOf = async (): Promise<{
    armed: { id: number; code: string }[];
    requests: { ok: boolean }[];
  }> => (await fetch(`${control}/state`)).json() as never;
  const call = () => simulation.control('load', { calls: 1 });
  const takeBack = async (fault: string) => {
    const { id } = (await statusOf()).armed.find(({ code }) => code === fault) ?? {};
    return simulation.control('simulator', { takeBack: id });
  };
  await call();
  await simulation.control('api', { next: 3, status: 404 });
  await call();
  await simulation.control('token', { status: 503 });
  await simulation.control('token', { revokeAll: true });
  await takeBack('api.next(3).status(404)');
  await simulation.control('api', { next: 1, status: 404 });
  await call();
  await call();
  await takeBack('token.status(503)');
  // The client pauses after its failed token request.
  await expect.poll(async () => (await call(), (await statusOf()).requests.at(-1)?.ok), SOON).toBe(true);
  const spec = await specOf(simulation);
  expect(spec).toContain('  provider.reset();\n  provider.token.status(503);\n');
  expect(spec).toMatch(/await call\('originations', 'sandbox', 'GET', '\/test-call'\); \/\/ token revoked\n/);
  expect(spec).toContain('  provider.reset();\n  provider.api.next(1).status(404);\n');
  expect(await run(plainOf(spec))).toMatch(/Tests {2}1 passed/);
});

it('B25: the session after a new session has all its calls', async () => {
  const simulation = await SimulationHere.start();
  await simulation.control('load', { calls: 1 });
  await simulation.control('simulator', { newSession: true });
  await simulation.control('api', { next: 3, status: 404 });
  await simulation.control('load', { calls: 2 });
  const spec = await specOf(simulation);
  expect(spec).toContain('  provider.api.next(3).status(404);\n  for (let count = 0; count < 2;');
  expect(spec).not.toContain('no longer known');
  expect(await run(plainOf(spec))).toMatch(/Tests {2}1 passed/);
});

it('B25: if the first calls are no longer known, each fault has the number that it had after them', async () => {
  const simulation = await SimulationHere.start();
  await simulation.control('api', { next: 50, status: 500 });
  await simulation.control('api', { next: 610, status: 404 });
  // 499 of the 404s are known, and one call after them.
  await simulation.control('load', { calls: 661 });
  const spec = await specOf(simulation);
  expect(spec).toContain('behaves as in the last 500 requests of the recorded session');
  expect(spec).toContain(
    '  // The calls before are no longer known.\n  provider.reset();\n  provider.api.next(499).status(404);\n  for (let count = 0; count < 499;',
  );
  expect(await run(plainOf(spec))).toMatch(/Tests {2}1 passed/);
});

it('B25: a rotated secret is part of the recorded session, and it passes', async () => {
  const { session, load } = await startSession();
  await session.load.control({ scenario: 'rotated' });
  await expect.poll(() => load().callers, SOON).toBe(0);
  const spec = await (await fetch(`${session.control.address}/session.spec.ts`)).text();
  const rotations = spec.match(/ {2}provider\.rotateSecret\("originations", "sandbox"\);\n/g);
  // The secret of the settings comes back.
  expect(rotations).toHaveLength(2);
  expect(await run(plainOf(spec))).toMatch(/Tests {2}1 passed/);
});
