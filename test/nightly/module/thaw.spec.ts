import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { setTimeout as passed } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../support/application/simulator.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { listenOnLoopback } from '../../support/run/free-port.js';
import { runSource } from '../../support/run/run-source.js';

/**
 * As a function of a platform that freezes it: it makes a call, waits for the next event, and makes another call. With the adapter
 * of axios, the call after the event often fails: Node gives it the closed connection (aws/aws-sdk-js-v3#1196).
 */
const FUNCTION = `
  import { ConfigModule } from '@nestjs/config';
  import { NestFactory } from '@nestjs/core';
  import { EasyHttpService, providerAuthConfig, ProviderAuthModule } from './lib/index.ts';
  import { undiciTransport } from './lib/undici/index.ts';

  const { METHOD, EVENTS } = process.env;
  const app = await NestFactory.createApplicationContext(
    ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig)],
      inject: [providerAuthConfig.KEY],
      useFactory: (options) => ({ ...options, http: { transport: undiciTransport() } }),
    }),
    { logger: false, abortOnError: false },
  );
  const easy = app.get(EasyHttpService);
  const call = () => easy.axiosRef.request({ url: '/payments', method: METHOD });
  await call();
  await fetch(EVENTS + '?' + process.pid);
  const second = await call().catch((error) => ({ status: error.code ?? error.message }));
  console.log(second.status);
  await app.close();
`;

/** Where the function waits for its next event. Returns when it does. */
async function eventSource(): Promise<{
  url: string;
  waiting: Promise<{ pid: number; answer: ServerResponse }>;
}> {
  const server = createServer();
  onTestFinished(() => server.close().closeAllConnections());
  const port = await listenOnLoopback(server);
  const waiting = once(server, 'request').then(([request, answer]) => ({
    pid: Number(request.url.replace(/^\D+/, '')),
    answer,
  }));
  return { url: `http://127.0.0.1:${port}/`, waiting };
}

it.each(['GET', 'POST'])(
  'R29: a %s on undici after a thaw succeeds, although the API has closed the idle connection meanwhile',
  async (method) => {
    const provider = await startSimulator();
    const connections = new Set<TLSSocket>();
    provider.api.handler(({ socket }, response) => {
      connections.add(socket as TLSSocket);
      response.end('{}');
    });
    const { url, waiting } = await eventSource();
    const { ca } = filesOf({ ca: provider.ca });
    const variables = { ...provider.env(), PROVIDER_EASY_SANDBOX_CA_FILE: ca };
    const ended = runSource(FUNCTION, { ...variables, METHOD: method, EVENTS: url });
    const { pid, answer } = await waiting;
    process.kill(pid, 'SIGSTOP');
    const closed = [...connections].map((socket) => once(socket, 'close'));
    for (const socket of connections) socket.destroy();
    await Promise.all(closed);
    // The end of the connection is on its way to the process.
    await passed(50);
    process.kill(pid, 'SIGCONT');
    answer.end('event', () => answer.socket?.end());
    expect(await ended).toMatchObject({ stdout: '200\n', code: 0 });
    expect(connections.size).toBe(2);
    expect(provider.apiRequests).toHaveLength(2);
  },
);
