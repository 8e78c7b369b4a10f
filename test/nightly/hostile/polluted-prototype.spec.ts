import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Ended, PollutedRun, Transport } from '../../support/http/polluted-client.js';
import { type Pollution, POLLUTIONS, pollutionsOfOptionalMembers } from '../../support/http/pollutions.js';
import { type SeenRequest, WireServer } from '../../support/http/wire-server.js';
import { runSource } from '../../support/run/run-source.js';

const TOKEN = 'canary-token-of-the-test';
const SECRET = 'canary-secret-of-the-test';

/** Calls that fail, because Node itself reads the polluted member, in a place that no option reaches. Nothing else changes. */
const FAILING_IN_NODE = new Set(['signal as data']);

interface Observed {
  readonly code: number | null;
  readonly stderr: string;
  readonly ends: readonly Ended[];
  /** All requests in the order of their arrival. */
  readonly requests: readonly string[];
  /** The connections to the places to which the polluted values lead. */
  readonly strayConnections: number;
}

/** Runs a function of `polluted-client.ts` in its own process, because a polluted prototype would change this process too. */
async function observe(action: string, transport: Transport): Promise<Observed> {
  const folder = await mkdtemp(join(tmpdir(), 'provider-auth-polluted-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await WireServer.start({ allowH2: true });
  onTestFinished(() => server.close());
  server.handler = (request, response) => {
    response.setHeader('content-type', 'application/json');
    const token = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600 };
    response.end(JSON.stringify(request.url?.endsWith('/token') ? token : { ok: true }));
  };
  const evil = await WireServer.start();
  onTestFinished(() => evil.close());
  const evilSocket = join(folder, 'evil.sock');
  let strayPipes = 0;
  const pipes = createServer((socket) => {
    strayPipes += 1;
    socket.destroy();
  }).listen(evilSocket);
  onTestFinished(() => void pipes.close());
  const authorities = join(folder, 'ca.pem');
  await writeFile(authorities, server.ca);

  const run: PollutedRun = {
    url: server.url,
    transport,
    canaries: [TOKEN, SECRET],
    clientSecret: SECRET,
    evilUrl: evil.url,
    evilPort: evil.port,
    evilSocket,
  };
  const { code, stdout, stderr } = await runSource(
    `import { ${action} } from './test/support/http/polluted-client.js';
     await ${action}(JSON.parse(process.env.RUN));
     process.exit(0);`,
    { RUN: JSON.stringify(run), NODE_EXTRA_CA_CERTS: authorities },
    { timeoutMs: 110_000 },
  );
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return {
    code,
    stderr,
    ends: lines.map((line) => JSON.parse(line) as Ended),
    requests: server.seen.map(textOf),
    strayConnections: evil.sockets + strayPipes,
  };
}

/** Headers that differ between the transports, and those that HTTP/2 does not have. */
const OF_TRANSPORT = /^(?::.*|host|connection)$/;

/** What a request says, in any order and case of its headers. */
function textOf({ method, url, rawHeaders, headers, body }: SeenRequest): string {
  const lines = rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || OF_TRANSPORT.test(name.toLowerCase())) return [];
    return `${name.toLowerCase()}: ${rawHeaders[index + 1] ?? ''}`;
  });
  const host = headers.host ?? headers[':authority'];
  return [`${method} ${url} ${String(host)}`, ...lines.toSorted(), body.toString()].join('\n');
}

/** The requests of the calls without a pollution: everything before the second token request. */
function cleanRequests(requests: readonly string[]): Set<string> {
  const ofTokens = requests.flatMap((request, index) => (request.includes('/token ') ? index : []));
  return new Set(requests.slice(0, ofTokens[1]));
}

/** What the pollutions have changed. */
function changesIn(
  { code, stderr, ends, requests, strayConnections }: Observed,
  pollutions: readonly Pollution[] = POLLUTIONS,
): object {
  const clean = cleanRequests(requests);
  const expected = new Map(ends.flatMap((end) => (end.pollution === undefined ? [[end.path, end]] : [])));
  const kinds = new Map(pollutions.map(({ name, kind }) => [name, kind]));
  const isWrong = ({ pollution, path, ended, result, leaks }: Ended): boolean => {
    if (leaks || ended === 'late' || pollution === undefined) return leaks || ended !== 'resolved';
    const mayFail = kinds.get(pollution) !== 'data' || FAILING_IN_NODE.has(pollution);
    return !mayFail && (ended !== 'resolved' || result !== expected.get(path)?.result);
  };
  return {
    end: code === 0 ? 'regular' : stderr,
    requests: [...new Set(requests)].filter((request) => !clean.has(request)),
    strayConnections,
    calls: ends.filter(isWrong),
    missing: (pollutions.length + 1) * expected.size - ends.length,
  };
}

const NO_CHANGES = { end: 'regular', requests: [], strayConnections: 0, calls: [], missing: 0 };

const TRANSPORTS: readonly Transport[] = ['axios', 'undici'];

describe('a polluted Object.prototype', () => {
  it.each(TRANSPORTS)(
    'B36 B12 S6: changes no address, no connection and no request, and shows no token (%s)',
    { timeout: 120_000 },
    async (transport) => {
      expect(changesIn(await observe('runPolluted', transport))).toEqual(NO_CHANGES);
    },
  );

  it('B36 S10: nor does it with the doctor', { timeout: 120_000 }, async () => {
    expect(changesIn(await observe('runPollutedDoctor', 'axios'))).toEqual(NO_CHANGES);
  });

  it(
    'B36: no member that an object of the module may lack changes a token request',
    { timeout: 120_000 },
    async () => {
      const observed = await observe('runPollutedTokens', 'axios');
      expect(changesIn(observed, pollutionsOfOptionalMembers())).toEqual(NO_CHANGES);
    },
  );
});
