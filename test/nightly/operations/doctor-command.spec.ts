import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { COMMAND, consultCommand, leaksIn } from '../../support/application/doctor.js';
import { ROOT } from '../../support/package/packed-package.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { runCommand, runNode } from '../../support/run/run-command.js';
import { startSimulator } from '../../support/application/simulator.js';

const EASY_SANDBOX = ['--interface', 'easy', '--environment', 'sandbox'];

/** This package in an application that has all its peers but one. */
function installedWithout(missing: string): string {
  const folder = givenFolder();
  const modules = join(folder, 'node_modules');
  const own = join(modules, manifest.name);
  cpSync(join(ROOT, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(own, 'package.json'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (name === missing) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
  }
  writeFileSync(join(folder, 'undici.mjs'), `import '${manifest.name}/undici';`);
  return folder;
}

// Each case starts separate processes, which is slow on a busy machine.
describe('provider-auth doctor as a command', { timeout: 120_000 }, () => {
  it('exits with 2 if the command could not run, and writes nothing to stdout', async () => {
    const provider = await startSimulator();
    const notRun = ['--settings', 'missing.env', '--json'];
    expect(await consultCommand(provider, { args: notRun })).toMatchObject({ code: 2, stdout: '' });
    expect((await consultCommand(provider, { args: ['--help'] })).code).toBe(0);
    expect(provider.tokenRequests).toEqual([]);
  });

  it.each([
    ['the reader of the report has gone', '{ "$0" doctor; echo "exit $?" >&2; } | :'],
    ['the disk under its report is full', '"$0" doctor >/dev/full; echo "exit $?" >&2'],
  ])('claims no success when %s', async (_name, script) => {
    const provider = await startSimulator();
    // The reader has gone by then.
    provider.token.delay(2_000);
    const { output } = await runCommand('sh', ['-c', script, COMMAND], { cwd: '/', env: provider.env() });
    expect(output.trim()).toBe('exit 2');
  });

  it.each([
    ['class-validator', []],
    ['axios', []],
    ['@nestjs/axios', []],
    ['@nestjs/config', ['--issuer', 'https://provider.example']],
    ['rxjs', ['--help']],
    ['undici', ['--provider', './undici.mjs']],
  ])(
    'B40: names the peer %s if it is not installed, and the command that installs it',
    async (name, args) => {
      const provider = await startSimulator();
      const cwd = installedWithout(name);
      const main = join(cwd, 'node_modules', manifest.name, 'dist/esm/cli/main.js');
      const result = await runNode([main, 'doctor', ...args], { cwd, env: provider.env() });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.output).toMatch(
        new RegExp(`could not run: .*${name} is not installed\\. Install it: npm install ${name}\\n$`),
      );
    },
  );

  it('reads .env, prints plain lines into a pipe, and colours on a terminal unless NO_COLOR is set', async () => {
    const provider = await startSimulator();
    provider.token.delay(300);
    const variables = Object.entries(provider.env());
    const [pipe, terminal, plain] = await Promise.all([
      consultCommand(provider, {
        env: Object.fromEntries(variables.map(([name]) => [name, undefined])),
        files: { '.env': variables.map(([name, value]) => `${name}="${value}" # quoted\n`).join('') },
        args: EASY_SANDBOX,
      }),
      consultCommand(provider, { args: EASY_SANDBOX, terminal: true }),
      consultCommand(provider, { args: EASY_SANDBOX, terminal: true, env: { NO_COLOR: '1' } }),
    ]);
    expect([pipe.code, terminal.code, plain.code]).toEqual([0, 0, 0]);
    expect(pipe.stdout).not.toContain('\u001b');
    expect(terminal.stdout).toContain('\u001b[32m✔');
    expect(terminal.stdout).toMatch(/… token request/);
    expect(plain.stdout).not.toContain('\u001b[32m');
    expect(plain.stdout).toMatch(/… token request/);
    expect(settled(terminal.stdout)).toBe(settled(pipe.stdout));
    expect(leaksIn(terminal.stdout, provider)).toEqual([]);
  });
});

/** The text on the screen, without erased lines, without colours, and without parts that differ between two runs. */
function settled(text: string): string {
  return stripVTControlCharacters(text)
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')
    .replaceAll(/ *\d+ ms/g, ' N ms')
    .replaceAll(/exp \S+/g, 'exp T');
}
