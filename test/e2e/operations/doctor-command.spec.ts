import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { COMMAND, consult, consultCommand, leaksIn } from '../../support/application/doctor.js';
import { runCommand } from '../../support/run/run-command.js';
import { startSimulator } from '../../support/application/simulator.js';
import { EASY_SANDBOX, TOKEN_URL } from './doctor-cases.js';

// Each case starts separate processes, which is slow on a busy machine.
describe('provider-auth doctor as a command', { timeout: 120_000 }, () => {
  it('warns of a slow endpoint that works', async () => {
    const provider = await startSimulator();
    provider.token.delay(2_600);
    const { code, stdout } = await consult(provider, { args: EASY_SANDBOX });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /! token request +\d{4} ms .*\n +→ The request took more than half of the 5000 ms/,
    );
  });

  it('reads the .env file of the folder, or the named file, as an application does', async () => {
    const provider = await startSimulator();
    const lines = Object.entries(provider.env()).map(([name, value]) => `${name}="${value}" # quoted\n`);
    const env = Object.fromEntries(Object.keys(provider.env()).map((name) => [name, undefined]));
    const [here, named, neither] = await Promise.all([
      consultCommand(provider, { env, files: { '.env': lines.join('') }, args: EASY_SANDBOX }),
      consultCommand(provider, {
        env,
        files: { 'staging.env': lines.join('') },
        args: [...EASY_SANDBOX, '--settings', 'staging.env'],
      }),
      consult(provider, { env, args: EASY_SANDBOX }),
    ]);
    expect([here.code, named.code, neither.code]).toEqual([0, 0, 1]);
    expect(neither.stdout).toContain('PROVIDER_ENVIRONMENT');
  });

  it('names the missing settings of a pair that was chosen but is not configured', async () => {
    const provider = await startSimulator();
    const easy = Object.keys(provider.env()).filter((name) => name.startsWith('PROVIDER_EASY_'));
    const { code, report } = await consult(provider, {
      env: Object.fromEntries(easy.map((name) => [name, undefined])),
      args: [...EASY_SANDBOX, '--json'],
    });
    expect(code).toBe(1);
    expect(report.results).toEqual([]);
    expect(report.problems?.map(({ env }) => env)).toEqual([
      TOKEN_URL,
      'PROVIDER_EASY_SANDBOX_BASE_URL',
      'PROVIDER_EASY_SANDBOX_CLIENT_ID',
      'PROVIDER_EASY_SANDBOX_CLIENT_SECRET',
    ]);
  });

  it('exits with 2 if the command could not run, and writes nothing to stdout', async () => {
    const provider = await startSimulator();
    const notRun = ['--settings', 'missing.env', '--json'];
    expect(await consultCommand(provider, { args: notRun })).toMatchObject({ code: 2, stdout: '' });
    for (const args of [
      notRun,
      ['--env-file', 'missing.env', '--json'],
      ['--env-file', '.', '--json'],
      ['--jsno'],
      ['--interface', 'hard'],
      ['--environment', 'live'],
      ['surplus'],
    ]) {
      const { code, stdout, output } = await consult(provider, { args });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(output).not.toBe('');
    }
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

  it('S10: repeats no value of an option that does not exist', async () => {
    const provider = await startSimulator();
    for (const option of ['--client-secret', '--jsn', '--environmen']) {
      const value = "canary='of\nsomebody'";
      const { code, output } = await consult(provider, { args: [`${option}=${value}`] });
      expect(code).toBe(2);
      expect(output).toContain(`unknown option '${option}=…'`);
      expect(output).not.toMatch(/canary|a-user-name/);
    }
  });

  it('reports that an endpoint demands a client certificate, which TLS 1.3 shows only after the handshake', async () => {
    const provider = await startSimulator();
    const certificate = await issueServerCertificate('trusted');
    const server = createServer({ ...certificate, requestCert: true }).on('tlsClientError', () => undefined);
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stdout } = await consult(provider, {
      args: EASY_SANDBOX,
      env: {
        [TOKEN_URL]: `https://127.0.0.1:${port}/auth/v0/connect/token`,
        NODE_EXTRA_CA_CERTS: './own.pem',
      },
      files: { 'own.pem': certificate.ca },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✘ TLS .*\n +→ The server demands a client certificate\./);
  });

  it('prints plain lines into a pipe, and colours and a spinner on a terminal unless NO_COLOR is set', async () => {
    const provider = await startSimulator();
    provider.token.delay(300);
    const [pipe, terminal, plain] = await Promise.all([
      consultCommand(provider, { args: EASY_SANDBOX }),
      consultCommand(provider, { args: EASY_SANDBOX, terminal: true }),
      consultCommand(provider, { args: EASY_SANDBOX, terminal: true, env: { NO_COLOR: '1' } }),
    ]);
    expect([pipe.code, terminal.code, plain.code]).toEqual([0, 0, 0]);
    expect(pipe.stdout).not.toContain('\u001b');
    expect(terminal.stdout).toContain('\u001b[32m✔');
    expect(terminal.stdout).toMatch(/⠋ token request/);
    expect(plain.stdout).not.toContain('\u001b[32m');
    expect(plain.stdout).toMatch(/⠋ token request/);
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
