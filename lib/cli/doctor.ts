import { type Catalogue, pairName, providerOf } from '../catalogue/catalogue.js';
import type { SettingNames } from '../errors/setting-names.js';
import { adviceOnAxios } from '../http/direct/compared-axios.js';
import { checkPair } from './check-pair.js';
import { type PairFilter, planChecks, type PlannedPair } from './plan.js';
import type { PairResult, Report, Reporter } from './report.js';

export interface Examination extends PairFilter {
  /** The path that is requested under each base URL. */
  readonly probe?: string;
}

/** Checks the configuration, then each configured pair. The pairs run one after the other, so that the lines stay in order. */
export async function examine(
  catalogues: readonly Catalogue[],
  variables: NodeJS.ProcessEnv,
  { probe, ...filter }: Examination,
  reporter?: Reporter,
): Promise<Report> {
  const plans = await Promise.all(
    catalogues.map((catalogue) => planChecks(catalogue, variables, filter, catalogues)),
  );
  const [problems, pairs, baseUrls] = [
    plans.flatMap((plan) => plan.problems),
    plans.flatMap((plan) => plan.pairs),
    plans.flatMap((plan) => plan.baseUrls),
  ];
  if (problems.length > 0) reporter?.problems(problems);
  const results: PairResult[] = [];
  for (const pair of pairs) results.push(await checkPair(pair, { baseUrls, probe }, reporter));
  const advice = [
    ...catalogues.flatMap((catalogue) => adviceOnAll(catalogue, pairs, results)),
    ...[adviceOnAxios() ?? []].flat(),
  ];
  const report = {
    ok: problems.length === 0 && results.every(({ ok }) => ok),
    probed: probe !== undefined,
    results,
    ...(advice.length > 0 && { advice }),
    ...(problems.length > 0 && { problems }),
  };
  reporter?.end(report);
  return report;
}

/** Advice from several results: if the credentials of all environments are refused, they may have been swapped. */
function adviceOnAll(
  { name: provider, interfaces }: Catalogue,
  pairs: readonly PlannedPair[],
  results: readonly PairResult[],
): string[] {
  return interfaces.flatMap((name) => {
    // The results have the order of the pairs.
    const refused = pairs.filter(
      (pair, index) =>
        providerOf(pair) === provider && pair.interface === name && refusesCredentials(results[index]),
    );
    const settings = refused.flatMap(({ configured }) => configured?.profile ?? []);
    if (settings.length < 2) return [];
    const [what, listed] = swappable(settings.map(({ names }) => names));
    return `${settings.map((profile) => pairName(profile)).join(' and ')} refuse their credentials. Have ${what} been swapped? Compare ${listed}.`;
  });
}

function refusesCredentials(result?: PairResult): boolean {
  const facts = result?.steps.find(
    ({ name, status }) => name === 'token-request' && status === 'failed',
  )?.facts;
  return facts?.['oauthError'] === 'invalid_client' || facts?.['status'] === 401;
}

/** If all environments have the same token URL, the token URLs cannot have been swapped. */
function swappable(all: readonly SettingNames[]): [what: string, listed: string] {
  const ownTokenUrls = new Set(all.map(({ tokenUrl }) => tokenUrl)).size === all.length;
  const listed = all.map(({ clientId, clientSecret, tokenUrl }) =>
    [clientId, clientSecret, ...(ownTokenUrls ? [tokenUrl] : [])].join(', '),
  );
  return [ownTokenUrls ? 'their credentials or their token URLs' : 'their secrets', listed.join(' with ')];
}
