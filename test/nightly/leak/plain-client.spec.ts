import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHttpService, createPlainClient } from '../../rules/leak/clients.js';
import { CarelessApp } from '../../rules/leak/exception-filter.js';
import { runScenario } from '../../rules/leak/run-scenario.js';
import { API_SCENARIOS } from '../../rules/leak/scenarios/api-scenarios.js';
import type { Scenario } from '../../rules/leak/scenarios/scenario.js';
import { TOKEN_SCENARIOS } from '../../rules/leak/scenarios/token-scenarios.js';
import { TestEnvironment } from '../../rules/leak/scenarios/test-environment.js';
import type { Recorder } from '../../rules/leak/recorder.js';

let testEnvironment: TestEnvironment;
let careless: CarelessApp;
beforeAll(async () => {
  [testEnvironment, careless] = await Promise.all([TestEnvironment.start(), CarelessApp.start()]);
});
afterAll(() => Promise.all([testEnvironment.close(), careless.close()]));

function runWithPlainClient(scenario: Scenario): Promise<Recorder> {
  return runScenario(scenario, testEnvironment, {
    callStyle: byHttpService,
    connect: (prepared) => createPlainClient(testEnvironment, prepared),
  });
}

/** The scenarios in which a result of a plain client does not show this secret. */
async function scenariosWithout(canary: string, scenarios: readonly Scenario[]): Promise<string[]> {
  const clean: string[] = [];
  for (const scenario of scenarios) {
    const leaks = (await runWithPlainClient(scenario)).leaksOfResultsInReach();
    if (!leaks.some((leak) => leak.canary.startsWith(canary))) clean.push(scenario.name);
  }
  return clean;
}

/** These print only the class, the message or a few selected members of a value. */
const SILENT = ['String', 'format %s', 'stack', 'pino {res}'];

describe('B12: a plain interceptor and a plain token request, which prove that the search can find a leak,', () => {
  it('leak the token in all scenarios but two', async () => {
    expect(API_SCENARIOS.length).toBeGreaterThan(30);
    const clean = await scenariosWithout('token', API_SCENARIOS);
    expect(clean.length, `clean: ${clean.join(', ')}`).toBeLessThanOrEqual(2);
  });

  it('leak the client secret in every failure of the token request', async () => {
    expect(await scenariosWithout('client secret', TOKEN_SCENARIOS)).toEqual([]);
  });

  it('leak the token and the secret through each way to print a failure', async () => {
    for (const [canary, scenario] of [
      ['token', API_SCENARIOS.find(({ name }) => name === 'status 500')],
      ['client secret', TOKEN_SCENARIOS.find(({ name }) => name === 'ECONNREFUSED')],
    ] as const) {
      if (scenario === undefined) throw new Error('There is no such scenario.');
      const recorder = await runWithPlainClient(scenario);
      expect(recorder.renderingsThatShow(canary).silent).toEqual(SILENT);
      const shown = recorder.leaksOf(await careless.outputsOf(recorder.results[0]), 'exception filter');
      expect(shown.map((leak) => leak.canary.split(' 0')[0])).toContain(canary);
    }
  });
});
