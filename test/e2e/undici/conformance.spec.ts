import { Agent } from 'node:https';
import { type AxiosInstance, create } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderConnection } from '../../../lib/config/options/provider-transport.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { type Outcome, outcomeOf } from '../../support/http/transport-outcome.js';
import { type WireHandler, WireServer } from '../../support/http/wire-server.js';
import { ANSWERS, ENCODINGS, WITHOUT_BODY } from './cases/answer-cases.js';
import type { Case } from './cases/case.js';
import { FAILURES, LIMITS } from './cases/failure-cases.js';
import { ADDRESSES, BODIES, HEADERS, METHODS } from './cases/request-cases.js';

const TABLE: Readonly<Record<string, readonly Case[]>> = {
  methods: METHODS,
  bodies: BODIES,
  addresses: ADDRESSES,
  headers: HEADERS,
  answers: ANSWERS,
  'answers without a body': WITHOUT_BODY,
  encodings: ENCODINGS,
  limits: LIMITS,
  failures: FAILURES,
};

const ok: WireHandler = (_, response) => void response.end('ok');

describe.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])('B14 B17: over %s the transport gives the same result as axios', (_, allowH2) => {
  let server: WireServer;
  let connection: ProviderConnection;
  let agent: Agent;
  let undiciClient: AxiosInstance;
  let axiosClient: AxiosInstance;

  beforeAll(async () => {
    server = await WireServer.start({ allowH2 });
    const baseURL = `${server.url}/base`;
    connection = undiciTransport({ allowH2, connect: { ca: server.ca } }).open({
      interface: 'easy',
      environment: 'sandbox',
      baseUrl: baseURL,
    });
    agent = new Agent({ ca: server.ca, keepAlive: true });
    const settings = { baseURL, url: '/', maxRedirects: 0 };
    undiciClient = create({ ...settings, adapter: connection.adapter });
    axiosClient = create({ ...settings, adapter: 'http', httpsAgent: agent });
  });

  afterAll(async () => {
    await connection.close();
    agent.destroy();
    await server.close();
  });

  for (const [group, cases] of Object.entries(TABLE)) {
    const fitting = cases.filter(({ notOnH2 }) => !allowH2 || notOnH2 === undefined);
    describe.runIf(fitting.length > 0)(`about ${group}`, () => {
      for (const { name, config, answer = ok, differs, differsOnH2, mayNotArrive } of fitting) {
        const difference = allowH2 ? (differsOnH2 ?? differs) : differs;
        it(`${name}${difference?.because ? ` (differs: ${difference.because})` : ''}`, async () => {
          server.handler = answer;
          const expected = await outcomeOf(axiosClient, { url: '/', ...config?.(server) }, server);
          const found = await outcomeOf(undiciClient, { url: '/', ...config?.(server) }, server);
          const wanted = difference?.outcome(expected) ?? expected;
          const compared = allowH2 ? overH2(found) : found;
          expect(mayNotArrive ? { ...compared, seen: [] } : compared).toEqual({
            ...(allowH2 ? overH2(wanted) : wanted),
            ...(mayNotArrive && { seen: [] }),
          });
        });
      }
    });
  }
});

/** Removes what HTTP/2 does not have, and what a server of Node adds only over HTTP/1.1. */
function overH2(outcome: Outcome): Outcome {
  const { 'content-length': _, ...headers } = outcome.headers ?? {};
  const seen = outcome.seen.map((request) => ({
    ...request,
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name, value]) => name !== 'connection' && !(name === 'content-length' && value === '0'),
      ),
    ),
  }));
  return { ...outcome, statusText: '', headers, seen };
}
