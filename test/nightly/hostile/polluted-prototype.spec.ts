import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { filesOf } from '../../support/http/client-certificates.js';
import type { Ended, PollutedRun } from '../../support/http/polluted-client.js';
import { type SeenRequest, WireServer } from '../../support/http/wire-server.js';
import { runSource } from '../../support/run/run-source.js';

const TOKEN = 'canary-token-of-the-test';
const SECRET = 'canary-secret-of-the-test';

/** Where a request goes, and with whose credentials. axios itself adds the headers of a polluted prototype. */
function targetOf({ method, url, headers: { host, authorization } }: SeenRequest): string {
  return `${method} ${url} ${host} ${authorization}`;
}

it.each([
  ['node:https', false],
  ['undici', true],
])(
  'B36 B12 S6: a polluted Object.prototype changes no address, no connection and no credentials, and shows no token (%s)',
  { timeout: 120_000 },
  async (_, isUndici) => {
    const server = await WireServer.start();
    onTestFinished(() => server.close());
    server.handler = (request, response) => {
      const token = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url?.endsWith('/token') ? token : { ok: true }));
    };
    // Where the polluted values lead.
    const evil = await WireServer.start();
    onTestFinished(() => evil.close());
    const { ca } = filesOf({ ca: server.ca });
    const evilSocket = join(dirname(ca), 'evil.sock');
    let strayPipes = 0;
    const pipes = createServer((socket) => {
      strayPipes += 1;
      socket.destroy();
    }).listen(evilSocket);
    onTestFinished(() => void pipes.close());

    const run: PollutedRun = {
      url: server.url,
      isUndici,
      canaries: [TOKEN, SECRET],
      clientSecret: SECRET,
      evilUrl: evil.url,
      evilPort: evil.port,
      evilSocket,
    };
    // In its own process, because a polluted prototype would change this process too.
    const { code, stdout, stderr } = await runSource(
      `import { Logger } from '@nestjs/common';
       import { runPolluted } from './test/support/http/polluted-client.js';
       Logger.overrideLogger(false);
       await runPolluted(JSON.parse(process.env.RUN));
       process.exit(0);`,
      { RUN: JSON.stringify(run), NODE_EXTRA_CA_CERTS: ca },
      { timeoutMs: 110_000 },
    );
    const ends = stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Ended] : []));
    const requests = new Set(server.seen.map(targetOf));
    const expected = new Map(ends.filter(({ pollution }) => !pollution).map((end) => [end.path, end.result]));
    // An error that names this host has checked the certificate for it.
    const isWrong = ({ path, ended, result, leaks }: Ended): boolean =>
      leaks ||
      ended === 'late' ||
      (ended === 'resolved' ? result !== expected.get(path) : result.includes('evil.example'));
    expect({
      code,
      stderr,
      calls: ends.filter(isWrong),
      requests: requests.size,
      strayConnections: evil.sockets + strayPipes,
    }).toEqual({ code: 0, stderr: '', calls: [], requests: 3, strayConnections: 0 });
    // A call may fail, but hardly any does.
    const failed = ends.filter(({ ended }) => ended === 'rejected');
    expect(ends.length).toBeGreaterThan(500);
    expect(failed.length).toBeLessThan(ends.length / 10);
  },
);
