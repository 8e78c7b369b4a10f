import { generateKeyPairSync } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import type { HttpService } from '@nestjs/axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DefinedProvider,
  type InterfaceDefinition,
  ProviderAuthConfigError,
  TokenRequestError,
} from '../../lib/index.js';
import { ProviderSimulator, type TokenExchange } from '../../lib/testing/index.js';
import { injectionToken } from '../../lib/module/injection-tokens.js';
import { setVariables } from '../support/application/variables.js';
import { cluster, warehouse } from '../support/application/warehouse.js';
import { CanaryScanner } from '../support/secrets/canary-scanner.js';
import { CapturedLogs } from '../support/secrets/captured-logs.js';
import { loggerRenderings } from '../support/secrets/logger-renderings.js';
import { bodyOf, canariesOf } from '../support/secrets/simulated-canaries.js';
import { errorOf } from '../support/token/token-fixtures.js';

/** Every way to authenticate at a provider of the application. */
const NAMES = ['bankOrders', 'returns', 'orders', 'stock'] as const;
type Name = (typeof NAMES)[number];

async function given(name: Name, timeoutMs = 30_000) {
  const isKeyless = name === 'orders' || name === 'stock';
  const provider = (isKeyless ? cluster : warehouse) as unknown as DefinedProvider<
    Record<Name, InterfaceDefinition>,
    'test' | 'live'
  >;
  const simulated = await ProviderSimulator.start({ provider });
  onTestFinished(() => simulated.close());
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  onTestFinished(() => Logger.overrideLogger(false));
  const options = simulated.options({ token: { timeoutMs, maxAttempts: 1 } });
  const app = await NestFactory.createApplicationContext(provider.Module.forRoot(options), {
    logger: logs,
    abortOnError: false,
  });
  onTestFinished(() => app.close());
  /** A search for the credentials, and for all that was sent with the token requests so far. */
  const scanner = (): CanaryScanner => {
    const canaries = canariesOf(simulated.credentials(name, 'test'), simulated.tokenRequests);
    return new CanaryScanner(Object.fromEntries(canaries), loggerRenderings);
  };
  const call = () => app.get<HttpService>(provider.httpToken(name)).axiosRef.get('/');
  return { provider, simulated, app, logs, scanner, call };
}

/** What a careless server repeats of the token request. */
const credentialsIn = ({ request, body }: TokenExchange<string, string>): string =>
  new URLSearchParams(body.toString()).get('client_assertion') ?? String(request.headers.authorization);

type Given = Awaited<ReturnType<typeof given>>;

const FAILURES: readonly (readonly [string, (simulated: Given['simulated']) => void])[] = [
  ['401 invalid_client', ({ token }) => token.refuse('invalid_client')],
  ['503', ({ token }) => token.status(503)],
  ['no response', ({ token }) => token.hang()],
  ['reset', ({ token }) => token.reset()],
  ['307 to another server', ({ token }) => token.redirect('https://127.0.0.1:1/', 307)],
  [
    'the credentials as error',
    ({ token }) =>
      token.handler((_, response, exchange) => {
        response.writeHead(401).end(JSON.stringify({ error: credentialsIn(exchange).slice(0, 64) }));
      }),
  ],
  [
    'words of the credentials as error',
    ({ token }) =>
      token.handler((_, response, exchange) => {
        const words = credentialsIn(exchange)
          .replaceAll(/[^A-Za-z]/g, '')
          .slice(-40)
          .toLowerCase();
        response.writeHead(400).end(JSON.stringify({ error: words }));
      }),
  ],
  [
    'the credentials as whole body and reason',
    ({ token }) =>
      token.handler((_, response, exchange) => {
        response.writeHead(200, 'OK').end(credentialsIn(exchange));
      }),
  ],
];

describe.each(NAMES)('B24 B32 S10 B12: of %s no credential leaks', (name) => {
  it.each(FAILURES)('B24: from a token request with %s', async (what, script) => {
    const { provider, simulated, app, logs, scanner, call } = await given(
      name,
      what === 'no response' ? 500 : undefined,
    );
    script(simulated);
    const error = await errorOf(call());
    expect(error).toBeInstanceOf(TokenRequestError);
    // After a refusal, another assertion is tried. The simulated platform signs one for each reading.
    expect([1, name === 'orders' ? 2 : 1]).toContain(simulated.tokenRequests.length);
    const status = app.get(provider.Service).status();
    expect(scanner().scan({ error, logs: logs.lines, status })).toEqual([]);
    expect(scanner().scanReach(error, 'error')).toEqual([]);
  });

  it('B24: while a request is under way, and from what can be injected', async () => {
    const { provider, simulated, app, scanner, call } = await given(name);
    const held = simulated.token.hold();
    const calling = call();
    await held.arrived;
    const seen = {
      service: app.get<object>(provider.Service),
      client: app.get<object>(provider.httpToken(name)),
      tokens: app.get<object>(provider.tokenProviderToken(name)),
      settings: app.get<object>(injectionToken(provider.name, 'SETTINGS')),
      definition: provider,
    };
    expect(scanner().scan(seen)).toEqual([]);
    for (const [what, value] of Object.entries(seen)) expect(scanner().scanReach(value, what)).toEqual([]);
    held.release();
    const response = await calling;
    expect(scanner().scanReach(response, 'response')).toEqual([]);
  });
});

it.each(['returns', 'orders', 'stock'] as const)(
  'B24 B32 S10: the search finds what %s has',
  async (name) => {
    const { simulated, scanner, call } = await given(name);
    await call();
    const { clientKey } = simulated.credentials(name, 'test');
    const [request] = simulated.tokenRequests;
    const shown = [clientKey, request?.fields['client_assertion']].filter((one) => one !== undefined);
    expect(shown.length).toBeGreaterThan(0);
    for (const text of shown) expect(scanner().scanText(`it said ${text}`).length).toBeGreaterThan(0);
  },
);

it('B24 S10: options from variables show neither a key nor where its file is', async () => {
  const simulated = await ProviderSimulator.start({ provider: warehouse });
  onTestFinished(() => simulated.close());
  const variables = simulated.env();
  setVariables(variables);
  const { clientKey = '' } = simulated.credentials('returns', 'test');
  const scanner = new CanaryScanner({ key: bodyOf(clientKey) }, loggerRenderings);
  scanner.add('path', variables['WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE'] ?? '');
  const config = ConfigModule.forFeature(warehouse.config);
  const app = await NestFactory.createApplicationContext(
    {
      module: class ConfigApp {},
      imports: [
        ConfigModule.forRoot({ load: [warehouse.config], ignoreEnvFile: true, ignoreEnvVars: true }),
        config,
      ],
    },
    { logger: false },
  );
  onTestFinished(() => app.close());
  expect(
    scanner.scan({ options: warehouse.config(), kept: app.get(ConfigService).get('warehouseAuth') }),
  ).toEqual([]);
});

it('B24 S10: the error of a wrong key shows nothing of it', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = short.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const scanner = new CanaryScanner({ key: bodyOf(pem) }, loggerRenderings);
  const address = { tokenUrl: 'https://a.example/token', baseUrl: 'https://b.example' };
  for (const clientKey of [pem, short.privateKey, short.publicKey, pem.slice(0, -40), `${pem}\u0000`]) {
    const test = { ...address, clientId: 'shop', clientKey };
    const module = warehouse.Module.forRoot({ environment: 'test', interfaces: { returns: { test } } });
    const error = await errorOf(
      NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }),
    );
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(String(error)).toContain('interfaces.returns.test.clientKey');
    expect(scanner.scan(error)).toEqual([]);
  }
});
