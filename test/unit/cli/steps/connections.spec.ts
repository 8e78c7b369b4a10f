import { ChildProcess } from 'node:child_process';
import net, { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { dns } from '../../../../lib/cli/steps/dns.js';
import { tcp } from '../../../../lib/cli/steps/tcp.js';
import { tls } from '../../../../lib/cli/steps/tls.js';
import { checkTo } from '../../../support/application/doctor-check.js';

/** For processes on a busy machine. */
const PATIENT_MS = 60_000;

it('B29: the system looks a host up in a process, whose options and start do not count', async () => {
  vi.stubEnv('NODE_OPTIONS', '--require ./no-such-file.cjs');
  const started = performance.now();
  const finding = Promise.resolve(dns.run(checkTo({ host: 'localhost', timeoutMs: PATIENT_MS })));
  // A look-up in this process would delay its exit.
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
  const { status, facts, durationMs = Number.NaN } = await finding;
  expect([status, facts?.['addresses']]).toEqual([
    'ok',
    expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
  ]);
  // No machine starts Node faster.
  expect(performance.now() - started - durationMs).toBeGreaterThan(10);
});

it('B6: a look-up that takes too long is cancelled', async () => {
  const kill = vi.spyOn(ChildProcess.prototype, 'kill');
  expect(await dns.run(checkTo({ host: 'localhost', timeoutMs: 1 }))).toMatchObject({
    status: 'failed',
    detail: 'no DNS answer for localhost (ETIMEDOUT)',
    code: 'ETIMEDOUT',
  });
  expect(kill.mock.calls).toEqual([['SIGKILL']]);
  await expect.poll(() => process.getActiveResourcesInfo()).not.toContain('ProcessWrap');
});

it('B6: a connection that takes too long is closed', async () => {
  // Nothing answers this address (RFC 5737), and no packet is sent.
  vi.spyOn(Socket.prototype, 'connect').mockReturnThis();
  expect(await tcp.run(checkTo({ host: '192.0.2.1', timeoutMs: 5 }))).toMatchObject({
    status: 'failed',
    detail: 'no connection to 192.0.2.1:443 within 5 ms (ETIMEDOUT)',
    code: 'ETIMEDOUT',
  });
});

it('B6: a handshake that takes too long is ended', async () => {
  const server = net.createServer((socket) => void socket.resume());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  expect(await tls.run(checkTo({ port, timeoutMs: 5 }))).toMatchObject({
    status: 'failed',
    detail: 'no TLS handshake within 5 ms (ETIMEDOUT)',
    code: 'ETIMEDOUT',
    advice: expect.stringContaining('The server there may not speak TLS'),
  });
  await new Promise((resolve) => void server.close(resolve));
});
