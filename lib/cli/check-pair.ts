import { isOfBuiltIn, providerOf } from '../catalogue/catalogue.js';
import type { Profile, Settings } from '../config/options/profile.js';
import { sameSecretProblem } from '../errors/remedies.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { ConfiguredBaseUrl, PlannedPair } from './plan.js';
import type { Finding, PairResult, Reporter, StepName, StepResult } from './report.js';
import { claims } from './steps/claims.js';
import { apiConnection, connection } from './steps/connection.js';
import { probe } from './steps/probe.js';
import { clock, lifetime, tokenRequest } from './steps/token-request.js';

/** The check of one pair, and the results that later steps need. */
export interface Check {
  readonly profile: Profile;
  readonly settings: Pick<Settings, 'token' | 'http'>;
  /** The base URLs of all configured pairs, because a token may be for another pair. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
  /** The path of the probe under the base URL. Undefined: no probe. */
  readonly probe: string | undefined;
  /** The secret that was sent. A later step checks whether a text of the server repeats it. */
  secret?: Secret;
  token?: AccessToken;
  /** Whether the token is for another address on the host of the base URL. */
  isForOtherPath?: boolean;
  /** By how much this machine's clock is ahead of the server's. */
  clockAheadMs?: number | undefined;
}

/** A step checks one thing. It stores in `Check` what later steps need. */
export interface Step {
  readonly name: StepName;
  run(check: Check): Finding | Promise<Finding>;
}

/**
 * The steps after the configuration, in the order of a request. Each step lists the steps that must succeed first. The way to
 * the API is checked even if the token endpoint fails.
 */
const STEPS: readonly (readonly [Step, needs: readonly StepName[]])[] = [
  [connection, []],
  [tokenRequest, ['connection']],
  [lifetime, ['token-request']],
  [claims, ['token-request']],
  // A refusal has a Date, too.
  [clock, ['connection']],
  [apiConnection, []],
  // A token for another address is not sent.
  [probe, ['claims', 'api-connection']],
];

/** Runs the steps in order. If a step fails, the steps that depend on it are skipped. */
export async function checkPair(
  pair: PlannedPair,
  plan: Pick<Check, 'baseUrls' | 'probe'>,
  reporter?: Reporter,
): Promise<PairResult> {
  const { configured, interface: name, environment, active } = pair;
  const head = {
    // The built-in provider needs no name: the output of the doctor was the same before there were others.
    ...(!isOfBuiltIn(pair) && { provider: providerOf(pair) }),
    interface: name,
    environment,
    active,
    ...(configured && { host: new URL(configured.profile.tokenUrl).host }),
  };
  reporter?.pair(head);
  const steps: StepResult[] = [{ name: 'configuration', durationMs: 0, ...checkConfiguration(pair) }];
  for (const step of steps) reporter?.ended(step);
  const check: Check | undefined = configured && { ...configured, ...plan };
  const unknown = new Set<StepName>();
  for (const [step, needs] of STEPS) {
    const { name } = step;
    if (check === undefined || needs.some((needed) => unknown.has(needed))) {
      unknown.add(name);
      steps.push({ name, durationMs: 0, status: 'skipped', detail: 'an earlier step failed' });
      continue;
    }
    reporter?.begins(name);
    const started = performance.now();
    const finding = await step.run(check);
    const result = { name, ...finding, durationMs: Math.round(performance.now() - started) };
    if (result.status === 'failed') unknown.add(name);
    reporter?.ended(result);
    steps.push(result);
  }
  reporter?.pairEnded();
  return { ...head, ok: steps.every(({ status }) => status !== 'failed'), steps };
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
    ...(tls?.endsAt && { facts: { certificateEndsAt: tls.endsAt.toISOString() } }),
    ...(advice.length > 0 && { advice: advice.join(' ') }),
  };
}
