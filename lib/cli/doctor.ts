import { loadValidator } from '../config/validator.js';
import { checkPair } from './check-pair.js';
import { type PairFilter, planChecks } from './plan.js';
import type { PairResult, Report, Reporter } from './report.js';

/** Checks the configuration, then each configured pair, one after the other so that each can be read. */
export async function examine(
  variables: NodeJS.ProcessEnv,
  filter: PairFilter,
  reporter: Reporter,
): Promise<Report> {
  await loadValidator();
  const { problems, pairs } = planChecks(variables, filter);
  if (problems.length > 0) reporter.problems(problems);
  const results: PairResult[] = [];
  for (const pair of pairs) results.push(await checkPair(pair, reporter));
  const report = {
    ok: problems.length === 0 && results.every(({ ok }) => ok),
    results,
    ...(problems.length > 0 && { problems }),
  };
  reporter.end(report);
  return report;
}
