import { destinationOf } from './destination.js';
import type { PlannedPair } from './plan.js';
import type { PairResult, Reporter } from './report.js';
import type { Check, Finding, Step, StepResult } from './step.js';
import { claims } from './steps/claims.js';
import { clock } from './steps/clock.js';
import { dns } from './steps/dns.js';
import { lifetime } from './steps/lifetime.js';
import { tcp } from './steps/tcp.js';
import { tls } from './steps/tls.js';
import { tokenRequest } from './steps/token-request.js';

/** After the configuration, in the order in which a request meets them. */
const STEPS: readonly Step[] = [dns, tcp, tls, tokenRequest, lifetime, claims, clock];

/** Goes step by step until one fails; what comes after it cannot be known. */
export async function checkPair(pair: PlannedPair, reporter: Reporter): Promise<PairResult> {
  const { configured, interface: name, environment, active } = pair;
  const host = configured && new URL(configured.profile.tokenUrl).host;
  const head = { interface: name, environment, active, ...(host !== undefined && { host }) };
  reporter.pair(head);

  const steps: StepResult[] = [{ name: 'configuration', durationMs: 0, ...judgeConfiguration(pair) }];
  for (const step of steps) reporter.ended(step);
  const check: Check | undefined = configured && {
    ...configured,
    destination: destinationOf(configured.profile.tokenUrl),
  };
  for (const step of STEPS) {
    if (check === undefined || steps.some(({ status }) => status === 'failed')) {
      steps.push({ name: step.name, durationMs: 0, status: 'skipped', detail: 'an earlier step failed' });
      continue;
    }
    reporter.begins(step.name);
    const result = await timed(step, check);
    reporter.ended(result);
    steps.push(result);
  }
  return { ...head, ok: steps.every(({ status }) => status !== 'failed'), steps };
}

function judgeConfiguration({ configured }: PlannedPair): Finding {
  return configured
    ? { status: 'ok', detail: 'complete' }
    : {
        status: 'failed',
        detail: 'incomplete or wrong',
        code: 'CONFIG_INVALID',
        advice: 'Mend the problems listed above.',
      };
}

async function timed(step: Step, check: Check): Promise<StepResult> {
  const started = performance.now();
  const finding = await step.run(check);
  const { durationMs = performance.now() - started } = finding;
  return { name: step.name, ...finding, durationMs: Math.round(durationMs) };
}
