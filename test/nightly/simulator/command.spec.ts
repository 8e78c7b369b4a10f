import { spawn } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SimulationProcess, SOON } from '../../support/application/simulate.js';
import { ROOT } from '../../support/package/packed-package.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { strangersEnvironment } from '../../support/run/run-command.js';

/** An application that calls easy once for each line that it reads, and prints what it got. */
const APPLICATION = `
import { createInterface } from 'node:readline';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from '${pathToFileURL(join(ROOT, 'dist/esm/index.js')).href}';

class AppModule {}
const imports = [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())];
const app = await NestFactory.createApplicationContext({ module: AppModule, imports }, { logger: false });
const easy = app.get(EasyHttpService).axiosRef;
console.log('ready');
for await (const path of createInterface({ input: process.stdin })) {
  const { status } = await easy.get(path).catch((error) => ({ status: error.code }));
  console.log(path, status);
}
await app.close();
`;

/** Starts the application with the line that the command printed, in the folder of the command. */
async function startApplication({ folder, started }: SimulationProcess) {
  mkdirSync(join(folder, 'dist'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'dist/main.js'), APPLICATION);
  const child = spawn('sh', ['-c', `exec env ${started['command']}`], {
    cwd: folder,
    env: strangersEnvironment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await expect.poll(() => text, SOON).toContain('ready');
  return async (path: string): Promise<string> => {
    child.stdin.write(`${path}\n`);
    await expect.poll(() => text, SOON).toMatch(new RegExp(`^${path} .*\n`, 'm'));
    return new RegExp(`^${path} (.*)$`, 'm').exec(text)?.[1] ?? '';
  };
}

describe('provider-auth simulate', () => {
  it('B25 B37: an application started with the printed line gets its first token without another step', async () => {
    const simulation = await SimulationProcess.start(['--port', '0']);
    expect(simulation.started['command']).toBe('node --env-file=.provider-simulator/.env dist/main.js');
    const call = await startApplication(simulation);
    expect(await call('/payments/1')).toBe('200');
    expect(await call('/payments/2')).toBe('200');
    expect(await simulation.requests(3)).toMatchObject([
      { kind: 'token', interface: 'easy', environment: 'sandbox', status: 200, ok: true, count: 1 },
      { kind: 'api', path: '/payments/1', status: 200, count: 1 },
      { kind: 'api', path: '/payments/2', status: 200, count: 2 },
    ]);
    expect(await simulation.end()).toBe(0);
    expect(simulation.lines.at(-1)).toMatchObject({
      event: 'ended',
      counts: { tokenRequests: 1, apiRequests: 2, failed: 0 },
    });
  });

  it('B37: --demand-client-certificate refuses other clients, and the settings name a certificate', async () => {
    const simulation = await SimulationProcess.start(['--port', '0', '--demand-client-certificate']);
    await expect(simulation.askForToken()).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    });
    const { PROVIDER_EASY_SANDBOX_CERT_FILE: cert, PROVIDER_EASY_SANDBOX_KEY_FILE: key } =
      simulation.variables;
    expect([cert, key]).toEqual(['.provider-simulator/client.pem', '.provider-simulator/client-key.pem']);
    expect(statSync(join(simulation.folder, String(key))).mode & 0o777).toBe(0o600);
    const call = await startApplication(simulation);
    expect(await call('/payments/1')).toBe('200');
    expect((await simulation.control('test-call', {})).body).toEqual({ ok: true, result: 200 });
    expect(await simulation.requests(4)).not.toContainEqual(expect.objectContaining({ ok: false }));
  });

  it('B25: a terminal has keys, and counts that are written again in place', async () => {
    const simulation = new SimulationProcess(['--port', '0'], { terminal: true, folder: givenFolder() });
    await simulation.shows(/keys [^]*revoke[^]*quit/);
    await simulation.token();
    await simulation.shows('1 token request, 0 API requests, 0 failed');
    simulation.press('r');
    await simulation.shows('fault by key: token.revokeAll() → 1');
    simulation.press('q');
    expect(await simulation.exitCode()).toBe(0);
    expect(simulation.text).toContain('Ended after 1 token request, 0 API requests, 0 failed.');
    expect(simulation.text).toContain('\r\u001b[2K');
  });
});
