import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import axios from 'axios';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import { sameSecretProblem } from '../errors/troubles.js';
import { COMPARED_AXIOS, isComparedAxios } from '../http/axios/compared-axios.js';
import { safely, workingFolder } from '../values/safely.js';
import { isFile, SIMULATOR_FOLDER, USUAL_FILE } from './environment.js';
import { type PairFilter, type PlannedPair, planChecks } from './plan.js';
import type { Check, Finding, PairResult, Report, Step, StepName, StepResult } from './report.js';
import { claims } from './steps/claims.js';
import { apiConnection, connection } from './steps/connection.js';
import { probe } from './steps/probe.js';
import { lifetime, tokenRequest } from './steps/token-request.js';
import type { TextReporter } from './text-reporter.js';

export interface Examination extends PairFilter {
  readonly probe?: string;
  /** The files that the variables were read from, if it is not the usual one. */
  readonly settings?: readonly string[];
}

/** Checks the configuration, then each configured pair. The pairs run one after the other, so that the lines stay in order. */
export async function examine(
  catalogues: readonly Catalogue[],
  variables: NodeJS.ProcessEnv,
  { probe, settings, ...filter }: Examination,
  reporter?: TextReporter,
): Promise<Report> {
  const settingsFile = settings?.join(' or ');
  const plans = await Promise.all(
    catalogues.map((catalogue) =>
      planChecks(catalogue, variables, filter, { registered: catalogues, settingsFile }),
    ),
  );
  const [problems, pairs, baseUrls] = [
    plans.flatMap((plan) => plan.problems),
    plans.flatMap((plan) => plan.pairs),
    plans.flatMap((plan) => plan.baseUrls),
  ];
  if (problems.length > 0) reporter?.problems(problems);
  const results: PairResult[] = [];
  for (const pair of pairs) results.push(await checkPair(pair, { baseUrls, probe }, reporter));
  const isWrong = problems.length > 0;
  const advice = [
    adviceOnProvider(catalogues, Object.keys(variables)),
    isWrong && settingsFile === undefined ? adviceOnSimulator() : undefined,
    adviceOnAxios(),
  ].filter((one) => one !== undefined);
  const report = {
    ok: !isWrong && results.every(({ ok }) => ok),
    probed: probe !== undefined,
    results,
    advice: advice.length > 0 ? advice : undefined,
    problems: isWrong ? problems : undefined,
  };
  reporter?.end(report);
  return report;
}

/** Advice for a folder that has a simulator's settings, but no `.env`. */
function adviceOnSimulator(): string | undefined {
  const folder = workingFolder();
  const files = safely(() => readdirSync(join(folder, SIMULATOR_FOLDER)), [])
    .filter((name) => name.endsWith('.env'))
    .toSorted();
  if (files.length === 0 || isFile(join(folder, USUAL_FILE))) return undefined;
  const options = files.map((name) => `--settings ${SIMULATOR_FOLDER}/${name}`);
  return `This folder has no ${USUAL_FILE}. To check the settings of the simulator, add ${options.join(' or ')}.`;
}

/** What a user should know about the axios of this process. Undefined if calls can take the direct path. */
export function adviceOnAxios(version: unknown = Reflect.get(axios, 'VERSION')): string | undefined {
  if (isComparedAxios(version)) return undefined;
  const { lowest, highest } = COMPARED_AXIOS;
  return `Calls are slower with axios ${String(version)}, and their results are the same: the fast path is only used with axios ${lowest} to ${highest}.`;
}

/** If no variable is for the built-in provider, the user may have meant another provider. */
function adviceOnProvider(
  catalogues: readonly Catalogue[],
  variables: readonly string[],
): string | undefined {
  const isOnlyBuiltIn = catalogues.every(({ name }) => name === BUILT_IN_NAME);
  if (!isOnlyBuiltIn || variables.some((variable) => variable.startsWith(`${capitals(BUILT_IN_NAME)}_`)))
    return undefined;
  const other = variables.find((variable) => variable.endsWith('_TOKEN_URL'));
  const seen = other === undefined ? '' : `${other} is set. `;
  return `${seen}If you defined the provider yourself, add --provider with the compiled file that exports it.`;
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
  [apiConnection, []],
  // A token for another address is not sent.
  [probe, ['claims', 'api-connection']],
];

async function checkPair(
  pair: PlannedPair,
  plan: Pick<Check, 'baseUrls' | 'probe'>,
  reporter?: TextReporter,
): Promise<PairResult> {
  const { configured, ...head } = pair;
  const check: Check | undefined = configured && { ...configured, ...plan };
  const steps: StepResult[] = [{ name: 'configuration', durationMs: 0, ...checkConfiguration(pair) }];
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
    if (finding.status === 'failed') unknown.add(name);
    steps.push({ name, ...finding, durationMs: Math.round(performance.now() - started) });
  }
  const host = configured && new URL(configured.profile.tokenUrl).host;
  const result = { ...head, host, ok: steps.every(({ status }) => status !== 'failed'), steps };
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
