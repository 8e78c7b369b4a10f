import type { AnyPair, Catalogue } from '../catalogue/catalogue.js';
import { settingsOf } from '../config/process-env/variable-names.js';
import { notConfigured } from '../config/process-env/not-configured.js';
import type { Profile, Settings } from '../config/options/profile.js';
import { readEnvironmentVariables } from '../config/process-env/read-variables.js';
import { flawOfBaseUrl, normalBaseUrl } from '../config/rules/url-rules.js';
import { sameSecretAs, type Surroundings, validateOptions } from '../config/validate-options.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { isObject } from '../values/is-object.js';

/** One pair that has settings, right or wrong. */
export interface PlannedPair extends AnyPair {
  readonly active: boolean;
  /** Undefined if its settings are wrong. Then the pair cannot be checked further. */
  readonly configured: { readonly profile: Profile; readonly settings: Settings } | undefined;
}

/** The base URL of a configured pair, and the variable that holds it. */
export interface ConfiguredBaseUrl extends AnyPair {
  readonly url: string;
  readonly variable: string;
}

export interface Plan {
  /** All problems that would stop the application at boot. The filter does not change this list. */
  readonly problems: readonly ConfigProblem[];
  readonly unknownVariables: readonly string[];
  readonly pairs: readonly PlannedPair[];
  /** The base URLs of all pairs that have one. The filter does not change this list. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
}

export type PairFilter = Partial<Pick<AnyPair, 'interface' | 'environment'>>;

/** Reads the configuration as the application does; one wrong pair does not keep the others from being checked. */
export async function planChecks(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  filter: PairFilter,
  surroundings: Surroundings = {},
): Promise<Plan> {
  const options: object = readEnvironmentVariables(catalogue, variables);
  const { problems, unknownVariables } = await checked(
    validateOptions(catalogue, options, variables, surroundings),
  );
  const wanted = catalogue.pairs.filter((pair) => isWanted(pair, filter));
  const given = catalogue.pairs.filter(
    (pair) => member(options, 'interfaces', pair.interface, pair.environment) !== undefined,
  );
  const all = await Promise.all(given.map((pair) => planned(catalogue, pair, options, problems, variables)));
  const pairs = withSharedSecrets(all).filter((pair) => isWanted(pair, filter));
  // If the user asked for a pair that has no settings, report the missing settings, even if the other pairs are right.
  const missing =
    pairs.length > 0 ? [] : wanted.flatMap((pair) => notConfigured(catalogue, pair, given).problems);
  return {
    problems: problems.length > 0 ? problems : missing,
    unknownVariables,
    pairs,
    baseUrls: catalogue.pairs.flatMap((pair) => baseUrlOf(catalogue, pair, options) ?? []),
  };
}

/** A pair that lacks another setting still counts, because a token may be for its address. */
function baseUrlOf(catalogue: Catalogue, pair: AnyPair, options: object): ConfiguredBaseUrl | undefined {
  const given = member(options, 'interfaces', pair.interface, pair.environment, 'baseUrl');
  const setting = settingsOf(catalogue, pair).find(({ member: name }) => name === 'baseUrl');
  if (setting === undefined || typeof given !== 'string' || flawOfBaseUrl(given, catalogue) !== undefined)
    return undefined;
  return { ...pair, url: normalBaseUrl(given), variable: setting.variable };
}

async function planned(
  catalogue: Catalogue,
  pair: AnyPair,
  options: object,
  problems: readonly ConfigProblem[],
  variables: NodeJS.ProcessEnv,
): Promise<PlannedPair> {
  const { interface: name, environment } = pair;
  const chosen = member(options, 'environment');
  const active = (typeof chosen === 'string' ? chosen : member(options, 'environment', name)) === environment;
  // A pair may be wrong only in combination with another pair: the same client id in both (S5).
  const isWrong = problems.some(({ path }) => path.startsWith(`interfaces.${name}.${environment}.`));
  const settings = isWrong ? undefined : await settingsOfOne(catalogue, pair, options, variables);
  const profile = settings?.profiles[0];
  return { ...pair, active, configured: settings && profile && { profile, settings } };
}

/** The settings of one pair alone, as if nothing else were configured. */
async function settingsOfOne(
  catalogue: Catalogue,
  { interface: name, environment }: AnyPair,
  options: object,
  variables: NodeJS.ProcessEnv,
): Promise<Settings | undefined> {
  const given = member(options, 'interfaces', name);
  // A spread keeps the mark that shows which variables the options came from.
  const own: Record<string, unknown> = { ...(typeof given === 'object' ? given : {}) };
  for (const other of catalogue.environments) if (other !== environment) delete own[other];
  try {
    return await validateOptions(catalogue, { environment, interfaces: { [name]: own } }, variables);
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) return undefined;
    throw error;
  }
}

/** Each pair was validated alone, so only here two secrets can be compared. */
function withSharedSecrets(pairs: readonly PlannedPair[]): PlannedPair[] {
  const profiles = pairs.flatMap(({ configured }) => configured?.profile ?? []);
  return pairs.map((pair) => {
    const { configured } = pair;
    if (configured === undefined) return pair;
    const { profile } = configured;
    const compared = { ...profile, sameSecretAs: sameSecretAs(profile, profiles) };
    return { ...pair, configured: { ...configured, profile: compared } };
  });
}

function isWanted(pair: AnyPair, filter: PairFilter): boolean {
  return (
    (filter.interface ?? pair.interface) === pair.interface &&
    (filter.environment ?? pair.environment) === pair.environment
  );
}

async function checked(validation: Promise<Settings>): Promise<Pick<Plan, 'problems' | 'unknownVariables'>> {
  try {
    const { unknownVariables = [] } = await validation;
    return { problems: [], unknownVariables };
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) return { problems: error.problems, unknownVariables: [] };
    throw error;
  }
}

function member(holder: unknown, ...path: readonly string[]): unknown {
  let value = holder;
  for (const name of path) value = isObject(value) ? Reflect.get(value, name) : undefined;
  return value;
}
