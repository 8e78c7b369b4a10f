import { Agent } from 'node:https';
import { type AxiosInstance, create } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderConnection } from '../../../lib/config/options/provider-transport.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { outcomeOf } from '../../support/http/transport-outcome.js';
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

describe('B14 B17: the transport gives the same result as axios', () => {
  let server: WireServer;
  let connection: ProviderConnection;
  let agent: Agent;
  let undiciClient: AxiosInstance;
  let axiosClient: AxiosInstance;

  beforeAll(async () => {
    server = await WireServer.start();
    const baseURL = `${server.url}/base`;
    connection = undiciTransport({ connect: { ca: server.ca } }).open({
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
    describe(`about ${group}`, () => {
      for (const { name, config, answer = ok, differs, mayNotArrive } of cases) {
        it(`${name}${differs ? ` (differs: ${differs.because})` : ''}`, async () => {
          server.handler = answer;
          const expected = await outcomeOf(axiosClient, { url: '/', ...config?.(server) }, server);
          const found = await outcomeOf(undiciClient, { url: '/', ...config?.(server) }, server);
          const wanted = differs?.outcome(expected) ?? expected;
          expect(mayNotArrive ? { ...found, seen: [] } : found).toEqual({
            ...wanted,
            ...(mayNotArrive && { seen: [] }),
          });
        });
      }
    });
  }
});
