import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shownOn } from '../../support/package/code-blocks.js';
import { manifest, pack, temporaryDirectory } from '../../support/package/packed-package.js';
import { freePort, isListening } from '../../support/run/free-port.js';
import { runCommand } from '../../support/run/run-command.js';
import { Terminal } from '../../support/run/terminal.js';

/** Other pages may link to the tutorial, and share its blocks. */
const PAGES = ['tutorial', 'compatibility', 'testing'].map((page) => `docs/${page}.md`);

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let tarball: string;
const shown = await shownOn(...PAGES);

beforeAll(async () => {
  directory = await temporaryDirectory();
  ({ tarball } = await pack(directory.path));
}, 60_000);

afterAll(() => directory.remove());

/** Without times. The terminal writes the counts below the lines again. */
function withoutTimes(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^\d\d:\d\d:\d\d /.test(line))
    .map((line) =>
      line
        .slice('00:00:00'.length)
        .replace(/\d+ ms$/, 'n ms')
        .trim(),
    );
}

const ENTER = (): string => '\r';

/** The second choice of this question, and Enter for the others. */
const COMMONJS = (question: string): string => (question.includes('module system') ? '\u001b[B\r' : '\r');

describe('docs/tutorial.md, typed into a terminal', () => {
  it.each([
    // Of the three, only this one has a test runner that runs on every supported Node.
    {
      setup: 'NestJS 12, Enter at each prompt',
      cli: '@nestjs/cli',
      install: 'install',
      keys: ENTER,
      hasVitest: true,
    },
    {
      setup: 'NestJS 12, CommonJS',
      cli: '@nestjs/cli',
      install: 'install',
      keys: COMMONJS,
      hasVitest: false,
    },
    { setup: 'NestJS 11', cli: '@nestjs/cli@11', install: 'install-11', keys: ENTER, hasVitest: false },
  ])(
    'B37: $setup: from an empty folder to a revoked token',
    async ({ cli, install, keys, hasVitest }) => {
      const home = await temporaryDirectory();
      try {
        const [create = '', enter = '', add] = shown('new-application').split('\n');
        expect(add).toBe(shown('install'));
        const app = join(home.path, enter.replace('cd ', ''));
        // npx asks whether it may install, unless the machine has an answer.
        const env = { npm_config_yes: 'true' };
        const created = new Terminal(create.replace('@nestjs/cli', cli), home.path, env);
        await created.ends(keys);
        // Only the package itself comes from this repository.
        const command = shown(install).replace(` ${manifest.name} `, ` ${tarball} `);
        const added = new Terminal(`${command} --no-audit --no-fund`, app);
        await added.ends();

        const simulator = new Terminal(`${shown('start')} --port 0`, app);
        await simulator.shows('q quit');
        const generated = new Terminal(shown('generate'), app);
        await generated.ends();
        const file = 'src/payments/payments.module.ts';
        await writeFile(join(app, file), `${shown('payments-module')}\n`);

        const port = await freePort();
        const application = new Terminal(shown('watch'), app, { PORT: String(port) });
        await application.shows('Nest application successfully started');
        // Nest writes this line before it listens.
        await vi.waitUntil(() => isListening(port), 10_000);
        const address = shown('curl').replace('curl ', '').replace('3000', String(port));
        const call = async (): Promise<unknown> => (await fetch(address)).json();
        expect(await call()).toEqual(JSON.parse(shown('curl-answer')));
        simulator.press('r');
        await simulator.shows('fault by key');
        expect(await call()).toEqual(JSON.parse(shown('curl-answer')));
        await simulator.shows(/#3 .*\n/);
        expect(withoutTimes(simulator.text)).toEqual(withoutTimes(shown('lines')));

        const doctor = await runCommand('sh', ['-c', shown('doctor-of-simulator')], { cwd: app });
        expect(doctor.output).toContain('4 of 4 give a token and reach their API.');
        const e2e = 'test/app.e2e-spec.ts';
        await writeFile(join(app, e2e), `${shown('over-http')}\n`);
        const options = { cwd: app, timeoutMs: 120_000 };
        const tested = hasVitest ? await runCommand('npm', ['run', 'test:e2e'], options) : undefined;
        expect(tested?.code ?? 0).toBe(0);
        // The rules of `nest new` for code apply to the code of the page, too.
        const prettier = await runCommand('npx', ['prettier', '--check', file, e2e], { cwd: app });
        expect(prettier).toMatchObject({ code: 0 });
      } finally {
        await home.remove();
      }
    },
    600_000,
  );
});
