import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../support/application/every-term.js';
import { createOurClient, CALL_STYLES } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { runScenario } from './run-scenario.js';
import { FALSE_SUCCESS_SCENARIOS, TOKEN_SCENARIOS } from './scenarios/token-scenarios.js';
import { TestEnvironment } from './scenarios/test-environment.js';

const scenarios = [...TOKEN_SCENARIOS, ...FALSE_SUCCESS_SCENARIOS].map((one) => [one.name, one] as const);

describe.each(PROVIDERS)('S10 B12: of %s', (_, provider) => {
  let testEnvironment: TestEnvironment;
  let careless: CarelessApp;
  beforeAll(async () => {
    [testEnvironment, careless] = await Promise.all([TestEnvironment.start(provider), CarelessApp.start()]);
  });
  afterAll(() => Promise.all([testEnvironment.close(), careless.close()]));

  describe.each(CALL_STYLES)('by %s no credential leaks from a token request with', (_, callStyle) => {
    it.each(scenarios)('%s', async (_, scenario) => {
      const recorder = await runScenario(scenario, testEnvironment, {
        callStyle,
        connect: (prepared) => createOurClient(testEnvironment, prepared),
      });
      const [error] = recorder.results;
      expect(error).toMatchObject({ name: 'TokenRequestError' });
      expect(recorder.leaks()).toEqual([]);
      expect(recorder.leaksOf(await careless.outputsOf(error), 'exception filter')).toEqual([]);
    });
  });
});
