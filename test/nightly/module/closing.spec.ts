import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProviderTransport } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { given } from '../../support/http/given.js';
import { runSource } from '../../support/run/run-source.js';
import { startSimulator } from '../../support/application/simulator.js';

/** The source of an application for a separate process. It makes one call and then runs `after`. */
function application(options: string, after: string): string {
  return `
    import { NestFactory } from '@nestjs/core';
    import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from './lib/index.ts';
    import { subscribe } from 'node:diagnostics_channel';
    const sockets = new Set();
    subscribe('http.client.response.finish', ({ response }) => sockets.add(response.socket));
    const options = { ...providerAuthConfig(), ${options} };
    const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), { logger: false });
    const easy = app.get(EasyHttpService);
    const call = () => easy.axiosRef.get('/payments');
    await call();
    ${after}
    process.on('exit', () => console.log('ended by itself'));
  `;
}

/** The variables of an application that trusts this provider. */
function variablesFor(provider: ProviderSimulator): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'provider-auth-closing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), provider.ca);
  return { ...provider.env(), NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
}

// Some tests start processes, which takes long on a busy machine.
describe('closing the application', { timeout: 60_000 }, () => {
  it('B9: ends a renewal in the background, without an unhandled rejection', async () => {
    const rejected = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', rejected);
    onTestFinished(() => void process.off('unhandledRejection', rejected));
    const { provider, app, easy, status } = await given()
      .simulator({ lifetimeSeconds: 6 })
      .app({ token: { renewAheadMs: 60_000, timeoutMs: 60_000 } })
      .start();
    await firstValueFrom(easy.get('/payments'));
    await firstValueFrom(easy.get('/payments'));
    provider.token.hang();
    await expect.poll(() => provider.tokenRequests).toHaveLength(2);
    const began = performance.now();
    await app.close();
    // Not after the minute that the request could have taken.
    expect(performance.now() - began).toBeLessThan(30_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(status.status().find(({ interface: name, active }) => name === 'easy' && active)?.lastError).toBe(
      undefined,
    );
    expect(rejected).not.toHaveBeenCalled();
  });

  it('B9: ends renewing ahead', async () => {
    const { provider, app, easy } = await given()
      .simulator({ lifetimeSeconds: 2 })
      .app({ token: { renewAheadMs: 60_000 } })
      .start();
    await firstValueFrom(easy.get('/payments'));
    await firstValueFrom(easy.get('/payments'));
    const asked = provider.tokenRequests.length;
    await app.close();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(provider.tokenRequests).toHaveLength(asked);
  });

  it('lets calls under way end, and serves the calls of other modules while they close', async () => {
    const { provider, app, easy } = await given().app().start();
    const held = provider.api.path('/slow').hold();
    const calling = firstValueFrom(easy.get('/slow'));
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    const closing = app.close();
    held.release();
    expect((await calling).status).toBe(200);
    await closing;
    expect((await firstValueFrom(easy.get('/late'))).status).toBe(200);
  });

  it("leaves the application's own agent alone", async () => {
    const provider = await startSimulator();
    const agent = new Agent({ keepAlive: true, ca: provider.ca });
    const destroyed = vi.spyOn(agent, 'destroy');
    const { app, easy } = await given()
      .app(() => provider.options({ http: { httpsAgent: agent } }))
      .start();
    await firstValueFrom(easy.get('/payments'));
    // A request of another part of the application. Those of the module use a private agent in its place (B12).
    const [answer] = (await once(get(provider.baseUrl('easy', 'sandbox'), { agent }), 'response')) as [
      IncomingMessage,
    ];
    await once(answer.resume(), 'end');
    await expect.poll(() => Object.keys(agent.freeSockets)).not.toEqual([]);
    await app.close();
    expect(destroyed).not.toHaveBeenCalled();
    expect(Object.keys(agent.freeSockets)).not.toEqual([]);
    agent.destroy();
  });

  it('closes the idle connections of the agent that the module made', async () => {
    const provider = await startSimulator();
    const left = `[...sockets].filter(({ destroyed }) => !destroyed).length`;
    const { stdout } = await runSource(
      application('', `console.log('idle', ${left} > 0); await app.close(); console.log('left', ${left});`),
      variablesFor(provider),
    );
    expect(stdout).toBe('idle true\nleft 0\nended by itself\n');
  });

  it('closes the connection of each transport once', async () => {
    const closed: string[] = [];
    const transport: ProviderTransport = {
      open: ({ interface: name, environment }) => ({
        close: () => Promise.resolve(void closed.push(`${name} ${environment}`)),
      }),
    };
    const { app } = await given()
      .app((provider) => provider.options({ http: { transport } }))
      .start();
    await app.close();
    expect(closed.toSorted()).toEqual([
      'easy production',
      'easy sandbox',
      'originations production',
      'originations sandbox',
    ]);
  });

  it.each(['SIGTERM', 'SIGINT'])(
    'ends the process on %s with enableShutdownHooks, a renewal being under way',
    async (signal) => {
      const provider = await startSimulator({ lifetimeSeconds: 8 });
      provider.token.next().regular();
      const renewal = provider.token.hold();
      provider.api
        .path('/renewing')
        .handler((_, response) => void renewal.arrived.then(() => response.end()));
      const ended = await runSource(
        application(
          'token: { renewAheadMs: 60_000 }',
          `app.enableShutdownHooks();
         setInterval(() => {}, 1_000).ref(); // as an HTTP server would hold the process
         await easy.axiosRef.get('/renewing', { timeout: 20_000 });
         process.kill(process.pid, '${signal}');`,
        ),
        variablesFor(provider),
      );
      expect(provider.tokenRequests).toHaveLength(2);
      expect(ended.stderr).toBe('');
      expect(ended.signal).toBe(signal);
    },
  );

  it('B9: keeps no process alive that has nothing else to do, closed or not, with a renewal ahead planned', async () => {
    const provider = await startSimulator();
    const variables = variablesFor(provider);
    const open = await runSource(application('token: { renewAheadMs: 60_000 }', 'await call();'), variables);
    const closed = await runSource(application('', 'await app.close();'), variables);
    expect([open.stdout, closed.stdout]).toEqual(['ended by itself\n', 'ended by itself\n']);
    expect([open.code, closed.code]).toEqual([0, 0]);
  });
});
