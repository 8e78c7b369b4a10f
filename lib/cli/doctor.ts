import { adviceOnAll } from './advice-on-all.js';
import { checkPair } from './check-pair.js';
import { type PairFilter, planChecks } from './plan.js';
import type { PairResult, Report, Reporter } from './report.js';

export interface Examination extends PairFilter {
  /** What is requested under each base URL. */
  readonly probe?: string;
}

/** Checks the configuration, then each configured pair, one after the other so that each can be read. */
export async function examine(
  variables: NodeJS.ProcessEnv,
  { probe, ...filter }: Examination,
  reporter: Reporter,
): Promise<Report> {
  const { problems, pairs, baseUrls } = await planChecks(variables, filter);
  if (problems.length > 0) reporter.problems(problems);
  const results: PairResult[] = [];
  for (const pair of pairs) results.push(await checkPair(pair, { baseUrls, probe }, reporter));
  const advice = adviceOnAll(pairs, results);
  const report = {
    ok: problems.length === 0 && results.every(({ ok }) => ok),
    probed: probe !== undefined,
    results,
    ...(advice.length > 0 && { advice }),
    ...(problems.length > 0 && { problems }),
  };
  reporter.end(report);
  return report;
}
