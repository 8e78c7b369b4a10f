import { type AnyPair, type Catalogue, isOfBuiltIn } from '../catalogue/catalogue.js';
import { notConfigured, variablesAt } from '../config/process-env/variable-names.js';
import type { Profile, Settings } from '../config/options/profile.js';
import { readEnvironmentVariables, valueAt } from '../config/process-env/read-variables.js';
import { flawOfBaseUrl, normalBaseUrl } from '../config/rules/url-rules.js';
import { examineOptions } from '../config/validate-options.js';
import type { Surroundings } from '../config/validation.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';

/** One pair that has settings, right or wrong. */
export interface PlannedPair extends AnyPair {
  readonly active: boolean;
  /** Undefined if its settings are wrong. Then the pair cannot be checked further. */
  readonly configured: { readonly profile: Profile; readonly settings: Settings } | undefined;
}

export interface ConfiguredBaseUrl extends AnyPair {
  readonly url: string;
  readonly variable: string;
}

export type PairFilter = Partial<Pick<AnyPair, 'interface' | 'environment'>>;

/** Reads the configuration as the application does; one wrong pair does not keep the others from being checked. */
export async function planChecks(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  filter: PairFilter,
  surroundings: Surroundings = {},
) {
  const options: object = readEnvironmentVariables(catalogue, variables);
  const { problems, settings } = await examineOptions(catalogue, options, { ...surroundings, variables });
  const isWanted = (pair: AnyPair): boolean =>
    (filter.interface ?? pair.interface) === pair.interface &&
    (filter.environment ?? pair.environment) === pair.environment;
  const given = catalogue.pairs.filter(
    (pair) => valueAt(options, `interfaces.${pair.interface}.${pair.environment}`) !== undefined,
  );
  const pairs = given.filter(isWanted).map((pair) => planned(pair, options, problems, settings));
  // If the user asked for a pair that has no settings, report the missing settings, even if the other pairs are right.
  const asked = pairs.length > 0 ? [] : catalogue.pairs.filter(isWanted);
  const missing = asked.flatMap((pair) => notConfigured(catalogue, pair, given).problems);
  return {
    /** All problems that would stop the application at boot. The filter does not change this list. */
    problems: problems.length > 0 ? problems : missing,
    pairs,
    /** The base URLs of all pairs that have one. The filter does not change this list. */
    baseUrls: catalogue.pairs.flatMap((pair) => baseUrlOf(catalogue, pair, options) ?? []),
  };
}

/** A pair that lacks another setting still counts, because a token may be for its address. */
function baseUrlOf(catalogue: Catalogue, pair: AnyPair, options: object): ConfiguredBaseUrl | undefined {
  const path = `interfaces.${pair.interface}.${pair.environment}.baseUrl`;
  const given = valueAt(options, path);
  const [variable] = variablesAt(catalogue, path);
  if (variable === undefined || typeof given !== 'string' || flawOfBaseUrl(given, catalogue) !== undefined)
    return undefined;
  return { ...pair, url: normalBaseUrl(given), variable: variable.name };
}

function planned(
  pair: AnyPair,
  options: object,
  problems: readonly ConfigProblem[],
  settings: Settings,
): PlannedPair {
  const { interface: name, environment } = pair;
  const chosen = valueAt(options, 'environment');
  const active =
    (typeof chosen === 'string' ? chosen : valueAt(options, `environment.${name}`)) === environment;
  // A pair may be wrong only in combination with another pair: the same client id in both (S5). Without checks of certificates, no
  // pair gets a credential (S9).
  const own = `interfaces.${name}.${environment}.`;
  const isWrong = problems.some(({ path }) => path.startsWith(own) || path.startsWith('http.'));
  const profile = settings.profiles.find(
    (one) => !isWrong && one.interface === name && one.environment === environment,
  );
  // The built-in provider needs no name: the output of the doctor was the same before there were others.
  const provider = isOfBuiltIn(pair) ? undefined : pair.provider;
  return { ...pair, provider, active, configured: profile && { profile, settings } };
}
