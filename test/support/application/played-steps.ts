import { vi } from 'vitest';
import type { Check, Finding, StepName } from '../../../lib/cli/step.js';
import { claims } from '../../../lib/cli/steps/claims.js';
import { clock } from '../../../lib/cli/steps/clock.js';
import { apiDns, dns } from '../../../lib/cli/steps/dns.js';
import { lifetime } from '../../../lib/cli/steps/lifetime.js';
import { probe } from '../../../lib/cli/steps/probe.js';
import { apiTcp, tcp } from '../../../lib/cli/steps/tcp.js';
import { apiTls, tls } from '../../../lib/cli/steps/tls.js';
import { tokenRequest } from '../../../lib/cli/steps/token-request.js';
import { FINE } from './doctor-check.js';

const STEPS = [dns, tcp, tls, tokenRequest, lifetime, claims, clock, apiDns, apiTcp, apiTls, probe] as const;

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
