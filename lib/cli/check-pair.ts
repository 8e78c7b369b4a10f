import { isOfBuiltIn, providerOf } from '../catalogue/catalogue.js';
import { sameSecretProblem } from '../errors/troubles.js';
import type { PlannedPair } from './plan.js';
import type { Check, Finding, PairResult, Step, StepName, StepResult } from './report.js';
import { claims } from './steps/claims.js';
import { apiConnection, connection } from './steps/connection.js';
import { probe } from './steps/probe.js';
import { lifetime, tokenRequest } from './steps/token-request.js';
import type { TextReporter } from './text-reporter.js';

/**
 * The steps after the configuration, in the order of a request. Each step lists the steps that must succeed first. The way to
 * the API is checked even if the token endpoint fails.
 */
const STEPS: readonly (readonly [Step, needs: readonly StepName[]])[] = [
  [connection, []],
  [tokenRequest, ['connection']],
  [lifetime, ['token-request']],
  [claims, ['token-request']],
  [apiConnection, []],
  // A token for another address is not sent.
  [probe, ['claims', 'api-connection']],
];

export async function checkPair(
  pair: PlannedPair,
  plan: Pick<Check, 'baseUrls' | 'probe'>,
  reporter?: TextReporter,
): Promise<PairResult> {
  const { configured, interface: name, environment, active } = pair;
  const head = {
    // The built-in provider needs no name: the output of the doctor was the same before there were others.
    ...(!isOfBuiltIn(pair) && { provider: providerOf(pair) }),
    interface: name,
    environment,
    active,
    host: configured && new URL(configured.profile.tokenUrl).host,
  };
  const steps: StepResult[] = [{ name: 'configuration', durationMs: 0, ...checkConfiguration(pair) }];
  const check: Check | undefined = configured && { ...configured, ...plan };
  const unknown = new Set<StepName>();
  for (const [step, needs] of STEPS) {
    const { name } = step;
    if (check === undefined || needs.some((needed) => unknown.has(needed))) {
      unknown.add(name);
      const detail = 'an earlier step failed';
      steps.push({ name, durationMs: 0, status: 'skipped', detail, blocked: true });
      continue;
    }
    reporter?.begins(name);
    const started = performance.now();
    const finding = await step.run(check);
    const result = { name, ...finding, durationMs: Math.round(performance.now() - started) };
    if (result.status === 'failed') unknown.add(name);
    steps.push(result);
  }
  const result = { ...head, ok: steps.every(({ status }) => status !== 'failed'), steps };
  reporter?.pair(result);
  return result;
}

function checkConfiguration({ configured }: PlannedPair): Finding {
  if (configured === undefined)
    return {
      status: 'failed',
      detail: 'incomplete or wrong',
      code: 'CONFIG_INVALID',
      advice: 'Fix the problems listed above.',
    };
  const { tls } = configured.profile;
  const advice = [sameSecretProblem(configured.profile), tls?.endWarning].filter((one) => one !== undefined);
  return {
    status: 'ok',
    detail: 'complete',
    facts: tls?.endsAt && { certificateEndsAt: tls.endsAt.toISOString() },
    advice: advice.join(' ') || undefined,
  };
}
