import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_PROVIDER } from '../support/application/every-term.js';
import { createOurClient, CALL_STYLES } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { runScenario } from './run-scenario.js';
import { FALSE_SUCCESS_SCENARIOS, TOKEN_SCENARIOS } from './scenarios/token-scenarios.js';
import { TestEnvironment } from './scenarios/test-environment.js';

const scenarios = [...TOKEN_SCENARIOS, ...FALSE_SUCCESS_SCENARIOS].map((one) => [one.name, one] as const);

const clients: readonly (readonly [string, account: string | undefined])[] = [
  ['a client', undefined],
  ['an account (B33)', 'merchant-42'],
];

describe.each(clients)('S10 B12: of %s', (_, account) => {
  let testEnvironment: TestEnvironment;
  let careless: CarelessApp;
  beforeAll(async () => {
    [testEnvironment, careless] = await Promise.all([
      TestEnvironment.start(BUILT_IN_PROVIDER, account),
      CarelessApp.start(),
    ]);
  });
  afterAll(() => Promise.all([testEnvironment.close(), careless.close()]));

  const few = account === undefined ? CALL_STYLES.slice(0, 1) : CALL_STYLES.slice(2);
  describe.each(few)('by %s no credential leaks from a token request with', (_, callStyle) => {
    it.each(scenarios)('%s', async (_, scenario) => {
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
