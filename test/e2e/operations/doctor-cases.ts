import { expect, it } from 'vitest';
import type { StepName } from '../../../lib/cli/step.js';
import type { ProviderSimulator, ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { type Consultation, consult, leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';

export const EASY_SANDBOX = ['--interface', 'easy', '--environment', 'sandbox'];
export const TOKEN_URL = 'PROVIDER_EASY_SANDBOX_TOKEN_URL';

export interface Trouble {
  readonly simulator?: ProviderSimulatorOptions;
  readonly env?: (provider: ProviderSimulator) => Consultation['env'];
  readonly step: StepName;
  readonly code: string;
  /** What the output must contain: the problem, and what to do. */
  readonly says: readonly RegExp[];
}

export function itNamesTheStep(troubles: Readonly<Record<string, Trouble>>): void {
  it.each(Object.entries(troubles))(
    'S10: names the step that fails for %s, says what to do, and shows no credential',
    async (_name, { simulator, env, step, code, says }) => {
      const provider = await startSimulator(simulator);
      const variables = env?.(provider) ?? {};
      const [text, json] = await Promise.all([
        consult(provider, { args: EASY_SANDBOX, env: variables }),
        consult(provider, { args: [...EASY_SANDBOX, '--json'], env: variables }),
      ]);
      expect([text.code, json.code]).toEqual([1, 1]);
      for (const sentence of says) expect(text.stdout).toMatch(sentence);
      expect(text.stdout.match(/✘/g)).toHaveLength(1);
      const [result] = json.report.results;
      const failed = result?.steps.filter(({ status }) => status === 'failed');
      expect(failed).toMatchObject([{ name: step, code: expect.stringMatching(`^(${code})$`) }]);
      expect(failed?.[0]?.advice).toMatch(/\.$/);
      expect([json.report.ok, result?.ok]).toEqual([false, false]);
      // At most one attempt, without a retry.
      expect(provider.tokenRequests.length).toBeLessThanOrEqual(2);
      expect(leaksIn(text.output + json.output, provider)).toEqual([]);
      expect(text.output + json.output).not.toContain('not-the-right-secret');
    },
  );
}
