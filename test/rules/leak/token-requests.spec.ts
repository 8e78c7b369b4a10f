import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenProvider } from '../../../lib/index.js';
import { injectionToken } from '../../../lib/module/parts.js';
import { authenticatingBy, BUILT_IN_PROVIDER } from '../../support/application/every-term.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { byAxiosRef, createOurClient, CALL_STYLES, optionsFor } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { runScenario } from './run-scenario.js';
import { FALSE_SUCCESS_SCENARIOS, TOKEN_SCENARIOS } from './scenarios/token-scenarios.js';
import { TestEnvironment } from './scenarios/test-environment.js';
import { bootWith } from '../../support/application/boot.js';

const scenarios = [...TOKEN_SCENARIOS, ...FALSE_SUCCESS_SCENARIOS].map((one) => [one.name, one] as const);

/** In these, the endpoint repeats what this client has sent, or ends the request in its own way. */
const WHAT_DIFFERS = scenarios.filter(([name]) =>
  /^(?:401|307|reset|no response|an echo: .*(?:secret as error|whole body|in JSON))/.test(name),
);

const clients = [
  ['a client', undefined, CALL_STYLES.slice(0, 1), scenarios],
  ['an account (B33)', 'merchant-42', CALL_STYLES.slice(2), WHAT_DIFFERS],
] as const;

describe.each(clients)('S10 B12: of %s', (_, account, callStyles, played) => {
  let testEnvironment: TestEnvironment;
  let careless: CarelessApp;
  beforeAll(async () => {
    [testEnvironment, careless] = await Promise.all([
      TestEnvironment.start(BUILT_IN_PROVIDER, account),
      CarelessApp.start(),
    ]);
  });
  afterAll(() => Promise.all([testEnvironment.close(), careless.close()]));

  describe.each(callStyles)('by %s no credential leaks from a token request with', (_, callStyle) => {
    it.each(played)('%s', async (_, scenario) => {
      const recorder = await runScenario(scenario, testEnvironment, {
        callStyle,
        connect: (prepared) => createOurClient(testEnvironment, prepared),
      });
      const [error] = recorder.results;
      expect(error).toMatchObject({ name: 'TokenRequestError' });
      expect(recorder.leaks()).toEqual([]);
      const { tokenRequests } = testEnvironment.provider;
      expect(tokenRequests.filter((request) => request.account !== account)).toEqual([]);
      expect(recorder.leaksOf(await careless.outputsOf(error), 'exception filter')).toEqual([]);
    });
  });
});

/** What a client has or sends, besides its id and what the name of the way says. */
const CREDENTIALS = {
  basic: ['client secret', 'header 0'],
  private_key_jwt: ['client key', 'payload 0', 'signature 0'],
  client_assertion: ['payload 0', 'signature 0'],
  tls_client_auth: ['client key'],
} as const;

describe.each(Object.entries(CREDENTIALS))('B24 B32 S10 B12: of a client by %s', (clientAuth, names) => {
  let testEnvironment: TestEnvironment;
  beforeAll(async () => {
    testEnvironment = await TestEnvironment.start(authenticatingBy(clientAuth as keyof typeof CREDENTIALS));
  });
  afterAll(() => testEnvironment.close());

  const connect = (prepared: object) => createOurClient(testEnvironment, prepared);

  it.each(WHAT_DIFFERS)('no credential leaks from a token request with %s', async (_, scenario) => {
    const recorder = await runScenario(scenario, testEnvironment, { callStyle: byAxiosRef, connect });
    expect(recorder.results[0]).toMatchObject({ name: 'TokenRequestError' });
    expect(recorder.leaks()).toEqual([]);
  });

  it('what can be injected leads to no credential, also while a token is requested', async () => {
    testEnvironment.reset();
    const { parts, Module } = testEnvironment.providerUnderTest;
    const { name } = parts.catalogue;
    const module = Module.forRoot(optionsFor(testEnvironment, {}));
    const { app } = await bootWith([module]);
    const held = testEnvironment.provider.token.hold();
    const tokens = app.get<TokenProvider>(injectionToken(name, 'TOKEN_PROVIDER', 'easy'));
    const asked = tokens.getToken();
    await held.arrived;
    const canaries = Object.fromEntries(testEnvironment.canaries());
    expect(Object.keys(canaries)).toEqual(expect.arrayContaining([...names]));
    const scanner = new CanaryScanner(canaries, loggerRenderings);
    for (const canary of Object.values(canaries))
      expect(scanner.scanText(`it said ${canary}`)).not.toEqual([]);
    for (const kind of ['SETTINGS', 'SERVICE'] as const)
      expect(scanner.scanReach(app.get(injectionToken(name, kind)), kind)).toEqual([]);
    for (const kind of ['HTTP', 'FETCH', 'TOKEN_PROVIDER'] as const)
      expect(scanner.scanReach(app.get(injectionToken(name, kind, 'easy')), kind)).toEqual([]);
    held.release();
    await asked;
  });
});
