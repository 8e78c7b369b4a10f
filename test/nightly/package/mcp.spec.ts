import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocksOf, codeWithBlock } from '../../support/package/code-blocks.js';
import {
  installedWith,
  manifest,
  requiredPeers,
  ROOT,
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../support/package/packed-package.js';
import { runCommand, runNode } from '../../support/run/run-command.js';

const PAGE = 'docs/mcp.md';
const APP = join(ROOT, 'test/package/apps/mcp');

const blocks = new Map((await codeBlocksOf(PAGE)).map(({ name = '', text }) => [name, text]));
const shown = (name: string): string => blocks.get(name) ?? '';

/** The SDK has its own folder, because npm would remove the links to the other packages. */
let sdk: TemporaryDirectory;
let app: TemporaryDirectory;

beforeAll(async () => {
  const dependencies = Object.keys(manifest.dependencies);
  app = await installedWith([...requiredPeers, ...dependencies, '@nestjs/platform-express', '@types/node']);
  sdk = await temporaryDirectory();
  await writeFile(join(sdk.path, 'package.json'), '{}');
  const install = `${shown('install-mcp')} zod --no-audit --no-fund`;
  const { code, output } = await runCommand('sh', ['-c', install], { cwd: sdk.path, timeoutMs: 240_000 });
  if (code !== 0) throw new Error(output);
  for (const name of ['@modelcontextprotocol', 'zod'])
    await symlink(join(sdk.path, 'node_modules', name), join(app.path, 'node_modules', name));

  await cp(APP, app.path, { recursive: true });
  await writeFile(join(app.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(app.path, 'tools.ts'), await codeWithBlock(join(APP, 'tools.ts'), shown('mcp')));
}, 300_000);

afterAll(() => Promise.all([app.remove(), sdk?.remove()]));

describe('docs/mcp.md', () => {
  it('B21: compiles with the SDK', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await runNode([tsc, '-p', 'tsconfig.json'], { cwd: app.path, timeoutMs: 120_000 });
    expect(compiled).toEqual({ code: 0, output: '', stdout: '' });
    expect([...blocks.keys()]).toEqual(['install-mcp', 'mcp', 'mcp-variables']);
  });

  it.each(['json', 'event-stream'])(
    'B4 B21: 50 parallel tool calls with a revoked token succeed with one token request, with answers as %s',
    async (kind) => {
      const args = ['dist/main.js', kind];
      const { code, output, stdout } = await runNode(args, { cwd: app.path, timeoutMs: 60_000 });
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      const variables = [...shown('mcp-variables').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
      expect(JSON.parse(stdout)).toEqual({
        revoked: 1,
        succeeded: 50,
        tokenRequests: 1,
        variables: expect.arrayContaining(variables),
        reasons: [],
      });
    },
  );
});
