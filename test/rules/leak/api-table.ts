import { BUILT_IN_PROVIDER } from '../../support/application/every-term.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOurClient, CALL_STYLES, preparedFor, type Transport } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { runScenario } from './run-scenario.js';
import { API_SCENARIOS } from './scenarios/api-scenarios.js';
import { REFLECTING_SCENARIOS } from './scenarios/reflecting-scenarios.js';
import { TestEnvironment } from './scenarios/test-environment.js';

/** Tests each API scenario with each of these call styles on one transport. */
export function testNoLeaksOn(
  transport: Transport,
  callStyles = CALL_STYLES,
  provider = BUILT_IN_PROVIDER,
  account?: string,
): void {
  let testEnvironment: TestEnvironment;
  let careless: CarelessApp;
  beforeAll(async () => {
    [testEnvironment, careless] = await Promise.all([
      TestEnvironment.start(provider, account),
      CarelessApp.start(),
    ]);
  });
  afterAll(() => Promise.all([testEnvironment.close(), careless.close()]));

  const scenarios = [...API_SCENARIOS, ...REFLECTING_SCENARIOS].map((one) => [one.name, one] as const);

  describe.each(callStyles)('by %s nothing leaks from', (_, callStyle) => {
    it.each(scenarios)('%s', async (_, scenario) => {
      const recorder = await runScenario(scenario, testEnvironment, {
        callStyle,
        progress: true,
        connect: (prepared) =>
          createOurClient(testEnvironment, preparedFor(callStyle, prepared), { transport, warm: true }),
      });
      expect(recorder.leaks()).toEqual([]);
      expect(recorder.results).not.toContainEqual(expect.objectContaining({ code: 'OPTION_NOT_SUPPORTED' }));
      for (const result of recorder.results) {
        expect(recorder.leaksOf(await careless.outputsOf(result), 'exception filter')).toEqual([]);
      }
    });
  });
}
