import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT, temporaryDirectory } from '../../support/package/packed-package.js';
import { type CommandResult, runCommand } from '../../support/run/run-command.js';
import { startSimulator } from '../../support/application/simulator.js';

const SAMPLES = join(ROOT, 'sample');

function npm(command: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return runCommand('npm', command, { cwd: ROOT, env: { NO_COLOR: '1', ...env }, timeoutMs: 240_000 });
}

function testOf05(env: Record<string, string>): Promise<CommandResult> {
  return npm(['test', '--workspace', 'sample/05-testing'], env);
}

/** The last line of each sample that prints steps, if all of its steps succeeded. */
const ENDINGS = {
  '01-quick-start': 'All 6 steps succeeded.',
  '02-environments': 'All 5 steps succeeded.',
  '03-fleet': '1 token request for 8 processes: 1 fetched, 7 read.',
  '04-operations': 'All 5 steps succeeded.',
  '06-generated-clients': 'All 4 steps succeeded.',
  '07-own-provider': 'All 5 steps succeeded.',
};

/** This sample is a test. */
const ALL = [...Object.keys(ENDINGS), '05-testing'].toSorted();

describe('the samples', () => {
  it('are all run here', async () => {
    expect((await readdir(SAMPLES)).toSorted()).toEqual(ALL);
  });

  it.each(Object.entries(ENDINGS))('%s does what it says', async (name, ending) => {
    const { code, output } = await npm(['start', '--workspace', `sample/${name}`]);
    expect(output).toContain(ending);
    expect(output).not.toContain('✘');
    expect(code).toBe(0);
  });

  it.each(ALL)('%s has a README whose files exist', async (name) => {
    const readme = await readFile(join(SAMPLES, name, 'README.md'), 'utf8');
    const files = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => !existsSync(join(SAMPLES, name, file)))).toEqual([]);
    expect(readme).toContain(name === '01-quick-start' ? 'npm start' : `--workspace sample/${name}`);
  });
});

describe('05-testing', () => {
  const SANDBOX = ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_SECRET_FILE'].map(
    (name) => `PROVIDER_EASY_SANDBOX_${name}`,
  );

  /** Starts a simulator as the provider's sandbox, and returns the variables for it. */
  async function sandbox(): Promise<Record<string, string>> {
    const provider = await startSimulator();
    const directory = await temporaryDirectory();
    onTestFinished(() => directory.remove());
    const ca = join(directory.path, 'ca.pem');
    await writeFile(ca, provider.ca);
    provider.api.for('easy', 'sandbox').path('/payments/no-such-payment').status(404);
    const variables = Object.entries(provider.env()).filter(([name]) => SANDBOX.includes(name));
    return { ...Object.fromEntries(variables), NODE_EXTRA_CA_CERTS: ca };
  }

  it('passes without a network, and says that the sandbox was not tested', async () => {
    const { code, output } = await testOf05(Object.fromEntries(SANDBOX.map((name) => [name, ''])));
    expect(output).toMatch(/↓ .*sandbox.*NOT RUN.*: set PROVIDER_EASY_SANDBOX_TOKEN_URL/);
    expect(output).toMatch(/Test Files +2 passed \| 1 skipped \(3\)/);
    expect(output).toMatch(/Tests +8 passed \| 1 skipped \(9\)/);
    expect(code).toBe(0);
  });

  it('tests the sandbox when its variables are set', async () => {
    const { code, output } = await testOf05(await sandbox());
    expect(output).toMatch(/✓ .*sandbox gives a token, and takes it/);
    expect(output).toMatch(/Tests +9 passed \(9\)/);
    expect(code).toBe(0);
  });

  it('fails when the sandbox refuses the credentials', async () => {
    const wrong = { PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'the secret of yesterday' };
    const { code, output } = await testOf05({ ...(await sandbox()), ...wrong });
    expect(output).toMatch(/TOKEN_REJECTED|refused the request with status 401/);
    expect(output).toMatch(/Tests +1 failed \| 8 passed \(9\)/);
    expect(code).toBe(1);
  });
});
