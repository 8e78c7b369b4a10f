import { isOfBuiltIn, providerOf } from '../catalogue/catalogue.js';
import { sameSecretProblem } from '../errors/remedies.js';
import { destinationOf } from './destination.js';
import type { PlannedPair } from './plan.js';
import type { PairResult, Reporter } from './report.js';
import type { Check, Finding, Step, StepName, StepResult } from './step.js';
import { claims } from './steps/claims.js';
import { clock } from './steps/clock.js';
import { apiDns, dns } from './steps/dns.js';
import { lifetime } from './steps/lifetime.js';
import { probe } from './steps/probe.js';
import { apiTcp, tcp } from './steps/tcp.js';
import { apiTls, tls } from './steps/tls.js';
import { tokenRequest } from './steps/token-request.js';

/**
 * The steps after the configuration, in the order of a request. Each step lists the steps that must succeed first. If the
 * configuration is wrong, no step runs. The way to the API is checked even if the token endpoint fails.
 */
const STEPS: readonly (readonly [Step, needs: readonly StepName[]])[] = [
  [dns, []],
  [tcp, ['dns']],
  [tls, ['tcp']],
  [tokenRequest, ['tls']],
  [lifetime, ['token-request']],
  [claims, ['token-request']],
  // A refusal has a Date, too.
  [clock, ['tls']],
  [apiDns, []],
  [apiTcp, ['api-dns']],
  [apiTls, ['api-tcp']],
  // A token for another address is not sent. `claims` needs a token, and a token needs `tls`. So `tls` is not listed.
  [probe, ['claims', 'api-tls']],
];

/** What the checks of all pairs have in common. */
type CheckPlan = Pick<Check, 'baseUrls' | 'probe'>;

/** Runs the steps in order. If a step fails, the steps that depend on it are skipped. */
export async function checkPair(
  pair: PlannedPair,
  plan: CheckPlan,
  reporter?: Reporter,
): Promise<PairResult> {
  const { configured, interface: name, environment, active } = pair;
  const host = configured && new URL(configured.profile.tokenUrl).host;
  // The built-in provider needs no name: the output of the doctor was the same before there were others.
  const head = {
    ...(!isOfBuiltIn(pair) && { provider: providerOf(pair) }),
    interface: name,
    environment,
    active,
    ...(host !== undefined && { host }),
  };
  reporter?.pair(head);

  const steps: StepResult[] = [{ name: 'configuration', durationMs: 0, ...checkConfiguration(pair) }];
  for (const step of steps) reporter?.ended(step);
  const check = configured && checkOf(configured, plan);
  const unknown = new Set<StepName>();
  for (const [step, needs] of STEPS) {
    if (check === undefined || needs.some((needed) => unknown.has(needed))) {
      unknown.add(step.name);
      steps.push({ name: step.name, durationMs: 0, status: 'skipped', detail: 'an earlier step failed' });
      continue;
    }
    reporter?.begins(step.name);
    const result = await timed(step, check);
    if (result.status === 'failed') unknown.add(step.name);
    reporter?.ended(result);
    steps.push(result);
  }
  reporter?.pairEnded();
  return { ...head, ok: steps.every(({ status }) => status !== 'failed'), steps };
}

function checkOf(configured: NonNullable<PlannedPair['configured']>, plan: CheckPlan): Check {
  const { tokenUrl, baseUrl } = configured.profile;
  return {
    ...configured,
    ...plan,
    destinations: { tokenUrl: destinationOf(tokenUrl), baseUrl: destinationOf(baseUrl) },
  };
}

function checkConfiguration({ configured }: PlannedPair): Finding {
  const { tls } = configured?.profile ?? {};
  const advice = [configured && sameSecretProblem(configured.profile), tls?.endWarning].filter(
    (one) => one !== undefined,
  );
  return configured
    ? {
        status: 'ok',
        detail: 'complete',
        ...(tls?.endsAt && { facts: { certificateEndsAt: tls.endsAt.toISOString() } }),
        ...(advice.length > 0 && { advice: advice.join(' ') }),
      }
    : {
        status: 'failed',
        detail: 'incomplete or wrong',
        code: 'CONFIG_INVALID',
        advice: 'Fix the problems listed above.',
      };
}

async function timed(step: Step, check: Check): Promise<StepResult> {
  const started = performance.now();
  const finding = await step.run(check);
  const { durationMs = performance.now() - started } = finding;
  return { name: step.name, ...finding, durationMs: Math.round(durationMs) };
}
