import { describe, expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { startSimulatorWithCaFile } from '../../support/application/simulator.js';
import { type Ended, runSource } from '../../support/run/run-source.js';

/**
 * The same file is the main thread and each worker. A worker starts an application, makes calls and posts what happened. Each
 * worker has the variables that `envOf(number)` returns.
 */
const WORKER = `
  import { isMainThread, parentPort, SHARE_ENV, Worker, workerData } from 'node:worker_threads';
  import { NestFactory } from '@nestjs/core';
  import { EasyHttpService, providerAuthConfig, ProviderAuthModule, ProviderAuthService } from './lib/index.ts';
  import { undiciTransport } from './lib/undici/index.ts';
  const started = (options, data = {}) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: data, ...options });
    worker.ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
    worker.posted = new Promise((resolve) => worker.once('message', resolve));
    return worker;
  };
  if (!isMainThread) {
    const { isUndici = false, calls = 20, hangs = false, further = {} } = workerData;
    Object.assign(process.env, further);
    const http = { ...(isUndici && { transport: undiciTransport() }) };
    const auth = ProviderAuthModule.forRootAsync({ useFactory: () => ({ ...providerAuthConfig(), http }) });
    const app = await NestFactory.createApplicationContext(
      { module: class {}, imports: [auth] },
      { logger: ['error', 'warn'], abortOnError: false },
    );
    const { axiosRef, fetch } = app.get(EasyHttpService);
    if (hangs) {
      parentPort.postMessage('under way');
      await axiosRef.get('/hangs');
    }
    const made = Array.from({ length: calls }, (_, call) => call % 2 ? axiosRef.get('/x') : fetch('/x').then((r) => (r.text(), r)));
    const statuses = await Promise.all(made.map((call) => call.then(({ status }) => status, ({ code, message }) => code + message)));
    const { state } = app.get(ProviderAuthService).status().find((one) => one.active);
    await app.close();
    parentPort.postMessage({ statuses: [...new Set(statuses)], state });
  } else {
    const variables = JSON.parse(process.env.VARIABLES);
    const print = (value) => console.log(JSON.stringify(value));
`;

function runWorkers(provider: ProviderSimulator, caFile: string, main: string): Promise<Ended> {
  const easy = Object.entries(provider.env()).filter(([name]) =>
    /^PROVIDER_(EASY_SANDBOX|ENVIRONMENT)/.test(name),
  );
  const VARIABLES = JSON.stringify({ ...Object.fromEntries(easy), PROVIDER_EASY_SANDBOX_CA_FILE: caFile });
  return runSource(`${WORKER}${main}\n}`, { VARIABLES, NODE_OPTIONS: '--unhandled-rejections=strict' });
}

const WORKED = { statuses: [200], state: 'valid' };

function printed({ stdout }: Ended): unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

// Each case is a separate process, which is slow on a busy machine.
describe('the module in worker threads', { timeout: 60_000 }, () => {
  it('B9: several workers at once share nothing: each worker requests its own token', async () => {
    const { provider, caFile } = await startSimulatorWithCaFile();
    const ended = await runWorkers(
      provider,
      caFile,
      `const workers = Array.from({ length: 4 }, (_, one) => started({ env: { ...variables } }, { isUndici: one % 2 === 1 }));
       print(await Promise.all(workers.map(({ posted }) => posted)));
       print(await Promise.all(workers.map(({ ended }) => ended)));`,
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(printed(ended)).toEqual([
      [WORKED, WORKED, WORKED, WORKED],
      [0, 0, 0, 0],
    ]);
    expect(provider.tokenRequests).toHaveLength(4);
  });

  it.each([false, true])(
    'B9: a worker that is terminated in the middle of a call leaves nothing behind (undici: %j)',
    async (isUndici) => {
      const { provider, caFile } = await startSimulatorWithCaFile();
      provider.api.path('/hangs').hang();
      const ended = await runWorkers(
        provider,
        caFile,
        `for (let round = 0; round < 2; round += 1) {
           const worker = started({ env: { ...variables } }, { isUndici: ${isUndici}, hangs: true });
           await worker.posted;
           print(await worker.terminate());
         }
         const last = started({ env: { ...variables } }, { isUndici: ${isUndici} });
         print(await last.posted);`,
      );
      // The process exits by itself.
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(printed(ended)).toEqual([1, 1, WORKED]);
    },
  );
});
