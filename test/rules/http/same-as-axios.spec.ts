import { Agent } from 'node:https';
import { type AxiosInstance, create } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProviderHttpClient, type ProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { systemClock } from '../../../lib/time/clock.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { FakeTokens, HTTP_DEFAULTS } from '../../support/http/http-client.js';
import { outcomeOf } from '../../support/http/transport-outcome.js';
import { type WireHandler, WireServer } from '../../support/http/wire-server.js';
import { ANSWERS, ENCODINGS, REDIRECTS, WITHOUT_BODY } from './same-as-axios/answer-cases.js';
import type { Case } from './same-as-axios/case.js';
import { FAILURES, LIMITS } from './same-as-axios/failure-cases.js';
import { ADDRESSES, BODIES, HEADERS, METHODS } from './same-as-axios/request-cases.js';

const TABLE: Readonly<Record<string, readonly Case[]>> = {
  methods: METHODS,
  bodies: BODIES,
  addresses: ADDRESSES,
  headers: HEADERS,
  answers: ANSWERS,
  'answers without a body': WITHOUT_BODY,
  encodings: ENCODINGS,
  redirects: REDIRECTS,
  limits: LIMITS,
  failures: FAILURES,
};

const ok: WireHandler = (_, response) => void response.end('ok');

describe.each(['node:https', 'undici'] as const)('B14 B17: a client on %s', (transport) => {
  let server: WireServer;
  let agent: Agent;
  let client: ProviderHttpClient;
  /** axios as it is, with the token in a header. */
  let plain: AxiosInstance;

  beforeAll(async () => {
    server = await WireServer.start();
    const baseURL = `${server.url}/base`;
    const tokens = new FakeTokens(systemClock);
    client = createProviderHttpClient({
      profile: {
        interface: 'easy',
        environment: 'sandbox',
        baseUrl: baseURL,
        tls: new ClientTls({ ca: server.ca }),
      },
      http: {
        ...HTTP_DEFAULTS,
        retryUnauthorized: false,
        transport: transport === 'undici' ? undiciTransport() : undefined,
      },
      tokens,
      clock: systemClock,
    });
    agent = new Agent({ ca: server.ca, keepAlive: true });
    const headers = { Authorization: `Bearer ${tokens.inMemory?.reveal()}` };
    plain = create({ baseURL, timeout: 30_000, maxRedirects: 0, httpsAgent: agent, headers });
  });

  afterAll(async () => {
    await client.close();
    agent.destroy();
    await server.close();
  });

  for (const [group, cases] of Object.entries(TABLE))
    describe(`gives the same result as axios: ${group}`, () => {
      for (const { name, config, answer = ok, differs, mayNotArrive } of cases) {
        const difference = differs?.on === undefined || differs.on === transport ? differs : undefined;
        it(`${name}${difference ? ` (differs: ${difference.because})` : ''}`, async () => {
          server.handler = answer;
          const expected = await outcomeOf(plain, { url: '/', ...config?.(server) }, server);
          const found = await outcomeOf(client.axios, { url: '/', ...config?.(server) }, server);
          const wanted = difference?.outcome(expected) ?? expected;
          const same = mayNotArrive ? { seen: [] } : {};
          expect({ ...found, ...same }).toEqual({ ...wanted, ...same });
        });
      }
    });
});
