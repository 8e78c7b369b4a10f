import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { type CommandResult, runNode } from '../support/run/run-command.js';

/** Files that break a rule: the rule, the importing file, and the imported file. */
const VIOLATIONS = [
  { rule: 'floor-catalogue', from: 'catalogue/planted-a.ts', to: 'token/planted-a.ts' },
  { rule: 'floor-errors', from: 'errors/planted-b.ts', to: 'config/planted-b.ts' },
  { rule: 'floor-token', from: 'token/planted-c.ts', to: 'planted-c.ts' },
  { rule: 'floor-http', from: 'http/planted-d.ts', to: 'testing/planted-d.ts' },
  { rule: 'entry-terminus', from: 'terminus/planted-e.ts', to: 'opentelemetry/planted-e.ts' },
  { rule: 'main-entry', from: 'planted-f.ts', to: 'redis/planted-f.ts' },
  { rule: 'wing-config/options', from: 'config/options/planted-g.ts', to: 'config/rules/planted-g.ts' },
  { rule: 'wing-config/process-env', from: 'config/process-env/planted-h.ts', to: 'config/planted-h.ts' },
  { rule: 'wing-http/redaction', from: 'http/redaction/planted-j.ts', to: 'http/adapter/planted-j.ts' },
  { rule: 'wing-http/adapter', from: 'http/adapter/planted-k.ts', to: 'http/planted-k.ts' },
  { rule: 'wing-undici/request', from: 'undici/request/planted-m.ts', to: 'undici/planted-m.ts' },
  { rule: 'wing-undici/pool', from: 'undici/pool/planted-n.ts', to: 'undici/request/planted-n.ts' },
  { rule: 'entrance-undici/request', from: 'undici/planted-l.ts', to: 'undici/request/planted-l.ts' },
  { rule: 'every-wing-is-listed', from: 'config/more/planted-i.ts', to: 'config/rules/planted-i.ts' },
] as const;

const CIRCLE = ['token/planted-one.ts', 'token/planted-two.ts', 'token/planted-three.ts'] as const;

let planted: CommandResult;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await cp(join(ROOT, 'lib'), join(directory.path, 'lib'), { recursive: true });
  await cp(join(ROOT, 'tsconfig.json'), join(directory.path, 'tsconfig.json'));
  await symlink(join(ROOT, 'node_modules'), join(directory.path, 'node_modules'));
  for (const { from, to } of VIOLATIONS) {
    await plant(from, to);
    await plant(to, 'time/clock.ts');
  }
  for (const [index, from] of CIRCLE.entries())
    await plant(from, CIRCLE[(index + 1) % CIRCLE.length] ?? from);
  await plant('config/planted-door.ts', 'index.ts');
  await plant('utils/planted-folder.ts', 'time/clock.ts');
  await write('time/planted-orphan.ts', 'export const forgotten = 1;');
  await write('http/planted-validator.ts', `export { IsString } from 'class-validator';`);
  planted = await checkFloors(directory.path);
}, 120_000);

afterAll(() => directory.remove());

describe('the floors of lib', () => {
  it('stand in CONTRIBUTING.md in the same order', async () => {
    const { forbidden }: { forbidden: { name: string }[] } = createRequire(import.meta.url)(
      '../architecture/floors.cjs',
    );
    const floors = forbidden.flatMap(({ name }) => /^floor-(.*)/.exec(name)?.[1] ?? []);
    const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [, table = ''] = /\| floor .*\n\|[ |-]*\n((?:\|.*\n)*)/.exec(page) ?? [];
    expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(floors);
  });

  it('have no violation now', async () => {
    const result = await checkFloors(ROOT);
    expect(result.output).toContain('no dependency violations found');
    expect(result.code).toBe(0);
  });

  it.each(VIOLATIONS)('$rule: names both files when lib/$from imports lib/$to', ({ rule, from, to }) => {
    expect(planted.code).not.toBe(0);
    expect(planted.output).toMatch(violation(rule, from, to));
  });

  it('name every file of a circle', () => {
    expect(planted.output).toMatch(/error no-circles: /);
    for (const file of CIRCLE) expect(planted.output).toContain(`lib/${file}`);
  });

  it('name a file that nothing imports', () => {
    expect(planted.output).toMatch(/error no-orphans: lib\/time\/planted-orphan\.ts/);
  });

  it('name a file of a floor that imports the index of lib', () => {
    expect(planted.output).toMatch(violation('one-public-index', 'config/planted-door.ts', 'index.ts'));
  });

  it('name a folder that is not in the list', () => {
    expect(planted.output).toMatch(
      violation('every-folder-is-a-floor', 'utils/planted-folder.ts', 'time/clock.ts'),
    );
  });

  it('allow class-validator only in the folder that validates options', () => {
    expect(planted.output).toMatch(
      /error validators-stay-in-config: lib\/http\/planted-validator\.ts → \S*class-validator/,
    );
  });

  it('report only the planted violations', () => {
    const named = planted.output.split('\n').filter((line) => /^\s*error /.test(line));
    expect(named.filter((line) => !line.includes('planted-'))).toEqual([]);
  });
});

function checkFloors(cwd: string): Promise<CommandResult> {
  return runNode(
    [
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      'lib',
      '--config',
      join(ROOT, 'test/architecture/floors.cjs'),
    ],
    { cwd, env: { NO_COLOR: '1' } },
  );
}

function plant(from: string, to: string): Promise<void> {
  const specifier = `${'../'.repeat(from.split('/').length - 1) || './'}${to.replace(/\.ts$/, '.js')}`;
  return write(from, `export * from '${specifier}';`);
}

async function write(file: string, text: string): Promise<void> {
  const path = join(directory.path, 'lib', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${text}\n`);
}

function violation(rule: string, from: string, to: string): RegExp {
  return new RegExp(`error ${rule}: lib/${literal(from)} → lib/${literal(to)}`);
}

function literal(text: string): string {
  return text.replaceAll('.', String.raw`\.`);
}
