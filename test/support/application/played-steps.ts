import { vi } from 'vitest';
import type { Check } from '../../../lib/cli/report.js';
import type { Finding, StepName } from '../../../lib/cli/report.js';
import { claims } from '../../../lib/cli/steps/claims.js';
import { apiConnection, connection } from '../../../lib/cli/steps/connection.js';
import { probe } from '../../../lib/cli/steps/probe.js';
import { lifetime, tokenRequest } from '../../../lib/cli/steps/token-request.js';
import { FINE } from './doctor-check.js';

const STEPS = [connection, tokenRequest, lifetime, claims, apiConnection, probe] as const;

/**
 * No step asks a server, until the test ends: each finds what `find` gives, or `FINE`. The checks that the steps got, in order.
 */
export function playSteps(
  find: (step: StepName, check: Check) => Finding | undefined = () => undefined,
): (readonly [step: StepName, check: Check])[] {
  const asked: (readonly [StepName, Check])[] = [];
  for (const step of STEPS)
    vi.spyOn(step, 'run').mockImplementation((check) => {
      asked.push([step.name, check]);
      return find(step.name, check) ?? FINE;
    });
  return asked;
}
