import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { Agent, Server } from 'node:https';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CertificateKind } from '../../../../lib/testing/simulator/certificate-authority.js';
import { LoopbackServer } from '../../../../lib/testing/simulator/loopback-server.js';
import { callHttps } from '../../../support/http/https-call.js';
import { freePort } from '../../../support/run/free-port.js';

interface Given {
  readonly kind?: CertificateKind;
  readonly options?: Parameters<typeof LoopbackServer.start>[1];
  readonly listener?: RequestListener;
}

const sayOk: RequestListener = (_, response) => void response.end('ok');

/** A server, how it listens, and agents that trust it. */
async function startServer({ kind = 'trusted', options, listener = sayOk }: Given = {}) {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const server = await LoopbackServer.start(kind, options);
  onTestFinished(() => server.close());
  server.serve(listener);
  const agent = (more = {}) => {
    const made = new Agent({ ca: server.ca, keepAlive: true, ...more });
    onTestFinished(() => made.destroy());
    return made;
  };
  const node = listen.mock.contexts.at(-1) as Server;
  return { server, agent, node, listened: listen.mock.calls.at(-1)?.[0] };
}

describe('the server of the simulator', () => {
  it('S9: serves HTTPS on a free port of loopback', async () => {
    const { server, agent, listened } = await startServer();
    expect(server.origin).toMatch(/^https:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect(listened).toEqual({ port: 0, host: '127.0.0.1', backlog: 4096 });
    expect(await callHttps(server.origin, { agent: agent() })).toMatchObject({ status: 200, text: 'ok' });
    expect(server.client).toBeUndefined();
  });

  it('S6 B13: accepts long headers, and closes no idle or slow connection', async () => {
    const { server, agent, node } = await startServer();
    const headers = { authorization: `Bearer ${'x'.repeat(100 * 1024)}` };
    expect((await callHttps(server.origin, { agent: agent(), headers })).status).toBe(200);
    const { keepAliveTimeout, requestTimeout, headersTimeout } = node;
    expect({ keepAliveTimeout, requestTimeout, headersTimeout }).toEqual({
      keepAliveTimeout: 0,
      requestTimeout: 0,
      headersTimeout: 0,
    });
  });

  // Another program may take the port before the server does.
  it('B25: can have a given port', { retry: 3 }, async () => {
    const port = await freePort();
    const { server } = await startServer({ options: { port } });
    expect(server.origin).toBe(`https://127.0.0.1:${port}`);
    await expect(LoopbackServer.start('trusted', { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('B13: has the wrong certificate that a test wants', async () => {
    const { server, agent } = await startServer({ kind: 'expired' });
    await expect(callHttps(server.origin, { agent: agent() })).rejects.toMatchObject({
      code: 'CERT_HAS_EXPIRED',
    });
  });

  it('B32: asks for a certificate, and accepts any', async () => {
    const { server, agent, node } = await startServer({ options: { asksForCertificate: true } });
    const { server: other } = await startServer({ options: { demandsCertificate: true } });
    const names: unknown[] = [];
    node.on('secureConnection', (socket) => names.push(socket.getPeerX509Certificate()?.subject));
    for (const client of [{}, other.client])
      expect((await callHttps(server.origin, { agent: agent(client) })).status).toBe(200);
    expect(names).toEqual([undefined, 'CN=Simulated client']);
  });

  it('B32: asks for no certificate if no client has one', async () => {
    const { server, agent, node } = await startServer();
    const { server: other } = await startServer({ options: { demandsCertificate: true } });
    const names: unknown[] = [];
    node.on('secureConnection', (socket) => names.push(socket.getPeerX509Certificate()?.subject));
    await callHttps(server.origin, { agent: agent(other.client) });
    expect(names).toEqual([undefined]);
  });

  it('B32: can demand a certificate of its authority', async () => {
    const { server, agent } = await startServer({ options: { demandsCertificate: true } });
    const { server: other } = await startServer({ options: { demandsCertificate: true } });
    const statusWith = async (client: object | undefined) =>
      callHttps(server.origin, { agent: agent(client) }).then(
        ({ status }) => status,
        ({ message }: Error) => message,
      );
    expect(await statusWith(server.client)).toBe(200);
    for (const client of [{}, other.client])
      expect(await statusWith(client)).toMatch(/certificate required|socket hang up|ECONNRESET|EPIPE/);
  });

  it('ends all connections at once, even before an answer', async () => {
    const { server, agent, node } = await startServer({ listener: () => undefined });
    const asked = once(node, 'request');
    const call = callHttps(server.origin, { agent: agent() });
    const outcomes = Promise.allSettled([call]);
    await asked;
    await server.close();
    expect(await outcomes).toMatchObject([{ reason: { code: 'ECONNRESET' } }]);
    expect(node.listening).toBe(false);
  });

  it('can reset a connection', async () => {
    const { server, agent } = await startServer({
      listener: ({ socket }) => server.sockets.reset(socket),
    });
    await expect(callHttps(server.origin, { agent: agent() })).rejects.toMatchObject({
      code: 'ECONNRESET',
      // The regular end of a connection names no system call.
      syscall: 'read',
    });
  });
});
